"""Returns a generator without end; a generator is an object like any other, and nobody asks it."""

def answer(n):
    while True:
        yield "token"


def double(n):
    return 2 * n
