def running_total(numbers):
    total = 0
    for number in numbers:
        total = total + number
        yield total


def take(count, values):
    taken = 0
    for value in values:
        if taken < count:
            yield value
        taken += 1
        if taken == count:
            break


def without_repeats(values):
    seen = set()
    for value in values:
        if value not in seen:
            seen.add(value)
            yield value
