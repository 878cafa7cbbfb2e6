"""An audit hook that raises at every event from now on, that of running code too; it breaks the steps of its own session and nothing else."""

import sys


def hook(event, arguments):
    if ON:
        raise RuntimeError(event)


ON = []
sys.addaudithook(hook)


def answer(n):
    ON.append(1)
    return id(n) and compile("1", "x", "eval")


def double(n):
    return 2 * n
