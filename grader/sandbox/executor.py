"""The judge's handle on an executor: sends requests, watches the clocks, and ends the executor.

Nothing here trusts the other end. Each request has a fresh nonce and a fixed number of replies. A
reply is read up to a cap, checked, and parsed as JSON, never unpickled. One clock measures how much
CPU time the executor has used, where the system allows that from outside. The other measures how
long it has waited for anything but CPU, which does not depend on how busy the machine is.
"""

from __future__ import annotations

import json
import marshal
import math
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any, Final, NoReturn, Protocol, Self

from grader.errors import ProtocolError
from grader.protocol import HEADER, MAX_REPLY_BYTES, NONCE_BYTES, pack_frame
from grader.sandbox.clocks import ExpiredClock, MeasuredProcess, TimeLimits
from grader.sandbox.isolation import Isolation
from grader.verdict import Verdict

GRACE_S: Final = 1.0
"""How long an executor that has closed its channel is allowed to take to exit."""
_CHANNEL_BUFFER_BYTES: Final = 1 << 17
"""How much can be written to a channel while the other end is not reading."""
_BATCH_S: Final = 0.01
"""How long to wait for more replies before reading them; many sessions end within this time."""
_NTSTATUS: Final = range(0x8000_0000, 0xF000_0000)
"""Exit codes of crashed processes on Windows, such as 0xC0000005. Higher codes are small
negative numbers, which a program can choose itself."""


_CRASH_SIGNALS: Final = ("SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT", "SIGTRAP")
_ENDING_BY_SIGNAL: Final = {
    "SIGXCPU": (Verdict.TIMED_OUT, "CPU limit of the session"),
    "SIGSYS": (Verdict.FORBIDDEN, "a forbidden system call"),
    **{name: (Verdict.CRASHED, f"signal {name}") for name in _CRASH_SIGNALS},
}
"""Verdict and evidence for an executor that was ended by a signal, keyed by the signal's name."""


class ExecutorEnded(Exception):
    """The executor ended, or was killed by the judge, before it sent a valid reply."""

    def __init__(
        self, verdict: Verdict, evidence: str, *, by_clock: bool = False, idle: bool = False
    ) -> None:
        """Store the verdict on the current step and the evidence for staff.

        `by_clock` is whether a clock ended the executor, `idle` whether the executor was waiting
        at that time instead of computing.
        """
        super().__init__(evidence)
        self.verdict = verdict
        self.evidence = evidence
        self.by_clock = by_clock
        self.idle = idle


class _Process(MeasuredProcess, Protocol):
    """The process of an executor and the channel to it, which differ between systems."""

    def send(self, data: bytes, wall_s: float) -> None:
        """Send all of `data` within `wall_s`.

        Raises `TimeoutError`, or `ConnectionError` if the process has ended.
        """

    def has_sent(self, wait_s: float) -> bool:
        """Wait at most `wait_s`; return whether `receive` would now return or raise immediately."""

    def await_end(self, wait_s: float) -> None:
        """Wait at most `wait_s` for the other end to close the channel; can return at once."""

    def receive(self) -> bytes:
        """Return some received bytes; raises `ConnectionError` at the end of the stream."""

    def end(self) -> None:
        """Kill the process if it is still running, close the channel, and clean up."""

    def exit_code(self) -> int:
        """Return the exit code of a process that has closed its channel.

        Waits for the exit, and kills the process if it does not exit within `GRACE_S`. The wait is
        needed because a process killed while exiting would seem to have been ended by that signal.
        As in `subprocess`, the code is negative if a signal ended the process. Raises
        `ExecutorKilled` if another process has certainly sent that signal.
        """


