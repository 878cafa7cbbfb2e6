"""Crashes in the finalizer of what a step leaves behind."""

def memory_at(address, size):
    for cls in object.__subclasses__():
        if cls.__name__ == "CDLL" and cls.__module__ == "ctypes":
            return cls.__init__.__globals__["string_at"](address, size)
    raise LookupError("no ctypes anywhere")


class Last:
    def __del__(self):
        memory_at(8, 8)


def answer(n):
    leftover = Last()
    return "contained"


def double(n):
    return 2 * n
