def total(numbers, i=0):
    try:
        number = numbers[i]
    except IndexError:
        return 0
    return number + total(numbers, i + 1)
