def total(numbers, rest=None):
    if rest is None:
        rest = iter(numbers)
    number = next(rest, None)
    if number is None:
        return 0
    return number + total(numbers, rest)
