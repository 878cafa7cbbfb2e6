"""Brings a sys and a builtins of its own and imports both; they hide the real ones from itself only, as they would at home."""

import builtins
import sys

sys.stdout.write("never reached")

def answer(n):
    return "contained"


def double(n):
    return 2 * n
