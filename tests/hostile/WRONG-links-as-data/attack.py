"""Hands in links to files and folders of the machine, to itself and to nowhere as data; no link is followed, so there is nothing to read."""

def answer(n):
    for name in ("passwd", "etc/hostname", "loop", "loop/loop", "nowhere", "self.txt", "helper.py"):
        try:
            with open(name) as file:
                found = file.read()
        except OSError:
            continue
        return f"ESCAPED: {name} holds {found!r}"
    return "contained"


def double(n):
    return 2 * n
