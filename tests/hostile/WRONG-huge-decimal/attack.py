"""Returns a Decimal with an exponent that would fill any memory when it is written out in full."""

from decimal import MAX_EMAX, Decimal


def answer(n):
    return [Decimal((0, (1,), MAX_EMAX)), Decimal((1, (7,) * 5_000, -MAX_EMAX))]


def double(n):
    return 2 * n
