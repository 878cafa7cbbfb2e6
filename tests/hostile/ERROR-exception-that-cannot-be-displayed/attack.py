"""Raises an exception whose text, arguments and attributes raise in turn; its class is told all the same."""

class Mute(Exception):
    def __str__(self):
        raise SystemExit

    __repr__ = __str__
    args = property(__str__)

    def __getattribute__(self, name):
        raise SystemExit(name)


def answer(n):
    raise Mute


def double(n):
    return 2 * n
