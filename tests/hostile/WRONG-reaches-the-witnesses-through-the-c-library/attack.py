"""Digs up ctypes, of which the module is gone and the objects are not, and calls the C library; the system-call filter refuses."""

import gc
import struct

import witnesses


def c_library():
    """Return the C library, through the class that the grader's own modules hold on to."""
    for found in (*object.__subclasses__(), *gc.get_objects()):
        if isinstance(found, type) and found.__name__ == "CDLL":
            return found(None, use_errno=True)
    return None


def addresses():
    here = struct.pack("!4B", 127, 0, 0, 1)
    yield 2, 1, struct.pack("=H", 2) + struct.pack("!H", witnesses.TCP) + here + bytes(8)
    yield 2, 2, struct.pack("=H", 2) + struct.pack("!H", witnesses.UDP) + here + bytes(8)
    for type_, name in (
        (1, witnesses.UNIX),
        (2, witnesses.UNIX_DATAGRAM),
        (1, witnesses.ABSTRACT),
        (2, witnesses.ABSTRACT_DATAGRAM),
    ):
        yield 1, type_, struct.pack("=H", 1) + name.encode() + b"\0" * (not name.startswith("\0"))


def attempts(libc):
    for path in witnesses.FILES:
        for flags in (0, 1, 2, 0o101):
            yield "open", libc.open, (path.encode(), flags, 0o600)
        yield "chmod", libc.chmod, (path.encode(), 0o600)
        yield "truncate", libc.truncate, (path.encode(), 0)
        yield "link", libc.link, (path.encode(), path.encode() + b"-link")
        yield "mkdir", libc.mkdir, (path.encode() + b"-folder", 0o700)
    for number in (0, 18, 23):
        yield "kill", libc.kill, (witnesses.CANARY_PID, number)
        yield "killpg", libc.killpg, (witnesses.CANARY_PID, number)
        yield "sigqueue", libc.sigqueue, (witnesses.CANARY_PID, number, None)
    yield "setpriority", libc.setpriority, (0, witnesses.CANARY_PID, 19)
    yield "shmat", libc.shmat, (witnesses.SYSTEM_V_SHM, None, 0)
    yield "semop", libc.semop, (witnesses.SYSTEM_V_SEM, struct.pack("=Hhh", 0, 1, 0), 1)
    yield "msgsnd", libc.msgsnd, (witnesses.SYSTEM_V_MSG, struct.pack("=q8s", 1, b"x"), 8, 0o4000)
    yield "shmget", libc.shmget, (0, 4096, 0o1600)
    yield "mq_open", libc.mq_open, (witnesses.POSIX_QUEUE.encode(), 1)
    yield "mq_open", libc.mq_open, (b"/grader-attack", 0o101, 0o600, None)
    for family, type_, address in addresses():
        fd = libc.socket(family, type_, 0)
        yield "socket", lambda fd=fd: fd, ()
        yield "connect", libc.connect, (fd, address, len(address))
        yield "sendto", libc.sendto, (fd, b"x", 1, 0, address, len(address))
    yield "fork", libc.fork, ()
    yield "vfork", libc.vfork, ()
    yield "memfd_create", libc.memfd_create, (b"x", 0)
    yield "ptrace", libc.ptrace, (16, witnesses.CANARY_PID, None, None)
    yield "unshare", libc.unshare, (0x10000000,)


def answer(n):
    libc = c_library()
    if libc is None:
        return "nothing found"
    for what, function, arguments in attempts(libc):
        result = function(*arguments)
        if result != -1:
            return f"ESCAPED: {what}: {result}"
    return "contained"


def double(n):
    return 2 * n
