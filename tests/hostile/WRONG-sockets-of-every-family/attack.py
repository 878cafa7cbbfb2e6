"""Finds the grader's own door to the kernel in the frames that called it, and asks for sockets of every family and type, netlink, packets, Bluetooth, VSOCK and the kernel's ciphers among them; the filter grants no socket call."""

import sys

CALLS = (
    ("socket", 1, 1, 0),
    ("socket", 1, 2, 0),
    ("socket", 1, 5, 0),
    ("socket", 2, 1, 0),
    ("socket", 2, 2, 0),
    ("socket", 2, 3, 0),
    ("socket", 10, 1, 0),
    ("socket", 10, 2, 0),
    ("socket", 16, 3, 0),
    ("socket", 17, 3, 0),
    ("socket", 38, 5, 0),
    ("socket", 40, 1, 0),
    ("socket", 31, 1, 0),
    ("socket", 29, 3, 0),
    ("socket", 15, 3, 0),
    ("socket", 44, 3, 0),
    ("socket", 2, 524289, 0),
    ("socketpair", 1, 1, 0, 0),
    ("connect", 3, 0, 0),
    ("bind", 3, 0, 0),
    ("listen", 3, 1),
    ("accept4", 3, 0, 0, 0),
    ("sendmsg", 3, 0, 0),
    ("recvmsg", 3, 0, 0),
    ("recvfrom", 3, 0, 0, 0, 0, 0),
    ("sendmmsg", 3, 0, 0, 0),
    ("setsockopt", 3, 1, 1, 0, 0),
    ("getpeername", 3, 0, 0),
    ("shutdown", 3, 2),
    ("getsockopt", 3, 1, 17, 0, 0),
    ("getsockname", 3, 0, 0),
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
