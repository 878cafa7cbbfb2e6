"""Raises exceptions that are each other's cause and context, in a group with themselves; only the outermost is told."""

def answer(n):
    first, second = ValueError("first"), KeyError("second")
    first.__cause__, second.__cause__ = second, first
    first.__context__, second.__context__ = second, first
    group = ExceptionGroup("group", [first, ExceptionGroup("inner", [second])])
    first.__notes__ = [group]
    raise group from group


def double(n):
    return 2 * n
