"""Mixes carriage returns, form feeds and newlines, so that line numbers differ from one reader to the next."""

def answer(n):    # one
    # two
    raise KeyError("odd lines")def double(n):    return 2 * n