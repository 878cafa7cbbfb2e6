def power(base, exponent, product=1):
    return product if exponent == 0 else power(base, exponent - 1, product * base)
