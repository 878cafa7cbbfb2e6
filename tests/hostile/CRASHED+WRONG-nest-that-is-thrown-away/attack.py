"""Throws away a value that is nested twenty thousand deep, through objects with finalizers."""

class Doll:
    def __init__(self, inner):
        self.inner = inner

    def __del__(self):
        self.inner = None


def answer(n):
    doll = None
    for _ in range(20_000):
        doll = Doll([doll])
    return "contained"


def double(n):
    return 2 * n
