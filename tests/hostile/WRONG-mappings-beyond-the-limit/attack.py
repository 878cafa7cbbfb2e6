"""Reaches the system's mmap through our own frames and maps memory that Python does not count; the limit is the kernel's, on address space, so it counts all the same."""

import sys

PRIVATE_ANONYMOUS_NORESERVE = 0x4022
SHARED_ANONYMOUS = 0x21

def the_kernel():
    """Return our own door to the kernel, found in the frames of the code that called us."""
    frame = sys._getframe()
    while "lockdown" not in frame.f_globals:
        frame = frame.f_back
    return frame.f_globals["lockdown"].kernel


def mapped_mib(flags):
    kernel, count = the_kernel(), 0
    try:
        while count < 4096:
            kernel.call("mmap", 0, 1 << 20, 3, flags, -1, 0)
            count += 1
    except OSError:
        return count
    return count


def answer(n):
    most = mapped_mib(PRIVATE_ANONYMOUS_NORESERVE) + mapped_mib(SHARED_ANONYMOUS)
    return f"ESCAPED: {most} MiB" if most > 256 else "contained"


def double(n):
    return 2 * n
