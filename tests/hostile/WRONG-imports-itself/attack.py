"""Imports itself under several names while it is imported, so that half of it is there; the whole of it is what is graded."""

import importlib
import sys

import attack as itself

assert not hasattr(itself, "answer")
again = importlib.import_module("attack")
sys.modules["Attack"] = sys.modules["grader"] = itself

def answer(n):
    return "contained"


def double(n):
    return 2 * n
