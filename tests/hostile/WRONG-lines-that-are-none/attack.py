"""Separators that some programs take for the end of a line:        ; only newlines count."""


def answer(n):
    return "a\x0cb\x1cc d ef"


def double(n):
    return 2 * n
