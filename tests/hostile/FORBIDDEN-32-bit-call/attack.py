"""Writes machine code that enters the kernel by the 32-bit door (int 0x80), where the numbers mean other calls; the filter kills whoever comes in there."""

import sys

CODE = bytes.fromhex("b814000000cd80c3")  # mov eax, 20; int 0x80; ret

def the_kernel():
    """Return our own door to the kernel, found in the frames of the code that called us."""
    frame = sys._getframe()
    while "lockdown" not in frame.f_globals:
        frame = frame.f_back
    return frame.f_globals["lockdown"].kernel


def answer(n):
    kernel = the_kernel()
    page = kernel.call("mmap", 0, 4096, 7, 0x22, -1, 0)
    kernel.ctypes.memmove(page, CODE, len(CODE))
    return f"ESCAPED: {kernel.ctypes.CFUNCTYPE(kernel.ctypes.c_int)(page)()}"


def double(n):
    return 2 * n
