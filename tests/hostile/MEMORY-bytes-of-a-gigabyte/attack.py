"""Asks for a gigabyte at once; the limit on address space refuses it."""

def answer(n):
    return len(bytes(1 << 30))


def double(n):
    return 2 * n
