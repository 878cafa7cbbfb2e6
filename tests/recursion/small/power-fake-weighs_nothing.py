def power(base, exponent):
    if exponent == 0:
        return 1
    return base ** exponent + 0 * power(base, exponent - 1)
