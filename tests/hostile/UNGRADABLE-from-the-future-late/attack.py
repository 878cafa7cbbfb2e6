"""Imports from the future in the middle of the file; the compiler refuses that."""

def answer(n):
    return "contained"


from __future__ import annotations


def double(n):
    return 2 * n
