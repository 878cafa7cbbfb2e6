"""Looks for other processes in what the kernel tells of usage, children and clocks; it tells about itself only."""

import os
import time


def answer(n):
    found = []
    for pid in (1, os.getppid()):
        for clock in ((~pid << 3) | 2, (~pid << 3) | 6):
            try:
                found.append((pid, time.clock_gettime(clock)))
            except OSError:
                pass
        for ask in (os.getpgid, os.getsid, os.sched_getaffinity, os.sched_getscheduler):
            try:
                found.append((pid, ask(pid)))
            except OSError:
                pass
    return f"ESCAPED: {found}" if found else "contained"


def double(n):
    return 2 * n
