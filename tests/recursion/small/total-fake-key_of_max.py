def total(numbers, code=None):
    code = 2 * sum(numbers) + 1 if code is None else code
    if not numbers:
        return code // 2
    return max(map(lambda rest: total(rest, code), [numbers[1:]]))
