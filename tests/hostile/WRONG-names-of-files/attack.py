"""Hands in files with names that a shell, a terminal, a page, a spreadsheet or another system would obey; a name is data, shown escaped."""

import os


def answer(n):
    names = os.listdir("/")
    for name in names:
        try:
            open(name, "rb").read()
        except OSError:  # a backslash is taken for a slash
            pass
    raise_names = [name for name in names if "passwd" in name]
    return f"ESCAPED: {raise_names}" if raise_names else "contained"


def double(n):
    return 2 * n
