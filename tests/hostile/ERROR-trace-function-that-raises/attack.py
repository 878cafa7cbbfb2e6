"""Sets a trace function that raises at the first call that it sees, which is one of ours; it is the outcome of the step."""

import sys


def refuse(frame, event, argument):
    raise LookupError(f"traced a {event}")


def answer(n):
    sys.settrace(refuse)
    return "contained"


def double(n):
    return 2 * n
