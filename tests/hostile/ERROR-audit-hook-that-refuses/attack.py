"""Adds an audit hook, which nobody can take away again, that refuses to run any code; it is loaded once per session."""

import sys


def refuse(event, arguments):
    if event in ("exec", "compile", "marshal.loads"):
        raise PermissionError(event)


def answer(n):
    sys.addaudithook(refuse)
    exec("pass")


def double(n):
    return 2 * n
