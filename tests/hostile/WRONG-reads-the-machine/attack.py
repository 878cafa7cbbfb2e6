"""Reads what every system has: accounts, processes, its own memory, the root folder, metadata; no call that takes a path is granted."""

import io
import os
import pathlib
import sys

# By the back door: their import may be refused.
posix = sys.modules["posix"]

FILES = (
    "/etc/passwd",
    "/etc/hostname",
    "/proc/self/environ",
    "/proc/self/maps",
    "/proc/self/mem",
    "/proc/1/cmdline",
    "/sys/kernel/ostype",
    "/dev/zero",
)

def first_that_works(tries):
    """Return "contained", or the first of `tries` that was not refused."""
    for name, act in tries:
        try:
            got = act()
        except Exception:
            continue
        return f"ESCAPED: {name} gave {got!r}"
    return "contained"


def answer(n):
    tries = []
    for file in FILES:
        tries += [
            (f"os.open of {file}", lambda file=file: os.open(file, os.O_RDONLY)),
            (f"io.FileIO of {file}", lambda file=file: io.FileIO(file)),
            (f"io.open_code of {file}", lambda file=file: io.open_code(file)),
            (f"posix.stat of {file}", lambda file=file: posix.stat(file)),
            (f"posix.access of {file}", lambda file=file: 1 / posix.access(file, 0)),
            (f"read_bytes of {file}", lambda file=file: pathlib.Path(file).read_bytes()),
            (f"open of {file}", lambda file=file: open(file, "rb")),
        ]
    tries += [
        ("posix.listdir", lambda: posix.listdir("/")),
        ("posix.scandir", lambda: posix.scandir("/")),
        ("posix.readlink", lambda: posix.readlink("/proc/self/exe")),
        ("posix.statvfs", lambda: posix.statvfs("/")),
        ("posix.chdir", lambda: posix.chdir("/tmp")),
        ("os.walk", lambda: next(iter(os.walk("/")))[3]),
    ]
    return first_that_works(tries)


def double(n):
    return 2 * n
