"""The reference: generators that ask for no more than they need."""


def running_total(numbers):
    """Yield the sum so far."""
    total = 0
    for number in numbers:
        total += number
        yield total


def take(count, values):
    """Yield the first so many."""
    values = iter(values)
    for _ in range(count):
        try:
            value = next(values)
        except StopIteration:
            return
        yield value


def without_repeats(values):
    """Yield what differs from the value right before."""
    is_first, before = True, None
    for value in values:
        if is_first or value != before:
            yield value
        is_first, before = False, value
