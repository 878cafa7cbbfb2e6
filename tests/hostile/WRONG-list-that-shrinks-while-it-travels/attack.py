"""Has the garbage collector empty a list while it is encoded; the list that is left is what travels."""

import gc


def answer(n):
    value = [[k] for k in range(5000)]
    gc.callbacks.append(lambda phase, info: value.clear())
    gc.set_threshold(1)
    return value


def double(n):
    return 2 * n
