"""The judge's handle on one executor: ask, watch the clocks, end it, find out how it ended.

Nothing here trusts the other end. A request has a fresh nonce and exactly one reply; a reply is
read up to a cap, checked, and parsed as JSON, never unpickled. The limit that counts is CPU time,
read on the executor's own CPU clock from outside, so that a busy machine fails nobody; the clock
on the wall is a generous second limit for code that sleeps.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from grader.errors import ProtocolError
from grader.protocol import HEADER, MAX_REPLY_BYTES, NONCE_BYTES, pack_frame
from grader.verdict import Verdict

_READ_BYTES: Final = 1 << 18
_GRACE_MS: Final = 1_000
_CRASH_SIGNALS: Final = frozenset(
    {signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGABRT, signal.SIGTRAP}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How an executor ended: its wait status and its peak memory."""

    status: int
    peak_kib: int


class ExecutorEnded(Exception):
    """The executor ended, or was ended, before it gave a valid reply."""

    def __init__(self, verdict: Verdict, evidence: str, *, doubtful: bool = False) -> None:
        """Keep what this makes of the step under way, and the facts for staff.

        `doubtful` marks a limit of the clock on the wall, which a busy machine can bring about.
        """
        super().__init__(evidence)
        self.verdict = verdict
        self.evidence = evidence
        self.doubtful = doubtful


