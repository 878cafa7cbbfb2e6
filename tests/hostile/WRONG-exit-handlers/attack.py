"""Registers handlers that crash, loop and report to run at exit; an executor is killed, and runs none."""

import atexit
import os
import sys
import weakref


def answer(n):
    atexit.register(os.abort)
    atexit.register(os._exit, 9)
    weakref.finalize(answer, os.abort)
    sys.flags = None
    return "contained"


def double(n):
    return 2 * n
