"""Hands in a file whose name is no UTF-8 and shows it in a message; the bytes travel as they are, and are shown escaped."""

import os


def answer(n):
    raise ValueError(sorted(os.listdir("/")))


def double(n):
    return 2 * n
