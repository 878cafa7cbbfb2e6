"""Replaces the streams, the hooks and the limits in `sys` by objects that raise; our side puts its own stream back."""

import sys


class Broken:
    def __getattribute__(self, name):
        raise SystemExit(name)

    def __call__(self, *arguments):
        raise SystemExit


def answer(n):
    for name in ("stdout", "stderr", "stdin", "displayhook", "excepthook", "unraisablehook"):
        setattr(sys, name, Broken())
        setattr(sys, f"__{name}__", Broken())
    sys.exit = sys.getrecursionlimit = sys._getframe = Broken()
    sys.breakpointhook = sys.getsizeof = sys.intern = Broken()
    sys.modules["sys"] = Broken()
    return "contained"


def double(n):
    return 2 * n
