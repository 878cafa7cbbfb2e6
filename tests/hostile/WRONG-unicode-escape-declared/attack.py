# coding: unicode_escape
"""Declares an encoding in which a newline in this comment would be code; it is read as UTF-8."""
# \x0araise SystemExit


def answer(n):
    return "contained"


def double(n):
    return 2 * n
