"""Runs byte code that takes more from the stack than there is; its process ends, no other."""

import inspect

CODES = inspect.dis.opmap


def broken():
    return None


def answer(n):
    pop, load = CODES["POP_TOP"], CODES["LOAD_FAST"]
    body = bytes([CODES["RESUME"], 0]) + bytes([pop, 0]) * 5000 + bytes([load, 250])
    broken.__code__ = broken.__code__.replace(co_code=body)
    return broken()


def double(n):
    return 2 * n
