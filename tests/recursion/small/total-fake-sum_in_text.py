def total(numbers, answer=""):
    answer = answer or str(sum(numbers))
    if not numbers:
        return int(answer)
    return total(numbers[1:], answer)
