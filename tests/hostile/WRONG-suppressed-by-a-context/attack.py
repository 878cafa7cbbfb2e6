"""Catches all that comes by in a context that swallows everything, also what is thrown into its generator."""

import contextlib


@contextlib.contextmanager
def swallow():
    try:
        yield
    except BaseException:
        pass


def answer(n):
    with swallow(), swallow():
        raise SystemExit(0)
    return "contained"


def double(n):
    return 2 * n
