"""Has the garbage collector add to a dict while it is encoded; the encoder's error is the outcome of the step."""

import gc


def answer(n):
    value = {k: [k] for k in range(2000)}
    gc.callbacks.append(lambda phase, info: value.update({len(value): [0]}))
    gc.set_threshold(1)
    return value


def double(n):
    return 2 * n