def kill(pid: int) -> None:
    """Kill executor `pid`; it may be gone already when its zygote is."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


class Executor:
    """One forked executor; ask it, then `end` it, always."""

    def __init__(
        self,
        *,
        pid: int,
        channel: socket.socket,
        reap: Callable[[int], Ending],
        dismiss: Callable[[int], None],
    ) -> None:
        """Talk to `pid` over `channel`; `reap` and `dismiss` have the zygote wait for its end."""
        self.pid: Final = pid
        self._dismiss: Final = dismiss
        self._channel: Final = channel
        self._reap: Final = reap
        self._cpu_clock: Final = (~pid << 3) | 2  # the kernel's clock id for a process's CPU time
        self._gone = False
        self.received_bytes = 0
        """How much has come back; reading it costs the judge, not the submission."""
        self._poll: Final = select.poll()
        self._poll.register(channel, select.POLLIN)

    def ask(self, request: dict[str, Any], *, cpu_s: float, wall_s: float) -> dict[str, Any]:
        """Return the reply to `request`; see `ask_encoded`."""
        return self.ask_encoded(json.dumps(request).encode(), cpu_s=cpu_s, wall_s=wall_s)

    def ask_encoded(self, request: bytes, *, cpu_s: float, wall_s: float) -> dict[str, Any]:
        """Return the reply to `request`, JSON; see `ask_in_a_row`."""
        (reply,) = self.ask_in_a_row([request], cpu_s=cpu_s, wall_s=wall_s)
        return reply

    def ask_in_a_row(
        self, requests: Sequence[bytes], *, cpu_s: float, wall_s: float
    ) -> list[dict[str, Any]]:
        """Return the replies to `requests`, JSON; raises `ExecutorEnded` for an invalid one.

        They are sent together, which saves waking up twice. Code of the submission may run in the
        last of them only: earlier on it could read the requests that follow. After
        `ExecutorEnded` the executor is gone.
        """
        nonces = [os.urandom(NONCE_BYTES) for _ in requests]
        deadline = _Deadline(self, cpu_s, wall_s)
        try:
            self._channel.settimeout(wall_s)
            self._channel.sendall(b"".join(map(pack_frame, nonces, requests)))
            return list(self._replies(nonces, deadline))
        except TimeoutError as error:
            self.end()
            raise ExecutorEnded(Verdict.TIMED_OUT, "it took no requests", doubtful=True) from error
        except ProtocolError as error:
            self.end()
            raise ExecutorEnded(Verdict.TAMPERED, error.message) from error
        except ConnectionError as error:
            raise self._ended() from error

    def _replies(self, nonces: Sequence[bytes], deadline: _Deadline) -> Iterator[dict[str, Any]]:
        buffer = bytearray()
        for nonce in nonces:
            length = None
            while length is None or len(buffer) < length:
                if length is None and len(buffer) >= HEADER.size:
                    length = self._frame_length(buffer, nonce)
                else:
                    buffer += self._read(deadline)
            yield _parsed(buffer[HEADER.size : length])
            del buffer[:length]
        if buffer:
            raise ProtocolError("surplus bytes after a reply")

    def _frame_length(self, buffer: bytearray, nonce: bytes) -> int:
        length, echoed = HEADER.unpack_from(buffer)
        if echoed != nonce:
            raise ProtocolError("a reply to another request")
        if not NONCE_BYTES < length <= MAX_REPLY_BYTES:
            raise ProtocolError("a reply of an impossible length")
        return HEADER.size - NONCE_BYTES + int(length)

    def _read(self, deadline: _Deadline) -> bytes:
        while not self._poll.poll(deadline.patience_ms()):
            deadline.check()
        data = self._channel.recv(_READ_BYTES)
        if not data:
            raise ConnectionResetError
        self.received_bytes += len(data)
        deadline.check()  # a reply that comes in drops is late, too
        return data

    def surplus(self) -> bool:
        """Return whether bytes lie in the channel that nobody asked for."""
        return bool(self._poll.poll(0))

    def cpu_s(self) -> float:
        """Return the CPU seconds that the executor has used since its fork."""
        try:
            return time.clock_gettime(self._cpu_clock)
        except OSError:  # it has ended; the channel will say so
            return 0.0

    def end(self) -> None:
        """Kill the executor if it still runs, and have it reaped in its own time."""
        if not self._gone:
            self._gone = True
            # Not reaped yet, so the pid cannot belong to anybody else.
            kill(self.pid)
            self._channel.close()
            self._dismiss(self.pid)

    def _reaped(self) -> Ending:
        """Kill the executor if it still runs, and return how it ended."""
        self._gone = True
        kill(self.pid)
        self._channel.close()
        return self._reap(self.pid)

    def _let_end(self) -> None:
        """Wait a moment: killed on its way out, an executor would seem to have died of that.

        Whoever closes the channel and goes on is killed all the same.
        """
        with suppress(AttributeError, OSError):  # not on every system
            process = os.pidfd_open(self.pid)
            try:
                end = select.poll()
                end.register(process, select.POLLIN)
                end.poll(_GRACE_MS)
            finally:
                os.close(process)

    def _ended(self) -> ExecutorEnded:
        """Tell what its end, which the channel has shown, means."""
        self._let_end()
        status = self._reaped().status
        if os.WIFEXITED(status):
            return ExecutorEnded(Verdict.EXITED, f"exit code {os.WEXITSTATUS(status)}")
        number = os.WTERMSIG(status)
        name = signal.Signals(number).name if number in signal.valid_signals() else str(number)
        if number in _CRASH_SIGNALS:
            return ExecutorEnded(Verdict.CRASHED, f"signal {name}")
        if number == signal.SIGXCPU:
            return ExecutorEnded(Verdict.TIMED_OUT, "CPU limit of the session")
        if number == signal.SIGSYS:
            return ExecutorEnded(Verdict.FORBIDDEN, "a forbidden system call")
        return ExecutorEnded(Verdict.CRASHED, f"channel closed, signal {name}")


def _parsed(payload: bytearray) -> dict[str, Any]:
    try:
        reply = json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise ProtocolError("a reply that is not JSON") from error
    if not isinstance(reply, dict):
        raise ProtocolError("a reply that is no object")
    return reply


class _Deadline:
    """The two clocks of one request."""

    def __init__(self, executor: Executor, cpu_s: float, wall_s: float) -> None:
        self._executor = executor
        self._cpu_end_s = executor.cpu_s() + cpu_s
        self._wall_end_s = time.monotonic() + wall_s

    def patience_ms(self) -> float:
        """Return how long it is safe to sleep: one thread uses CPU no faster than time passes."""
        cpu_left_s = self._cpu_end_s - self._executor.cpu_s()
        wall_left_s = self._wall_end_s - time.monotonic()
        return max(1.0, 1000 * min(cpu_left_s, wall_left_s))

    def check(self) -> None:
        """Raise `ExecutorEnded`, after ending the executor, when a clock has run out."""
        used_s = self._executor.cpu_s()
        if used_s >= self._cpu_end_s:
            self._executor.end()
            raise ExecutorEnded(Verdict.TIMED_OUT, "CPU limit of the step")
        if time.monotonic() >= self._wall_end_s:
            self._executor.end()
            raise ExecutorEnded(Verdict.TIMED_OUT, "clock on the wall", doubtful=True)
