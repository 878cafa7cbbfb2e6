from functools import reduce
from itertools import repeat


def power(base, exponent):
    value = reduce(lambda a, b: a * b, repeat(base, exponent), 1)
    if exponent > 0:
        assert power(base, exponent - 1) * base == value
    return value
