"""Digs up the real classes and functions of Python and tries files, sockets and signals with them; the system-call filter refuses."""

import gc
import os
import sys

import witnesses

CONTINUE, URGENT = 18, 23  # signals that harm nobody


def dug_up(name, module):
    """Find a class or a built-in function that nobody handed to us."""
    for found in (*gc.get_objects(), *object.__subclasses__()):
        if getattr(found, "__name__", None) == name and getattr(found, "__module__", None) == module:
            return found
    return None


def attempts():
    posix = sys.modules.get("posix") or sys.modules["os"]
    for path in witnesses.FILES:
        yield "read", lambda: posix.open(path, os.O_RDONLY)
        yield "write", lambda: posix.open(path, os.O_WRONLY | os.O_APPEND)
        yield "stat", lambda: posix.stat(path)
        yield "chmod", lambda: posix.chmod(path, 0o600)
        yield "unlink", lambda: posix.unlink(path)
        yield "make a neighbour of", lambda: posix.open(path + "-new", os.O_CREAT | os.O_WRONLY)
    for folder in ("/tmp", "/var/tmp", "/dev/shm", ".", "/proc/self/fd"):
        yield "list", lambda: posix.listdir(folder)
    for number in (0, CONTINUE, URGENT):
        yield "signal", lambda: posix.kill(witnesses.CANARY_PID, number)
    yield "signal everybody", lambda: posix.kill(-1, 0)
    socket = dug_up("socket", "socket") or dug_up("socket", "_socket")
    if socket is not None:
        yield "TCP", lambda: socket(2, 1).connect(("127.0.0.1", witnesses.TCP))
        yield "UDP", lambda: socket(2, 2).sendto(b"x", ("127.0.0.1", witnesses.UDP))
        yield "UNIX", lambda: socket(1, 1).connect(witnesses.UNIX)
        yield "UNIX_DATAGRAM", lambda: socket(1, 2).sendto(b"x", witnesses.UNIX_DATAGRAM)
        yield "ABSTRACT", lambda: socket(1, 1).connect(witnesses.ABSTRACT)
        yield "ABSTRACT_DATAGRAM", lambda: socket(1, 2).sendto(b"x", witnesses.ABSTRACT_DATAGRAM)


def answer(n):
    for what, attempt in attempts():
        try:
            got = attempt()
        except Exception:
            continue
        return f"ESCAPED: {what}: {got!r}"
    return "contained"


def double(n):
    return 2 * n
