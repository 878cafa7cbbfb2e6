"""Raises with a message of a megabyte, of one line, of a hundred thousand lines, and with arguments that are as long; a message is clipped."""

def answer(n):
    raise ValueError("\n" * 100_000 + "x" * 1_000_000, ["y" * 1_000_000])


def double(n):
    return 2 * n
