"""Finds the grader's own door to the kernel in the frames that called it, and asks for a process: forks, threads and namespaces by every flag; the second filter refuses a plain fork, the first all others."""

import sys

CALLS = (
    ("fork",),
    ("vfork",),
    ("clone", 17, 0, 0, 0, 0),
    ("clone", 0x01200011, 0, 0, 0, 0),
    ("clone", 0x8011, 0, 0, 0, 0),
    ("clone", 0x10000011, 0, 0, 0, 0),
    ("clone", 0x3D0F00, 0, 0, 0, 0),
    ("clone3", 0, 88),
    ("execve", 0, 0, 0),
    ("execveat", -100, 0, 0, 0, 0),
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
