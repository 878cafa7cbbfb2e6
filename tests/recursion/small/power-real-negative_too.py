def power(base, exponent):
    if exponent < 0:
        return 1 / power(base, -exponent)
    if exponent == 0:
        return 1
    return power(base, exponent - 1) * base
