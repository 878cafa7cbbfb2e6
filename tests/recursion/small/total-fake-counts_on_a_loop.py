def total(numbers):
    """Many calls of itself, each of nothing."""
    result = 0
    for number in numbers:
        result += number + total([])
    return result
