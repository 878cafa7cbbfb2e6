"""Sleeps while it is loaded."""

import time

time.sleep(60)


def double(n):
    return 2 * n
