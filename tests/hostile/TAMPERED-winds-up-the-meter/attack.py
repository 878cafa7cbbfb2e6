"""Is slow until it is counted, then gives itself more units than there are; what it has used is less than nothing then."""

from itertools import repeat


def meters():
    return [each for each in answer.__code__.co_consts if type(each).__name__ == "Meter"]


def answer(n):
    while not meters():
        pass
    for meter in meters():
        for size in ("small", "medium", "large", "huge"):
            setattr(meter, size, repeat(True, 10**12))
    for _ in range(1000):
        pass
    return "contained"


def double(n):
    return 2 * n
