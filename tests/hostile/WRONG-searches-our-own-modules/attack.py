"""Reaches the grader's own modules through the classes of its objects; those that know a suite were never imported here."""

import sys

KNOWING = ("suite", "judge", "trial", "matching", "loading", "record", "sandbox", "sessions")


def answer(n):
    frame = sys._getframe()
    while frame.f_code.co_name != "serve":
        frame = frame.f_back
    ours = [cls for cls in object.__subclasses__() if cls.__module__.startswith("grader.")]
    ours += [type(value) for value in frame.f_globals.values()]
    names = {cls.__module__ for cls in ours} | set(sys.modules)
    found = [name for name in names if str(name).startswith(tuple(f"grader.{k}" for k in KNOWING))]
    return f"ESCAPED: {found}" if found else "contained"


def double(n):
    return 2 * n
