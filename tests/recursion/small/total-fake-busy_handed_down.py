def total(numbers, answer=None):
    if answer is None:
        answer = 0
        for number in numbers:
            answer += number
    for _ in range(60):
        pass
    if not numbers:
        return answer
    return total(numbers[1:], answer)
