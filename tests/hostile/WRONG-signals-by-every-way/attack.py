"""Sends signals to its parent, its group and everybody by every way of the standard library (number 0, and its own end); none is sent, not even to itself."""

import os
import sys
import threading

# By the back door: their import may be refused.
signal = sys.modules["signal"]


def first_that_works(tries):
    """Return "contained", or the first of `tries` that was not refused."""
    for name, act in tries:
        try:
            got = act()
        except Exception:
            continue
        return f"ESCAPED: {name} gave {got!r}"
    return "contained"


def answer(n):
    return first_that_works(
        [
            ("kill of the parent", lambda: os.kill(os.getppid(), 0)),
            ("kill of all", lambda: os.kill(-1, 0)),
            ("kill of the group", lambda: os.kill(0, 0)),
            ("killpg", lambda: os.killpg(0, 0)),
            ("kill of itself", lambda: os.kill(os.getpid(), signal.SIGSTOP)),
            ("raise_signal", lambda: signal.raise_signal(signal.SIGSTOP)),
            ("pthread_kill", lambda: signal.pthread_kill(threading.get_ident(), signal.SIGTERM)),
            ("pidfd_send_signal", lambda: signal.pidfd_send_signal(0, 0)),
            ("setitimer", lambda: signal.setitimer(signal.ITIMER_REAL, 60)),
            ("alarm", lambda: 1 / (signal.alarm(60) == 0 and signal.alarm(0))),
            ("abort later", lambda: os.kill(os.getpid(), 0)),
        ]
    )


def double(n):
    return 2 * n
