"""Loops and swallows every exception; what stops it is no exception."""

def answer(n):
    while True:
        try:
            while True:
                raise SystemExit
        except BaseException:
            continue


def double(n):
    return 2 * n
