"""The zygote: a warm interpreter that forks executors, and reaps them on request.

The judge starts it by exec with a clean environment, so that its memory has nothing of the judge:
no suite, no expectation, no reference. It imports everything that submissions can import, locks
itself down once, and then serves three commands on its control socket:

``F`` limits, a descriptor   fork an executor that serves that socket; the reply is its pid
``R`` pid                    wait until that executor ends; the reply has its status and CPU time
``D`` pid                    wait until that executor ends; no reply

It runs no code of a submission, and never reads from an executor. Only the zygote reaps, and only
on request. So no pid is reused before its executor is reaped, and the judge cannot kill the wrong
process.
"""

from __future__ import annotations

import gc
import json
import marshal
import os
import socket
import sys
from contextlib import suppress
from typing import Any, Final

from grader.executor import lockdown
from grader.executor.channel import Channel
from grader.executor.ending import run_threads_at_once
from grader.executor.serving import serve
from grader.executor.session import LiveSession
from grader.executor.surroundings import Surroundings, load_surroundings
from grader.protocol import NONCE_BYTES, pack_frame

with suppress(ImportError):  # not on Windows
    import resource

_CONTROL_FD: Final = 3
_WARM_UP_COUNT: Final = 3
"""Forks before the first command, so that the first executor has the same memory as later ones."""
_REHEARSAL_COUNT: Final = 10
"""Enough for CPython 3.11, which specializes a function at its eighth call."""
_REHEARSAL_LIMITS: Final = {
    "output_chars": 10_000,
    "recursion": 10_000,
    "units": 1_000_000,
    "session_units": 1_000_000,
    "sleep_ms": 1,
    "session_sleep_ms": 1,
}
_REHEARSAL_MODULE: Final = "rehearsal"
_CHANGED_NAMES: Final = (
    *("stdout", "stderr", "stdin", "__stdout__", "__stderr__", "__stdin__"),
    "setrecursionlimit",
)
"""Names in `sys` that a session binds anew, and that are restored after the rehearsals."""
_REHEARSAL_SOURCE: Final = """
class Greeter:
    def __str__(self): return "hello"
    def refuse(self): assert False, "no"
pairs = {(1, 2), (3, 4)}
"""
_REHEARSAL_STEPS: Final = (
    "pairs",
    "print(Greeter())",
    "Greeter().refuse()",
    "[1.5, {'a': None}, True]",
)


def main(modules: str, extras: str, control_fd: int) -> None:
    """Lock this process down, and serve commands on `control_fd` until the judge closes it.

    See `load_surroundings` for the contents of `modules` and `extras`.
    """
    # Hooks after a fork are for threads, or reseed generators, which must stay pinned here.
    os.register_at_fork = _register_nothing
    surroundings = load_surroundings(modules, extras)
    gc.freeze()  # so that later collections only look at objects of the rehearsals
    _rehearse(surroundings)
    os.dup2(control_fd, _CONTROL_FD)  # a low number, however many descriptors the judge had
    control = socket.socket(fileno=_CONTROL_FD)
    lock = lockdown.lock_zygote()
    os.environ.clear()
    run_threads_at_once()
    gc.collect()  # saves 70 copied pages per fork
    gc.enable()  # the judge started this interpreter with `gc.disable()`
    surroundings.record_state()
    gc.freeze()  # otherwise a collection in a child would copy the pages of all objects
    ready = {
        "layers": lock.layers.to_json(),
        "level": lock.layers.level,
        "python": sys.version.split()[0],
    }
    _warm_up()
    control.send(json.dumps(ready).encode())
    _serve_commands(control, surroundings, lock)


def _register_nothing(**_hooks: object) -> None:
    """Stand in for `os.register_at_fork`: hooks cost time and copied pages in each fork."""


