"""Waits and wakes on a word of the C library, a page that all processes share: a bell between executors that run side by side. Only futexes of one process are granted."""

import sys

WAIT, WAKE = 0, 1

def the_kernel():
    """Return our own door to the kernel, found in the frames of the code that called us."""
    frame = sys._getframe()
    while "lockdown" not in frame.f_globals:
        frame = frame.f_back
    return frame.f_globals["lockdown"].kernel


def answer(n):
    kernel = the_kernel()
    ctypes = kernel.ctypes
    shared = ctypes.cast(ctypes.CDLL(None).getpid, ctypes.c_void_p).value & ~3
    a_moment = (ctypes.c_long * 2)(0, 1_000_000)
    word = ctypes.c_uint32.from_address(shared).value
    for name, arguments in (
        ("a wake", (shared, WAKE, 1, 0, 0, 0)),
        ("a wait", (shared, WAIT, word, ctypes.addressof(a_moment), 0, 0)),
    ):
        try:
            kernel.call("futex", *arguments)
        except OSError as error:
            if error.errno in {1, 38}:
                continue
        return f"ESCAPED: {name} on a page of everybody"
    return "contained"


def double(n):
    return 2 * n
