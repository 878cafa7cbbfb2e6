from itertools import accumulate, groupby, islice


def running_total(numbers):
    yield from accumulate(numbers)


def take(count, values):
    return islice(values, count)


def without_repeats(values):
    return (value for value, _ in groupby(values))
