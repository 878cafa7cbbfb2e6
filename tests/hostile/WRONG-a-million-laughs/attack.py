"""Returns a value of a few lists that writes out as a trillion elements; each element counts each time."""

def answer(n):
    laughs = ["ha"] * 10
    for _ in range(12):
        laughs = [laughs] * 10
    return laughs


def double(n):
    return 2 * n
