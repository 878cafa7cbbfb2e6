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
import json
import os
import socket
import sys
from contextlib import suppress
from typing import Final

from grader.executor import lockdown, packages, rehearsal, session
from grader.executor.surroundings import Surroundings, warm

with suppress(ImportError):  # not on Windows
    import resource

_CONTROL_FD: Final = 3
_WARM_UPS: Final = 9
"""So that the first executor finds the memory that the later ones find."""


def main(modules: str, extras: str, control_fd: int) -> None:
    """Serve orders on `control_fd` until the judge closes it.

    See `warm` for `modules`, and `packages.load` for `extras`.
    """
    packages.load(extras)
    surroundings = warm(modules)
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


def _obey(
    control: socket.socket, surroundings: Surroundings, lock: lockdown.ZygoteLockdown
) -> None:
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
    lock: lockdown.ZygoteLockdown,
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
        session.serve(session.Channel(fd), surroundings, limits)
        os._exit(0)
    finally:
        # Whatever went wrong in our own code: an executor must never go on as a second zygote.
        os._exit(70)


def _reap(pid: int) -> bytes:
    """Wait for executor `pid`; return its wait status and peak memory as JSON."""
    usage: resource.struct_rusage  # os.wait4 looks its module up, which must be loaded by then
    _, status, usage = os.wait4(pid, 0)
    return json.dumps({"status": status, "peak_kib": usage.ru_maxrss}).encode()
