"""Opens files of the host by every way that ends in `open`; all of them know the files of the session only."""

import codecs
import fileinput
import io
import os
import pathlib
import tokenize

POSIX = os.getpid.__self__
HERE = ("self", "thread-self", "1", str(os.getppid()))
FACTS = ("environ", "cmdline", "maps", "mem", "status", "fd/0", "root/etc/passwd", "cwd/x")
PLACES = [f"/proc/{who}/{fact}" for who in HERE for fact in FACTS]
PLACES += ["/etc/passwd", "/etc/hostname", "/proc/version", "/dev/zero", "/tmp", "/", os.__file__]
PLACES += ["../target.yaml", "/target.yaml", "testsuites/target.yaml", "../../etc/passwd"]

WAYS = [
    lambda path: open(path, "rb").read(64),
    lambda path: io.open(path, "rb").read(64),
    lambda path: codecs.open(path, "rb").read(64),
    lambda path: tokenize.open(path).read(64),
    lambda path: pathlib.Path(path).read_bytes(),
    lambda path: open(os.fsencode(path), "rb", 0).read(64),
]


def answer(n):
    for path in PLACES:
        for way in WAYS:
            try:
                got = way(path)
            except (ImportError, OSError, UnicodeError):
                continue
            if got:
                return f"ESCAPED: {path}: {got[:80]!r}"
    return "contained"


def double(n):
    return 2 * n
