"""Prints from __str__ and __repr__ while the grader asks for the text of an exception; that counts as output of the same step."""

class Loud(Exception):
    def __str__(self):
        print("x" * 1_000_000)
        return "loud"

    __repr__ = __str__


def answer(n):
    raise Loud


def double(n):
    return 2 * n
