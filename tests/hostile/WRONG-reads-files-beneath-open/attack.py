"""Opens files of the host beneath `open`: with `os`, `posix`, `_io` and `FileIO`; the filter refuses the system calls."""

import _io
import io
import os

POSIX = os.getpid.__self__
HERE = ("self", "thread-self", "1", str(os.getppid()))
FACTS = ("environ", "cmdline", "maps", "mem", "status", "fd/0", "root/etc/passwd", "cwd/x")
PLACES = [f"/proc/{who}/{fact}" for who in HERE for fact in FACTS]
PLACES += ["/etc/passwd", "/etc/hostname", "/proc/version", "/dev/zero", "/tmp", "/", os.__file__]
PLACES += ["../target.yaml", "/target.yaml", "testsuites/target.yaml", "../../etc/passwd"]

WAYS = [
    lambda path: os.read(os.open(path, os.O_RDONLY), 64),
    lambda path: POSIX.read(POSIX.open(path, os.O_RDONLY | os.O_CLOEXEC), 64),
    lambda path: _io.open(path, "rb").read(64),
    lambda path: _io.FileIO(path).read(64),
    lambda path: io.FileIO(path, "r").readall(),
    lambda path: _io.open_code(os.path.join("/", path)).read(64),
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
