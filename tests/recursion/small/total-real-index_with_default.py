def total(numbers, start=0):
    if start >= len(numbers):
        return 0
    here = numbers[start]
    return here + total(numbers, start + 1)
