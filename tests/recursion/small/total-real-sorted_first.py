def total(numbers):
    return add(sorted(numbers))


def add(numbers):
    if not numbers:
        return 0
    return numbers[-1] + add(numbers[:-1])
