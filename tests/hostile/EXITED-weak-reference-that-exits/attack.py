"""Ends the process in the callback of a weak reference, while the step's names go away."""

import os
import weakref


class Thing:
    pass


def answer(n):
    thing = Thing()
    answer.watch = weakref.ref(thing, lambda reference: os._exit(0))
    return "contained"


def double(n):
    return 2 * n
