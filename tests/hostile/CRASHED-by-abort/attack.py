"""Aborts the process, for which the C library sends itself a signal."""

import os


def answer(n):
    os.abort()


def double(n):
    return 2 * n
