"""Hands in three hundred files; two hundred are read, the hand-in first, and the student is told."""

def answer(n):
    return "contained"


def double(n):
    return 2 * n
