def power(base, exponent, known=None):
    if known is None:
        known = {0: 1, 1: base}
    if exponent not in known:
        half = exponent // 2
        known[exponent] = power(base, half, known) * power(base, exponent - half, known)
    return known[exponent]
