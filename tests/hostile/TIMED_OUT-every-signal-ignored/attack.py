"""Ignores and blocks every signal, SIGXCPU and SIGTERM among them, and loops; SIGKILL cannot be ignored."""

import sys

# By the back door: their import may be refused.
signal = sys.modules["signal"]


def answer(n):
    for number in signal.valid_signals():
        try:
            signal.signal(number, signal.SIG_IGN)
        except OSError:
            pass
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    while True:
        pass


def double(n):
    return 2 * n
