"""Raises from code that says to stand in a file of the host, at a line of its choice; no such file is shown."""

def answer(n):
    space = {}
    exec(compile("\n" * 10 + "def fail(): raise ValueError('here')", "/etc/passwd", "exec"), space)
    space["fail"].__code__ = space["fail"].__code__.replace(co_name="<i>root</i>", co_firstlineno=2**31 - 1)
    space["fail"]()


def double(n):
    return 2 * n
