"""Hands in folders in folders beyond what is read; what lies too deep is left out and the student is told."""

def answer(n):
    return "contained"


def double(n):
    return 2 * n
