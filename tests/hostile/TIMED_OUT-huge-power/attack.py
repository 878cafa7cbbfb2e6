"""Computes a power of hundreds of millions of digits, in C."""

def answer(n):
    number = 3**200_000
    while True:
        number = number * number % 7 ** 200_000 + 3**200_000


def double(n):
    return 2 * n
