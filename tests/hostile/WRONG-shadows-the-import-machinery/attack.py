"""Brings modules named like the parts of Python that import modules and run programs; what the grader imports by is not looked up by name."""

def answer(n):
    return "contained"


def double(n):
    return 2 * n
