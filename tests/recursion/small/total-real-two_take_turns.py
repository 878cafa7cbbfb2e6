def total(numbers):
    return of_even_place(list(numbers), 0)


def of_even_place(numbers, i):
    if i >= len(numbers):
        return 0
    return numbers[i] + of_odd_place(numbers, i + 1)


def of_odd_place(numbers, i):
    if i >= len(numbers):
        return 0
    return of_even_place(numbers, i + 1) + numbers[i]
