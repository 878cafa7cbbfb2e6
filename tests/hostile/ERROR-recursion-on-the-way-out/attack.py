"""Recurses again in the handler of every recursion error, at every level."""

def answer(n, depth=0):
    try:
        return answer(n, depth + 1)
    finally:
        if depth > 900:
            raise RecursionError("at the end")


def double(n):
    return 2 * n
