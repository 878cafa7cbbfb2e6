"""A module-level __getattr__ that has every name, so that missing ones seem to be there; only names that are there count."""

def __getattr__(name):
    return lambda *_: 42


def __dir__():
    return ["answer", "double", "triple"]

def answer(n):
    return "contained"


def double(n):
    return 2 * n
