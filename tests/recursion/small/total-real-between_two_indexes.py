def total(numbers, low=0, high=None):
    if high is None:
        high = len(numbers)
    if high - low == 0:
        return 0
    if high - low == 1:
        return numbers[low]
    middle = (low + high) // 2
    return total(numbers, low, middle) + total(numbers, middle, high)
