"""Raises a SyntaxError that it made itself, with a place, a line and a text of its choice; nothing of those is taken for the truth."""

def answer(n):
    raise SyntaxError(
        "</script>\x1b[2J", ("/etc/passwd", -7, 1 << 40, "<img src=x onerror=alert(1)>", 0, None)
    )


def double(n):
    return 2 * n
