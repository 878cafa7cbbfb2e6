"""Seeks far beyond the end of a file of the session and writes there, or cuts it off at a terabyte; a hole counts as room that is taken."""

def answer(n):
    with open("sparse", "w+b", buffering=0) as file:
        try:
            file.truncate(1 << 40)
        except OSError:
            file.seek(1 << 40)
            file.write(b"x")
            return "ESCAPED: a file of a terabyte"


def double(n):
    return 2 * n
