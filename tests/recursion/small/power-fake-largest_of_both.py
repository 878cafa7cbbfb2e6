def power(base, exponent):
    if exponent == 0:
        return 1
    product = 1
    for _ in range(exponent):
        product *= base
    lower = power(base, exponent - 1)
    return product if product >= lower else lower * base
