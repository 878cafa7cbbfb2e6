"""Forks without end and double-forks a daemon that would outlive the session; the second filter and the limit on processes refuse the first fork."""

import os
import threading


def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            threading.Event().wait(30)
        os._exit(0)


def answer(n):
    pids = []
    for _ in range(1000):
        for act in (os.fork, daemon):
            try:
                pids.append(act())
            except OSError:
                continue
            if pids[-1] == 0:
                os._exit(0)
    return f"ESCAPED: {len(pids)} processes" if pids else "contained"


def double(n):
    return 2 * n
