"""Defines a hundred thousand names; the executor tells of the first few hundred."""

def answer(n):
    return "contained"


def double(n):
    return 2 * n


globals().update({f"name_{k}": k for k in range(100_000)})
