"""Loops while it is imported; loading has the time of a step."""

while True:
    pass

def answer(n):
    return "contained"


def double(n):
    return 2 * n
