"""Leaves the session and process group that it would be ended with; it is ended by its own number, and may not leave."""

import os

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
            ("setsid", os.setsid),
            ("setpgid", lambda: os.setpgid(0, 0)),
            ("getsid", lambda: os.getsid(0)),
            ("nice", lambda: os.nice(1)),
            ("setpriority", lambda: os.setpriority(os.PRIO_PROCESS, 0, 1)),
            ("waitid", lambda: os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG)),
            ("waitpid", lambda: os.waitpid(-1, os.WNOHANG)),
        ]
    )


def double(n):
    return 2 * n
