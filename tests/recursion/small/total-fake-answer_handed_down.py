def total(numbers, answer=None):
    if answer is None:
        answer = 0
        for number in numbers:
            answer += number
    if not numbers:
        return answer
    return total(numbers[1:], answer)
