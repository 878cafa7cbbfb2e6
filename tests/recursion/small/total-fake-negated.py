def total(numbers, answer=None):
    if answer is None:
        answer = -sum(numbers)
    if not numbers:
        return -answer
    return total(numbers[1:], answer)
