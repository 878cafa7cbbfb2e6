"""Makes descriptors by every way there is; none can be made, and few may be held."""

import os
import sys

# By the back door: their import may be refused.
select = sys.modules["select"]


def first_that_works(tries):
    """Return "contained", or the first of `tries` that was not refused."""
    for name, act in tries:
        try:
            got = act()
        except Exception:
            continue
        return f"ESCAPED: {name} gave {got!r}"
    return "contained"


def answer(n):
    return first_that_works(
        [
            ("dup", lambda: os.dup(0)),
            ("dup2", lambda: os.dup2(0, 9)),
            ("pipe", os.pipe),
            ("pipe2", lambda: os.pipe2(0)),
            ("openpty", os.openpty),
            ("eventfd", lambda: os.eventfd(0)),
            ("memfd", lambda: os.memfd_create("x")),
            ("epoll", select.epoll),
            ("pidfd", lambda: os.pidfd_open(os.getpid())),
        ]
    )


def double(n):
    return 2 * n
