def total(numbers):
    if any(not isinstance(number, int) for number in numbers):
        raise TypeError("no number")
    if numbers == []:
        return 0
    return numbers[0] + total(numbers[1:])
