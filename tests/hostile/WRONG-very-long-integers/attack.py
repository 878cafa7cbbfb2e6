"""Returns integers of a million bits, of which the decimal digits would take minutes; they travel as too large."""

def answer(n):
    return 1 << 1_000_000


def double(n):
    return 2 * n
