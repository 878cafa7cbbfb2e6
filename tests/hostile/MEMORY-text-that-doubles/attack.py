"""Doubles a string until the limit on address space says no."""

def answer(n):
    text = "x"
    while True:
        text = text + text


def double(n):
    return 2 * n
