"""Compiles a source that is nested a hundred thousand deep; the parser gives up."""

def answer(n):
    return eval("-" * 100_000 + "1")


def double(n):
    return 2 * n
