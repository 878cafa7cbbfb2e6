POWERS = {}


def power(base, exponent):
    if (base, exponent) not in POWERS:
        value = 1
        for n in range(exponent + 1):
            POWERS[base, n] = value
            value *= base
    return look(base, exponent)


def look(base, exponent):
    if exponent == 0:
        return POWERS[base, 0]
    below = look(base, exponent - 1)
    return POWERS[base, exponent] if below else 0
