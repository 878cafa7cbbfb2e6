"""Naps a thousandth of a second, again and again: naps take no time, but they are added up."""

import time


def answer(n):
    while True:
        try:
            time.sleep(0.001)
        except BaseException:
            pass


def double(n):
    return 2 * n
