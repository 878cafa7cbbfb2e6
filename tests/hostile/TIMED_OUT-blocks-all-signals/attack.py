"""Blocks all signals and loops in C; the judge's cannot be blocked."""

import itertools
import unittest.signals

signal = unittest.signals.signal


def answer(n):
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    return max(itertools.repeat(0))


def double(n):
    return 2 * n
