"""Sorts by keys whose comparison never ends."""

class Key:
    def __lt__(self, other):
        while True:
            pass


def answer(n):
    return sorted([Key(), Key()])


def double(n):
    return 2 * n
