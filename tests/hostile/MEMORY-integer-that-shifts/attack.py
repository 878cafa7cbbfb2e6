"""Shifts one bit beyond all memory; the limit on address space refuses the number."""

def answer(n):
    return (1 << (1 << 40)).bit_length()


def double(n):
    return 2 * n
