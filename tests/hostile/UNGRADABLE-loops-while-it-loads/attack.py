"""Loops while it is loaded, and swallows whatever would stop it."""

while True:
    try:
        while True:
            pass
    except BaseException:
        continue


def double(n):
    return 2 * n
