"""Loops; the executor's CPU time is read from outside."""

def answer(n):
    while True:
        pass


def double(n):
    return 2 * n
