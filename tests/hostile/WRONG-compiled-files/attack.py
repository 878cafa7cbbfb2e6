"""Hands in byte code that says to be newer than its source; no .pyc of a hand-in is read."""

def answer(n):
    return "contained"


def double(n):
    return 2 * n
