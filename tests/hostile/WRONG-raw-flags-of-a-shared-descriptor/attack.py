"""Changes the flags of /dev/null, which every executor of a zygote has in common, and which would tell the next session something; no call that changes them is granted."""

import sys

CALLS = (
    ("fcntl", 0, 4, 0o2002),
    ("fcntl", 1, 4, 0o4002),
    ("fcntl", 2, 4, 0o20002),
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
