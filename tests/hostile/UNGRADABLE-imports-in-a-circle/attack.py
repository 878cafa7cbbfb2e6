"""Two modules that need each other while neither is ready; that is the submission's own mistake and ends as one."""

from helper import value

other = 1

def answer(n):
    return "contained"


def double(n):
    return 2 * n
