def total(numbers, start=0, table={}):
    if start == 0:
        table.clear()
        table[len(numbers)] = 0
        for i in range(len(numbers) - 1, -1, -1):
            table[i] = table[i + 1] + numbers[i]
    if start == len(numbers):
        return table[start]
    total(numbers, start + 1, table)
    return table[start]
