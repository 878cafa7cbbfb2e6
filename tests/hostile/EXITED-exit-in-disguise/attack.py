"""Leaves by a subclass of SystemExit with another name; its base class tells."""

class Passed(SystemExit):
    code = 0

    def __str__(self):
        return "10 points"


def answer(n):
    raise Passed


def double(n):
    return 2 * n
