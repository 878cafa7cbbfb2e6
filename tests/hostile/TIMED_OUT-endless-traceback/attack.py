"""Raises exceptions without end, each in the handler of the one before."""

def answer(n):
    while True:
        try:
            raise ValueError
        except ValueError:
            try:
                raise KeyError
            except KeyError:
                pass


def double(n):
    return 2 * n
