def total(numbers, kept=()):
    if len(numbers) > 0:
        return total(numbers[1:], kept + (numbers[0],))
    result = 0
    for number in kept:
        result = result + number
    return result
