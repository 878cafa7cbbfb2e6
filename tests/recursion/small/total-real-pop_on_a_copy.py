def total(numbers, copied=False):
    if not copied:
        numbers = list(numbers)
    if numbers == []:
        return 0
    last = numbers.pop()
    return total(numbers, True) + last
