def total(numbers):
    if len(numbers) == 0:
        return 0
    return numbers[0] + total(numbers[1:])
