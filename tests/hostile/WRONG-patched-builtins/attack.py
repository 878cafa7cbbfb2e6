"""Replaces every built-in function by one that ends the process, in its own view of the built-ins; ours are others."""

import builtins
import os


def answer(n):
    patched = [name for name, value in vars(builtins).items() if callable(value)]
    vars(builtins).update(dict.fromkeys(patched, lambda *arguments, **named: os._exit(9)))
    return "contained"


def double(n):
    return 2 * n
