def total(numbers, depth=0):
    if not numbers:
        return 0
    rest = total(numbers[1:], depth + 1)
    return rest + numbers[0]
