"""Aborts, which no limit prevents: it ends its own session, and the judge says which step that was."""

import os


def answer(n):
    os.abort()


def double(n):
    return 2 * n
