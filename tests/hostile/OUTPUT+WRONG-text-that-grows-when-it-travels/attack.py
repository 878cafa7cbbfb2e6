"""Returns as much text as may travel, in characters that take six bytes each in JSON, and prints as much; the reply stays within its cap, or is told to be too long."""

def answer(n):
    print("\x01" * 65_536, end="")
    return ["\x01" * 33_000, "\U0010ffff" * 33_000, "\ud800" * 33_000]


def double(n):
    return 2 * n
