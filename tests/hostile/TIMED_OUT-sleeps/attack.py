"""Sleeps for an hour: so long nobody may, though no time passes."""

import time


def answer(n):
    time.sleep(3600)


def double(n):
    return 2 * n
