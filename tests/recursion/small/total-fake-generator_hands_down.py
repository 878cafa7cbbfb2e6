def total(numbers):
    return next(down(numbers, 2 * sum(numbers) + 1))


def down(numbers, code):
    if numbers:
        yield from down(numbers[1:], code)
    else:
        yield code // 2