def _rehearse(surroundings: Surroundings) -> None:
    """Run a few dummy sessions to warm up the interpreter, and restore the state of the process.

    CPython specializes byte code while it runs, which writes to the pages that contain it. If that
    happens before the fork, a child saves the time and the copied pages, which would cost as much
    as a fifth of a session.
    """
    judge_end, executor_end = socket.socketpair()
    saved = {name: getattr(sys, name) for name in _CHANGED_NAMES}
    limit = sys.getrecursionlimit()
    with judge_end, executor_end:
        for _ in range(_REHEARSAL_COUNT):
            _rehearse_session(judge_end, Channel(executor_end.fileno()), surroundings)
    for name, value in saved.items():
        setattr(sys, name, value)
    sys.setrecursionlimit(limit)
    surroundings.clear()


def _rehearse_session(
    judge_end: socket.socket, channel: Channel, surroundings: Surroundings
) -> None:
    """Run one session of our own, acting as the judge at `judge_end` of its channel."""
    modules = {_REHEARSAL_MODULE: {"file": f"{_REHEARSAL_MODULE}.py", "source": _REHEARSAL_SOURCE}}
    _send(judge_end, {"modules": modules, "files": {}, "imports": [], "asked": {}, "keep": True})
    session = LiveSession(channel, surroundings, _REHEARSAL_LIMITS, channel.receive() or {})
    channel.send(session.describe_modules())
    session.prepare()
    codes = [compile(step, "<session>", "eval") for step in _REHEARSAL_STEPS]
    plan = marshal.dumps((codes, [() for _ in codes]))
    _send(judge_end, {"import": [["*", _REHEARSAL_MODULE]], "plans": [plan, plan]})
    for observation in session.run(channel.receive() or {}):
        channel.send(observation, may_wait=session.more_replies_follow)
    judge_end.recv(1 << 20)  # discards the replies, so that they do not fill up the socket


def _send(judge_end: socket.socket, request: dict[str, Any]) -> None:
    judge_end.sendall(pack_frame(bytes(NONCE_BYTES), marshal.dumps(request)))


def _warm_up() -> None:
    for _ in range(_WARM_UP_COUNT):
        if not (pid := os.fork()):
            os._exit(0)
        _reap(pid)


def _serve_commands(
    control: socket.socket, surroundings: Surroundings, lock: lockdown.ZygoteLockdown
) -> None:
    """Serve commands from `control` until the judge closes it, and then end this process."""
    while True:
        # Returns exactly one command, because the socket keeps message boundaries (SOCK_SEQPACKET).
        command, fds, _, _ = socket.recv_fds(control, 1024, 1)
        if not command:
            os._exit(0)
        if command[:1] == b"F":
            control.send(b"%d" % _fork(fds[0], command[1:], control, surroundings, lock))
        else:
            ending = _reap(int(command[1:]))
            if command[:1] == b"R":
                control.send(ending)


def _fork(
    fd: int,
    command: bytes,
    control: socket.socket,
    surroundings: Surroundings,
    lock: lockdown.ZygoteLockdown,
) -> int:
    """Fork an executor that serves the socket `fd`, and return its pid.

    Closes `fd` in the zygote. Only the zygote returns from this call; the executor exits when it
    has finished.
    """
    pid = os.fork()
    if pid:
        os.close(fd)
        return pid
    try:
        control.close()  # a submission must not be able to send commands to the zygote
        # Parsed in the child, so that the memory of the zygote is the same at each fork.
        limits: dict[str, int] = json.loads(command)
        lockdown.lock_child(
            lock,
            memory_bytes=limits["memory_bytes"],
            cpu_s=limits["session_cpu_s"],
            keep_fd=fd,
        )
        serve(Channel(fd), surroundings, limits)
        os._exit(0)
    finally:
        # Even if our own code fails, the child must not continue as a second zygote.
        os._exit(70)


def _reap(pid: int) -> bytes:
    """Wait for the executor `pid` to end; return its wait status and CPU time as JSON."""
    usage: resource.struct_rusage  # `os.wait4` needs `resource`, which cannot be imported later
    _, status, usage = os.wait4(pid, 0)
    cpu_s = usage.ru_utime + usage.ru_stime
    return json.dumps({"status": status, "cpu_s": cpu_s}).encode()
