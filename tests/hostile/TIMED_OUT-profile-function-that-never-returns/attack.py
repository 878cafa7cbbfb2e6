"""Sets a profile function that never returns from the first call of ours; the clocks run there, too."""

import sys


def loop(frame, event, argument):
    while True:
        pass


def answer(n):
    sys.setprofile(loop)
    return "contained"


def double(n):
    return 2 * n
