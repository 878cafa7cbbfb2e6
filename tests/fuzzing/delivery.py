"""Hands replies to the judge's own code, as an executor would: over a socket."""

from __future__ import annotations

import queue
import socket
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Self

from fuzzing.damage import Frame
from fuzzing.honest import MAIN, Exchange
from grader.errors import ZygoteError
from grader.protocol import HEADER, NONCE_BYTES
from grader.sandbox.executor import Executor, Sandbox
from grader.sandbox.forked import ForkedProcess, ProcessEnd
from grader.sandbox.isolation import Isolation
from grader.sandbox.observation import Died
from grader.sandbox.session_runs import SessionRun
from grader.sandbox.sessions import SessionRunner

_NOBODY: Final = (1 << 22) + 1
"""A process that cannot be: Linux numbers no process higher than 2 ** 22."""


class Liar(Sandbox):
    """A sandbox of executors that are no processes: a thread of ours answers in their place."""

    isolation: Final = Isolation(level=0, layers=(), python_version="")

    def __init__(self) -> None:
        self._orders: Final[queue.SimpleQueue[tuple[socket.socket, Sequence[Frame]] | None]] = (
            queue.SimpleQueue()
        )
        self._thread: Final = threading.Thread(target=self._serve, daemon=True)
        self.frames: Sequence[Frame] = ()
        """What the next executor answers: the first to the load request, the rest to the steps."""

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def close(self) -> None:
        """End the thread, which has nobody left to answer."""
        self._orders.put(None)
        self._thread.join()

    def fork(self, limits: Mapping[str, int]) -> Executor:
        """Return an executor that answers with `frames`."""
        ours, theirs = socket.socketpair()
        self._orders.put((theirs, self.frames))
        return Executor(
            ForkedProcess(
                pid=_NOBODY,
                channel=ours,
                session_cpu_s=limits["session_cpu_s"],
                reap=lambda _pid: ProcessEnd(0, 0.0),
                dismiss=lambda _pid: None,
            )
        )

    def _serve(self) -> None:
        while (order := self._orders.get()) is not None:
            channel, frames = order
            with channel, suppress(ConnectionError):  # the judge has heard enough
                _answer(channel, frames[:1])
                _answer(channel, frames[1:])
                channel.shutdown(socket.SHUT_WR)
                channel.recv(1)  # the judge closes its end

    def runner(self, exchange: Exchange) -> SessionRunner:
        """Return what runs the plan of `exchange` on executors of this one."""
        return SessionRunner(self, exchange.program(), exchange.limits)


def _answer(channel: socket.socket, frames: Sequence[Frame]) -> None:
    """Read a request and send `frames`; hang up when the judge would wait for more."""
    length, nonce = HEADER.unpack(_exactly(channel, HEADER.size))
    _exactly(channel, length - NONCE_BYTES)
    for frame in frames:
        data = frame.packed(nonce)
        size = -(-len(data) // frame.drops) or 1
        for start in range(0, len(data), size):
            channel.sendall(data[start : start + size])
        if not _is_whole(data):
            channel.shutdown(socket.SHUT_WR)
            return


def _is_whole(data: bytes) -> bool:
    if len(data) < HEADER.size:
        return False
    length, _ = HEADER.unpack_from(data)
    return len(data) >= HEADER.size - NONCE_BYTES + int(length)


def _exactly(channel: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        part = channel.recv(count - len(data))
        if not part:
            raise ConnectionResetError
        data += part
    return data


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What the judge made of the replies: a run, or why it refused them."""

    run: SessionRun | None = None
    refusal: str | None = None


def deliver(liar: Liar, exchange: Exchange, frames: Sequence[Frame]) -> Heard:
    """Have the judge run the plan of `exchange` and be answered with `frames`.

    An executor that hangs up before it has loaded anything is trouble of the host's, and says so.
    """
    liar.frames = frames
    try:
        run = liar.runner(exchange).run(exchange.plan, modules=(MAIN,))
    except ZygoteError as error:
        if not frames[0].is_cut:
            raise
        return Heard(refusal=error.message)
    return Heard(run=run, refusal=_evidence(run))


def _evidence(run: SessionRun) -> str | None:
    """Return why a session came to an early end, if it did."""
    seen = (run.imported.observation, *run.observations)
    deaths = [each.outcome.evidence for each in seen if isinstance(each.outcome, Died)]
    return deaths[0] if deaths else None
