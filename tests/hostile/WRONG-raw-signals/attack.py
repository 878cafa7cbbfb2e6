"""Finds the grader's own door to the kernel in the frames that called it, and asks for signals to its parent, its group and everybody (number 0, which only asks); no call that sends one is granted."""

import sys

CALLS = (
    ("kill", 1, 0),
    ("kill", 0, 0),
    ("kill", -1, 0),
    ("tkill", 1, 0),
    ("tgkill", 1, 1, 0),
    ("rt_sigqueueinfo", 1, 0, 0),
    ("rt_tgsigqueueinfo", 1, 1, 0, 0),
    ("pidfd_send_signal", 0, 0, 0, 0),
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
