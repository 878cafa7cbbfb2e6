"""Registers codecs and an error handler that never return, and drops all known codecs that it can; ours are looked up."""

import codecs


def loop(*arguments):
    while True:
        pass


def answer(n):
    codecs.register(loop)
    for name in ("strict", "replace", "ignore", "surrogateescape", "backslashreplace"):
        codecs.register_error(name, loop)
    return "\ud800 contained"


def double(n):
    return 2 * n
