"""Turns the knobs of the interpreter to where nothing works any more: recursion, switching, digits, collection."""

import gc
import sys


def answer(n):
    sys.setrecursionlimit(1)
    sys.setswitchinterval(1e-9)
    sys.set_int_max_str_digits(640)
    gc.disable()
    gc.freeze()
    gc.set_threshold(1, 1, 1)
    gc.set_debug(gc.DEBUG_SAVEALL | gc.DEBUG_UNCOLLECTABLE)
    sys.set_coroutine_origin_tracking_depth(1000)
    return 10**700


def double(n):
    return 2 * n
