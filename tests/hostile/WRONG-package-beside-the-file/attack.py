"""Hands in a package and an __init__ of the same name as its file; the file is the hand-in, and the others are never run."""

def answer(n):
    return "contained"


def double(n):
    return 2 * n
