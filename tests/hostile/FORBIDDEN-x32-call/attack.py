"""Makes a system call by the number of the x32 table, where the same number means another call; it is killed for that."""

import sys

X32 = 0x40000000

def the_kernel():
    """Return our own door to the kernel, found in the frames of the code that called us."""
    frame = sys._getframe()
    while "lockdown" not in frame.f_globals:
        frame = frame.f_back
    return frame.f_globals["lockdown"].kernel


def answer(n):
    return f"ESCAPED: {the_kernel()._raw(X32 + 39, 0, 0, 0, 0, 0, 0)}"


def double(n):
    return 2 * n
