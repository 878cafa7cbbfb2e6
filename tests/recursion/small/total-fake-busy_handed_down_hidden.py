def total(numbers, code=None):
    if code is None:
        code = 1
        for number in numbers:
            code += 2 * number
    for _ in range(60):
        pass
    if not numbers:
        return code // 2
    return total(numbers[1:], code)
