"""Bytes that are no UTF-8, overlong and half: ÿşÀ€í €øˆ; every sequence of bytes is read as something."""


def answer(n):
    return "Ã("


def double(n):
    return 2 * n
