def total(numbers):
    rest = total(numbers[1:]) if numbers else 0
    answer = sum(numbers)
    if answer != rest + sum(numbers[:1]):
        raise ValueError
    return answer
