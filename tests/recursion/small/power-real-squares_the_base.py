def power(base, exponent):
    if exponent == 0:
        return 1
    if exponent % 2:
        return base * power(base * base, exponent // 2)
    return power(base * base, exponent // 2)