class Executor:
    """One executor; its user must always call `end`."""

    def __init__(self, process: _Process) -> None:
        """Communicate with the executor in `process`."""
        self._process: Final = process
        self._has_ended = False
        self._session = TimeLimits(process, math.inf, math.inf)
        self._buffer: Final = bytearray()
        """Received bytes that have not yet been returned as a reply."""
        self.received_bytes = 0
        """How many bytes the executor has sent; reading them takes the judge's time, so callers
        limit them."""
        self.cpu_s = 0.0
        """The CPU time that the executor used until its end, or 0 where it cannot be measured."""
        self.waited_s = 0.0
        """How long it waited for CPU until its end, or 0 where that cannot be measured."""

    def request(self, request: dict[str, Any], *, cpu_s: float, wall_s: float) -> dict[str, Any]:
        """Send `request` and return its only reply, parsed.

        Raises `ExecutorEnded` if no valid reply arrives in time, `ExecutorKilled` if another
        process killed the executor, and `ProtocolError` if the reply is malformed.
        """
        requests = [(marshal.dumps(request), 1)]
        (reply,) = self.replies(requests, cpu_s=cpu_s, wall_s=wall_s)
        return parse_reply(reply)

    def replies(
        self,
        requests: Sequence[tuple[bytes, int]],
        *,
        cpu_s: float,
        wall_s: float,
        session_wall_s: float = math.inf,
        steps_cpu_s: Sequence[float] | None = None,
        gathers: bool = True,
        continues_session: bool = False,
    ) -> Iterator[bytes]:
        """Send `requests`, each paired with the number of its replies, and yield the replies.

        Each reply is allowed `cpu_s` and `wall_s` after the previous one. All replies together are
        allowed `session_wall_s`, which with `continues_session` includes earlier replies.
        `steps_cpu_s` replaces `cpu_s` for the last replies, with one entry for each of them.

        Small requests are sent together, so that the executor wakes up only once. Only the last of
        these requests is allowed to run code of the submission, as that code could read later ones.
        A large request is not sent until the previous one has been answered, or both ends could
        block on full buffers. With `gathers`, the judge waits for many replies at once, provided
        that the executor closes its channel after the last one. Raises `ExecutorEnded`, after
        ending the executor, if a valid reply is missing, and `ExecutorKilled` if that is because
        another process killed the executor.
        """
        cpu_limits = cpu_s, steps_cpu_s or ()
        if not continues_session:
            self._session = TimeLimits(self._process, math.inf, session_wall_s)
        return chain.from_iterable(
            self._reply_batches(requests, cpu_limits, wall_s, gathers=gathers)
        )

    def send_ahead(
        self,
        requests: Sequence[tuple[bytes, int]],
        *,
        cpu_s: float,
        wall_s: float,
        session_wall_s: float = math.inf,
    ) -> Iterator[bytes]:
        """Send the first of `requests` now, and return an iterator over all replies.

        Small requests are all sent at once. See `replies` for the parameters and exceptions.
        """
        self._session = TimeLimits(self._process, math.inf, session_wall_s)
        batches = self._reply_batches(requests, (cpu_s, ()), wall_s)
        next(batches)  # the requests are sent before the first batch, which is empty
        return chain.from_iterable(batches)

    def _reply_batches(
        self,
        requests: Sequence[tuple[bytes, int]],
        cpu_limits: tuple[float, Sequence[float]],
        wall_s: float,
        *,
        gathers: bool = True,
    ) -> Iterator[Sequence[bytes]]:
        """Yield an empty batch once the first of `requests` are sent, then batches of replies.

        Batches save work, as in a long session many replies arrive before the next one is needed.
        `cpu_limits` is the limit for each reply, and a list that overrides it for the last replies.
        """
        # A fresh nonce per request: code of the submission cannot answer a request in advance.
        nonces = [os.urandom(NONCE_BYTES) for _ in requests]
        payloads, counts = zip(*requests, strict=True)
        frames = list(map(pack_frame, nonces, payloads))
        if sum(map(len, frames)) <= _CHANNEL_BUFFER_BYTES:
            frames = [b"".join(frames)]
        session = self._session
        cpu_s, steps_cpu_s = cpu_limits
        replies_left = sum(counts)

        def start_clocks() -> TimeLimits:
            step_cpu_s = steps_cpu_s[-replies_left] if replies_left <= len(steps_cpu_s) else cpu_s
            left_s = wall_s if session.is_young() else session.idle_left_s()
            return TimeLimits(self._process, step_cpu_s, min(wall_s, left_s))

        with self._ending_on_failure():
            for index, nonce in enumerate(nonces):
                if index < len(frames):
                    self._process.send(frames[index], wall_s)
                if not index:
                    yield ()
                has_many_replies = index >= len(frames) - 1 and sum(counts) > len(counts)
                batch_s = min(_BATCH_S, cpu_s, wall_s) if gathers and has_many_replies else 0.0
                yield [self._reply(nonce, start_clocks, batch_s)]  # the caller can stop here
                replies_left -= 1
                later_replies = sum(counts[index + 1 :])
                while replies_left > later_replies:
                    replies = self._buffered_replies(nonce, replies_left - later_replies)
                    yield replies or [self._reply(nonce, start_clocks, batch_s)]
                    replies_left -= len(replies) or 1

    @contextmanager
    def _ending_on_failure(self) -> Iterator[None]:
        """End the executor and raise `ExecutorEnded` if communication fails during the block."""
        try:
            yield
        except TimeoutError as error:
            self.end()
            raise ExecutorEnded(
                Verdict.TIMED_OUT, "the executor did not read requests", by_clock=True, idle=True
            ) from error
        except ProtocolError as error:
            self.end()
            raise ExecutorEnded(Verdict.TAMPERED, error.message) from error
        except ConnectionError as error:
            raise self._end_error() from error

    def _reply(self, nonce: bytes, start_clocks: Callable[[], TimeLimits], batch_s: float) -> bytes:
        """Remove and return the payload of the next frame; raises `ProtocolError` if it is invalid.

        If the frame has not arrived yet, first wait `batch_s`, so that more frames arrive, and then
        as long as the clocks that `start_clocks` starts allow. Raises `ExecutorEnded` once one of
        these clocks has expired.
        """
        buffer, length, clocks = self._buffer, None, None
        while length is None or len(buffer) < length:
            if length is None and len(buffer) >= HEADER.size:
                length = self._frame_length(buffer, nonce)
            else:
                if clocks is None:
                    self._process.await_end(batch_s)
                    clocks = start_clocks()
                buffer += self._read(clocks)
        # A slice of `buffer` itself would be one more copy.
        payload = bytes(memoryview(buffer)[HEADER.size : length])
        del buffer[:length]
        return payload

    def _buffered_replies(self, nonce: bytes, max_count: int) -> list[bytes]:
        """Remove up to `max_count` complete frames from the buffer and return their payloads.

        Stop at a frame that is incomplete, invalid or without `nonce`; `_reply` deals with it.
        """
        data, payloads, start = bytes(self._buffer), list[bytes](), 0
        unpack, size = HEADER.unpack_from, len(data)
        while max_count and start + HEADER.size <= size:
            length, echoed = unpack(data, start)
            end = start + HEADER.size - NONCE_BYTES + length
            if echoed != nonce or not NONCE_BYTES < length <= MAX_REPLY_BYTES or end > size:
                break
            payloads.append(data[start + HEADER.size : end])
            start, max_count = end, max_count - 1
        del self._buffer[:start]
        return payloads

    def _frame_length(self, buffer: bytearray, nonce: bytes) -> int:
        """Return the length of the frame at the start of `buffer`, whose header has arrived.

        Raises `ProtocolError` if its length is impossible, or if it does not answer the request
        with `nonce`.
        """
        length, echoed = HEADER.unpack_from(buffer)
        if echoed != nonce:
            raise ProtocolError("a reply to another request")
        if not NONCE_BYTES < length <= MAX_REPLY_BYTES:
            raise ProtocolError("a reply of an impossible length")
        return HEADER.size - NONCE_BYTES + int(length)

    def _read(self, clocks: TimeLimits) -> bytes:
        """Wait for bytes and return them; raises `ExecutorEnded` once a clock has expired."""
        while not self._process.has_sent(clocks.patience_s()):
            self._check_clocks(clocks)
        data = self._process.receive()
        self.received_bytes += len(data)
        self._check_clocks(clocks)  # a reply that trickles in must not escape the clocks
        return data

    def _check_clocks(self, clocks: TimeLimits) -> None:
        """End the executor and raise `ExecutorEnded` if a clock has expired."""
        if (expired := clocks.expired_clock()) is not None:
            self.end()
            is_idle = expired is ExpiredClock.WAITING
            raise ExecutorEnded(Verdict.TIMED_OUT, expired.value, by_clock=True, idle=is_idle)

    def has_surplus(self, *, cpu_s: float, wall_s: float) -> bool:
        """Wait until the executor closes the channel; return whether it sent unrequested bytes.

        Raises `ExecutorEnded` if it does not close the channel in time. Without the wait, a race
        would decide whether unrequested bytes are noticed.
        """
        try:
            return bool(self._buffer or self._read(TimeLimits(self._process, cpu_s, wall_s)))
        except ConnectionError:
            return False

    def end(self) -> None:
        """Kill the executor if it is still running, after recording the time that it used."""
        if not self._has_ended:
            self._record_usage()
            self._process.end()

    def _record_usage(self) -> None:
        """Mark the executor as ended, and record the time that it used."""
        self._has_ended = True
        if self._process.measures_cpu:
            self.cpu_s = self._process.used_s()
        self.waited_s = self._process.waited_s() or 0.0

    def _end_error(self) -> ExecutorEnded:
        """Return the error for an executor that closed its channel, derived from its exit code.

        Also record the time that the executor used, and wait for its exit. Raises `ExecutorKilled`
        if another process killed it.
        """
        self._record_usage()  # first, because the clocks of a reaped process cannot be read
        code = self._process.exit_code()
        if code in _NTSTATUS:
            return ExecutorEnded(Verdict.CRASHED, f"exit code 0x{code:08X}")
        if code >= 0:
            return ExecutorEnded(Verdict.EXITED, f"exit code {code}")
        # Real-time signals have no name.
        name = next((member.name for member in signal.Signals if member == -code), str(-code))
        unknown = Verdict.CRASHED, f"channel closed, signal {name}"
        verdict, evidence = _ENDING_BY_SIGNAL.get(name, unknown)
        return ExecutorEnded(verdict, evidence, by_clock=verdict is Verdict.TIMED_OUT)


