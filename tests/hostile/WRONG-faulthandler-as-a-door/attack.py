"""Has `faulthandler` write where it can and dump at a fixed time, from a thread of its own; there are no threads."""

import faulthandler


def answer(n):
    for way in (
        lambda: faulthandler.enable(1),
        lambda: faulthandler.dump_traceback(3),
        lambda: faulthandler.dump_traceback_later(0.01, repeat=True, file=3, exit=True),
        lambda: faulthandler.register(10, file=3),
    ):
        try:
            way()
        except (AttributeError, ImportError, OSError, RuntimeError, ValueError):
            continue
    return "contained"


def double(n):
    return 2 * n
