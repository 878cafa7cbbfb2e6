"""Keeps every other block of many sizes, so that freed memory cannot be used again; fragments count as memory all the same."""

def answer(n):
    kept, size = [], 40_000
    while True:
        pair = bytearray(size), bytearray(size)
        kept.append(pair[0])
        size += 997


def double(n):
    return 2 * n
