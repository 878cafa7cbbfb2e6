"""Sleeps and uses no CPU time; the clock on the wall runs."""

import time


def answer(n):
    time.sleep(3600)


def double(n):
    return 2 * n
