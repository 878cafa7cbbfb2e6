def running_total(numbers):
    numbers = list(numbers)
    for end in range(1, len(numbers) + 1):
        yield sum(numbers[:end])


def take(count, values):
    for number, value in enumerate(values):
        if number == count:
            return
        yield value


def without_repeats(values):
    values = list(values)
    for index, value in enumerate(values):
        if index == 0 or value != values[index - 1]:
            yield value
