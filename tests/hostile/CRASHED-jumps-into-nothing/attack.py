"""Calls a function at an address where there is none."""

def answer(n):
    for cls in object.__subclasses__():
        if cls.__name__ == "CDLL" and cls.__module__ == "ctypes":
            return cls.__init__.__globals__["CFUNCTYPE"](None)(16)()
    raise LookupError("no ctypes anywhere")


def double(n):
    return 2 * n
