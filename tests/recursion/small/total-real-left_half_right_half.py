def total(numbers):
    if not numbers:
        return 0
    if len(numbers) == 1:
        return numbers[0]
    middle = len(numbers) // 2
    return total(numbers[:middle]) + total(numbers[middle:])
