"""Doubles a list for ever; the limit on address space ends it with a MemoryError."""

def answer(n):
    items = [None]
    while True:
        items += items


def double(n):
    return 2 * n
