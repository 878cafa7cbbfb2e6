def total(numbers, left=None):
    if left is None:
        left = len(numbers)
    if left == 0:
        return 0
    return total(numbers, left - 1) + numbers[left - 1]
