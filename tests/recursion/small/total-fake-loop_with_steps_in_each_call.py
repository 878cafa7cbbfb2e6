def total(numbers, at=0):
    found = 0
    if at == 0 or at == 1:
        for k in range(at, len(numbers), 2):
            found += numbers[k]
    else:
        for k in range(len(numbers) // 8):
            found += 0
    return found + (total(numbers, at + 1) if at <= len(numbers) else 0)
