"""Answers SIGXCPU with a handler that loops on; the judge reads its clock from outside, and the kernel has a hard limit."""

import sys

# By the back door: their import may be refused.
signal = sys.modules["signal"]


def on(number, frame):
    while True:
        pass


def answer(n):
    signal.signal(signal.SIGXCPU, on)
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


def double(n):
    return 2 * n