def parse_reply(payload: bytes) -> dict[str, Any]:
    """Return the JSON object in the reply `payload`; raises `ProtocolError` if there is none.

    If a key occurs more than once, its last value counts. The types and sizes of values are checked
    where the values are decoded.
    """
    try:
        reply = _JSON.decode(payload.decode("ascii"))  # executors escape all other characters
    except (ValueError, RecursionError) as error:
        raise ProtocolError("a reply that is not JSON") from error
    if not isinstance(reply, dict):
        raise ProtocolError("a reply that is not an object")
    return reply


def _refuse_number(number: str) -> NoReturn:
    """Raise `ValueError` for a float, `NaN` or `Infinity` in a reply."""
    raise ValueError(f"{number[:20]} in a reply")


_JSON: Final = json.JSONDecoder(parse_float=_refuse_number, parse_constant=_refuse_number)
"""Refuses floats, so that no number in a reply can be `NaN` or `1e999`; floats are sent as text."""


class Sandbox(Protocol):
    """A source of executors, for one thread at a time, and a context manager that ends them all.

    On Linux it is a zygote, which forks isolated executors. Elsewhere each executor is a fresh
    process without isolation.
    """

    @property
    def isolation(self) -> Isolation:
        """The isolation of the executors; raises `ZygoteError` if none can be started."""

    def fork(self, limits: Mapping[str, int]) -> Executor:
        """Return a fresh executor for one session within `limits`.

        Raises `ZygoteError` if no executor can be started.
        """

    def close(self) -> None:
        """End the sandbox and all executors that are still running."""

    def __enter__(self) -> Self:
        """Return the sandbox itself."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Close the sandbox."""
        self.close()
