def total(numbers):
    def from_index(i):
        if i == len(numbers):
            return 0
        return numbers[i] + from_index(i + 1)

    return from_index(0)
