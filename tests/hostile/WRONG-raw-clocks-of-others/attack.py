"""Finds the grader's own door to the kernel in the frames that called it, and asks for the CPU clocks of its parent and of processes one after the other, which tells who lives; only its own clocks are granted."""

import sys

CALLS = (
    ("clock_gettime", (~1 << 3) | 2, 0),
    ("clock_getres", (~1 << 3) | 2, 0),
    ("clock_nanosleep", (~1 << 3) | 2, 0, 0, 0),
    ("timer_create", 0, 0, 0),
    ("setitimer", 0, 0, 0),
    ("alarm", 1),
    ("clock_getres", 8, 0),
    ("clock_getres", 9, 0),
)

def the_kernel():
    """Return our own door to the kernel, found in the frames of the code that called us."""
    frame = sys._getframe()
    while "lockdown" not in frame.f_globals:
        frame = frame.f_back
    return frame.f_globals["lockdown"].kernel


def answer(n):
    call = the_kernel().call
    for name, *arguments in CALLS:
        try:
            got = call(name, *arguments)
        except OSError:
            continue
        return f"ESCAPED: {name} gave {got}"
    return "contained"


def double(n):
    return 2 * n
