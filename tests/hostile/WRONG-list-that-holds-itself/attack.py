"""Returns a list that holds itself, in a dict that holds both; values have a greatest depth."""

def answer(n):
    circle = []
    circle.append({"circle": circle, "again": (circle, circle)})
    return circle


def double(n):
    return 2 * n
