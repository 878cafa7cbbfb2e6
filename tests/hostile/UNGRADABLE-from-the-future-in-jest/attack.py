"""A future feature that changes how code is read; in a file it does not hold, in Python itself."""

from __future__ import annotations, barry_as_FLUFL, generator_stop

DIFFERS = 1 <> 2

def answer(n):
    return "contained"


def double(n):
    return 2 * n
