"""Sets a flag on /dev/null, whose open file all sessions of a zygote share, for a later session to read; flags cannot be set."""

import os

DESCRIPTORS = (0, 1, 2)


def blocking(fd):
    try:
        return os.get_blocking(fd)
    except OSError:
        return True


HEARD = [fd for fd in DESCRIPTORS if not blocking(fd)]


def answer(n):
    if HEARD:
        return f"ESCAPED: an earlier session set flags on {HEARD}"
    for fd in DESCRIPTORS:
        try:
            os.set_blocking(fd, False)
        except OSError:
            pass
    return "contained"


def double(n):
    return 2 * n
