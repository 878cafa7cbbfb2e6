"""Leaves the program, and loops in the clause that is run on the way out."""

def answer(n):
    while True:
        try:
            raise SystemExit
        finally:
            while True:
                pass


def double(n):
    return 2 * n
