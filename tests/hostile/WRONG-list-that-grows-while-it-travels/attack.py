"""Has the garbage collector add to a list while it is encoded; the encoder counts what it sends."""

import gc


def answer(n):
    value = [[k] for k in range(100)]
    gc.callbacks.append(lambda phase, info: value.extend([[0]] * 100))
    gc.set_threshold(20)
    return value


def double(n):
    return 2 * n
