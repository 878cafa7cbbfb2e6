"""Sleeps for times that are none, or less than none: each is refused as at home, and no clock goes back."""

import time


class Seconds(float):
    def __mul__(self, other):
        return -(10**30)

    __rmul__ = __mul__


def answer(n):
    start, refused = time.monotonic(), 0
    for seconds in (-1, -1e300, float("nan"), float("inf"), None, "", [], Seconds(0)):
        try:
            time.sleep(seconds)
        except (TypeError, ValueError, OverflowError):
            refused += 1
    if time.monotonic() < start:
        return "ESCAPED: the clock goes back"
    return f"contained, {refused}"


def double(n):
    return 2 * n
