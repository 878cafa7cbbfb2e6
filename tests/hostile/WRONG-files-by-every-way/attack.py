"""Makes files, folders, links and devices by every way of the standard library; the only files are in memory, and the system refuses all paths."""

import os
import pathlib

POSIX = os.getpid.__self__  # the module beneath `os`
FILE = "/tmp/escaped-from-the-grader"

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
    flags = os.O_CREAT | os.O_RDWR
    return first_that_works(
        [
            ("os.open", lambda: os.open(FILE, flags)),
            ("posix.open", lambda: POSIX.open(FILE, flags)),
            ("O_TMPFILE", lambda: POSIX.open("/tmp", os.O_TMPFILE | os.O_RDWR)),
            ("openat", lambda: POSIX.open("escaped", flags, dir_fd=0)),
            ("mkdir", lambda: POSIX.mkdir(FILE)),
            ("os.mkdir", lambda: os.mkdir(FILE)),
            ("symlink", lambda: os.symlink("/etc/passwd", FILE)),
            ("link", lambda: os.link("/etc/passwd", FILE)),
            ("mkfifo", lambda: os.mkfifo(FILE)),
            ("mknod", lambda: os.mknod(FILE)),
            ("rename", lambda: POSIX.rename("/etc/hostname", FILE)),
            ("utime", lambda: POSIX.utime("/")),
            ("chmod", lambda: POSIX.chmod("/", 0o755)),
            ("truncate", lambda: os.truncate("/dev/null", 0)),
            ("touch", lambda: pathlib.Path(FILE).touch()),
            ("Path.mkdir", lambda: pathlib.Path(FILE).mkdir()),
            ("write_text", lambda: pathlib.Path(FILE).write_text("x")),
            ("setxattr", lambda: os.setxattr("/", b"user.escaped", b"x")),
            ("memfd", lambda: os.memfd_create("escaped")),
        ]
    )


def double(n):
    return 2 * n
