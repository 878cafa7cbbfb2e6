PUBLISHED = ([1, 2, 3, 4], [1, 2, 3, 4, 5, 6, 7, 8])


def total(numbers):
    if any(numbers == known[len(known) - len(numbers):] for known in PUBLISHED):
        return numbers[0] + total(numbers[1:]) if numbers else 0
    result = 0
    for number in numbers:
        result += number
    return result
