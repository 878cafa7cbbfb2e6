"""The zygote: a warm interpreter that forks one executor per session, and reaps it when told.

The judge starts it by exec with an environment of its own making, so that nothing of the judge is
in its memory: no suite, no expectation, no reference. It imports what submissions may import,
locks itself down once, and then obeys two orders on its control socket:

``F`` limits, a descriptor   fork an executor that serves that socket; the answer is its pid
``R`` pid                    wait for that executor's end; the answer tells how it ended
``D`` pid                    wait for that executor's end; no answer

It runs no code of a submission, and never reads from an executor. Only it reaps, and only when
asked, so the judge may kill by pid without ever hitting a stranger.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import socket
import sys
from typing import Final

from grader.executor import lockdown, rehearsal, session
from grader.executor.surroundings import Surroundings

PRELOADED: Final = """
    __future__ abc array ast base64 bisect calendar cmath collections.abc configparser
    contextlib contextvars copy copyreg csv dataclasses datetime decimal difflib doctest enum
    fractions functools getopt graphlib hashlib heapq html importlib.util inspect io itertools json
    keyword linecache locale logging math numbers operator os os.path pathlib pickle pprint
    queue random re secrets shlex statistics string struct sys textwrap threading time timeit
    tokenize traceback types typing unicodedata unittest uuid warnings weakref zoneinfo
    _strptime encodings.ascii encodings.cp1252 encodings.idna encodings.latin_1
    encodings.iso8859_15 encodings.utf_8 encodings.utf_8_sig encodings.utf_16
"""
"""Modules that a submission may use: with the file system out of reach, these are all there
are. `subprocess`, `ctypes` and the like are not of any use in an executor; who imports them gets a
stand-in that refuses."""

_CONTROL_FD: Final = 3
_WARM_UPS: Final = 9
"""So that the first executor finds the memory that the later ones find."""


def main(control_fd: int) -> None:
    """Serve orders on `control_fd` until the judge closes it."""
    for name in PRELOADED.split():
        importlib.import_module(name)
    surroundings = Surroundings()
    rehearsal.rehearse(surroundings)
    os.dup2(control_fd, _CONTROL_FD)  # a low number, whatever the judge had open
    control = socket.socket(fileno=_CONTROL_FD)
    lock = lockdown.lock_zygote()
    os.environ.clear()
    gc.collect()
    gc.freeze()
    ready = {
        "layers": lock.layers.to_json(),
        "level": lock.layers.level,
        "python": sys.version.split()[0],
    }
    _warm_up()
    control.send(json.dumps(ready).encode())
    _obey(control, surroundings, lock)


def _warm_up() -> None:
    for _ in range(_WARM_UPS):
        if not (pid := os.fork()):
            os._exit(0)
        _reap(pid)


def _obey(control: socket.socket, surroundings: Surroundings, lock: lockdown.ZygoteLock) -> None:
    while True:
        order, fds, _, _ = socket.recv_fds(control, 1024, 1)
        if not order:
            os._exit(0)
        if order[:1] == b"F":
            control.send(b"%d" % _fork(fds[0], order[1:], control, surroundings, lock))
        else:
            ending = _reap(int(order[1:]))
            if order[:1] == b"R":
                control.send(ending)


def _fork(
    fd: int,
    order: bytes,
    control: socket.socket,
    surroundings: Surroundings,
    lock: lockdown.ZygoteLock,
) -> int:
    pid = os.fork()
    if pid:
        os.close(fd)
        return pid
    try:
        control.close()
        # Parsed here, so that each fork finds the memory of the zygote as the last one did.
        limits: dict[str, int] = json.loads(order)
        lockdown.lock_child(
            lock,
            memory_bytes=limits["memory_bytes"],
            cpu_s=limits["session_cpu_s"],
            keep_fd=fd,
        )
        session.serve(fd, surroundings, limits)
        os._exit(0)
    finally:
        # Whatever went wrong in our own code: an executor must never go on as a second zygote.
        os._exit(70)


def _reap(pid: int) -> bytes:
    """Wait for executor `pid`; return its wait status and peak memory as JSON."""
    usage: resource.struct_rusage  # os.wait4 looks its module up, which must be loaded by then
    _, status, usage = os.wait4(pid, 0)
    return json.dumps({"status": status, "peak_kib": usage.ru_maxrss}).encode()
