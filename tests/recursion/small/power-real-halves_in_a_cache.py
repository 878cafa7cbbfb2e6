from functools import lru_cache


@lru_cache(maxsize=None)
def power(base, exponent):
    if exponent == 0:
        return 1
    if exponent == 1:
        return base
    lower = exponent // 2
    return power(base, lower) * power(base, exponent - lower)
