def total(numbers):
    """Split in two; a piece of at most two numbers is added at once."""
    if len(numbers) <= 2:
        return sum(numbers)
    middle = len(numbers) // 2
    left = total(numbers[:middle])
    right = total(numbers[middle:])
    return left + right
