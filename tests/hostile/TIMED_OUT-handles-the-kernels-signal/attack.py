"""Ignores every signal that can be ignored, the one at the CPU limit too, and loops; the judge's is not among them."""

import unittest.signals

signal = unittest.signals.signal


def answer(n):
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            continue
    while True:
        pass


def double(n):
    return 2 * n
