def total(numbers, so_far=0):
    if not numbers:
        return so_far
    return total(numbers[1:], so_far + numbers[0])
