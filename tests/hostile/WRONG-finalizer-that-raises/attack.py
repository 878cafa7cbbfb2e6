"""Raises in a finalizer and in a weak reference's callback; Python drops such exceptions."""

import weakref


class Loud:
    def __del__(self):
        raise SystemExit("from a finalizer")


def shout(reference):
    raise KeyboardInterrupt


def answer(n):
    loud = Loud()
    answer.watch = weakref.ref(loud, shout)
    return "contained"


def double(n):
    return 2 * n
