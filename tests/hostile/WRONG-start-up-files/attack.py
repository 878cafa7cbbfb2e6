"""Hands in all the files that Python, pytest or tools run unasked; nothing of a submission is ever on a path of the judge."""

def answer(n):
    return "contained"


def double(n):
    return 2 * n
