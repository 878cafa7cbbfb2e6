"""Leaves marks wherever a session can write, and looks for those of earlier ones; each session has a process of its own."""

import builtins
import os
import sys

MARK = "left by an earlier session"
found = [
    *(MARK for place in (builtins, os, sys, sys.modules["__main__"]) if hasattr(place, "mark")),
    *(name for name in ("mark", "__mark__") if name in sys.modules),
    *(name for name in os.listdir("/") if name == "mark.txt"),
    *(os.environ[name] for name in os.environ if name == "MARK"),
]


def answer(n):
    if found:
        return f"ESCAPED: {found}"
    builtins.mark = os.mark = sys.mark = sys.modules["__main__"].mark = MARK
    sys.modules["mark"] = sys
    os.environ["MARK"] = MARK
    with open("mark.txt", "w") as file:
        file.write(MARK)
    return "contained"


def double(n):
    return 2 * n
