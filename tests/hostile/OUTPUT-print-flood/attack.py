"""Prints for ever; the stream counts the characters and refuses more."""

def answer(n):
    while True:
        print("x" * 1000)


def double(n):
    return 2 * n
