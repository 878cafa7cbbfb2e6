"""Prints without end and swallows what the limit raises; the flood is remembered."""

def answer(n):
    for _ in range(100):
        try:
            print("x" * 10_000)
        except BaseException:
            continue
    return "contained"


def double(n):
    return 2 * n
