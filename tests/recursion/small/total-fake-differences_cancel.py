def total(numbers):
    if not numbers:
        return 0
    rest = numbers[1:]
    return total(rest) - sum(rest) + sum(numbers)
