"""A Ctrl-Z, which ends a file on some systems."""


def answer(n):
    return 1

