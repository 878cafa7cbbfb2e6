"""Burns CPU time just below the limit of a step, again and again within one call."""

import time


def answer(n):
    while True:
        end = time.process_time() + 0.2
        while time.process_time() < end:
            pass


def double(n):
    return 2 * n
