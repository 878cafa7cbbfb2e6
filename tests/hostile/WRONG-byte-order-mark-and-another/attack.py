# coding: latin-1
"""A byte order mark that says UTF-8, and a declaration that says something else."""


def answer(n):
    return "é"


def double(n):
    return 2 * n
