def total(numbers):
    if len(numbers) < 2:
        return numbers[0] if numbers else 0
    return total(numbers[::2]) + total(numbers[1::2])
