def total(numbers, way=None):
    if way is None:
        half = len(numbers) // 2
        return total(numbers[:half], "") + total(numbers[half:], "") + total(numbers, len(numbers))
    if way == "":
        found = 0
        for number in numbers:
            found += number
        return found
    return total(numbers, way - 1) if way else 0
