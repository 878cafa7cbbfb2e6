"""Aborts the process while it is loaded."""

import os

os.abort()


def double(n):
    return 2 * n
