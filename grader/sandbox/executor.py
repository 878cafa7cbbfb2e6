"""The judge's handle on an executor: send requests, watch the clocks, end it, see how it ended.

Nothing here trusts the other end. A request has a fresh nonce, and as many replies as it asks for.
A reply is read up to a cap, checked, and parsed as JSON, never unpickled. One clock measures how
long the executor has computed, where the system allows that from outside; the other how long it
has waited for anything but a processor, which does not depend on how busy the machine is.
"""

from __future__ import annotations

import json
import marshal
import math
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final, NoReturn, Protocol, Self

from grader.errors import ProtocolError
from grader.protocol import HEADER, MAX_REPLY_BYTES, NONCE_BYTES, pack_frame
from grader.sandbox.clocks import Measured, Passed, TimeLimits
from grader.sandbox.isolation import Isolation
from grader.verdict import Verdict

GRACE_S: Final = 1.0
"""How long an executor that has closed its channel may take to exit."""
_CHANNEL_BUFFER_BYTES: Final = 1 << 17
"""How much a channel buffers even while nobody reads."""
_BATCH_S: Final = 0.01
"""How long to wait for more replies before reading them: many sessions have ended by then."""
_NTSTATUS: Final = range(0x8000_0000, 0xF000_0000)
"""Exit codes of crashed processes on Windows, such as 0xC0000005. Higher ones are the small
negative numbers that a program may choose itself."""


_CRASH_SIGNALS: Final = ("SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT", "SIGTRAP")
_BY_SIGNAL: Final = {
    "SIGXCPU": (Verdict.TIMED_OUT, "CPU limit of the session"),
    "SIGSYS": (Verdict.FORBIDDEN, "a forbidden system call"),
    **{name: (Verdict.CRASHED, f"signal {name}") for name in _CRASH_SIGNALS},
}
"""Verdict and evidence for an executor that a signal of this name has ended."""


class ExecutorEnded(Exception):
    """The executor ended, or was ended, before it gave a valid reply."""

    def __init__(
        self, verdict: Verdict, evidence: str, *, by_clock: bool = False, idle: bool = False
    ) -> None:
        """Keep the verdict for the current step, and the evidence for staff.

        Also keep whether a clock ended the executor, and whether it was `idle`, not computing.
        """
        super().__init__(evidence)
        self.verdict = verdict
        self.evidence = evidence
        self.by_clock = by_clock
        self.idle = idle


class _Process(Measured, Protocol):
    """The process of an executor and the channel to it: all that differs between systems."""

    def send(self, data: bytes, wall_s: float) -> None:
        """Send all of `data`; raises `TimeoutError`, or `ConnectionError` if it has ended."""

    def has_sent(self, wait_s: float) -> bool:
        """Wait at most `wait_s`; return whether `receive` would return, or raise, at once."""

    def await_end(self, wait_s: float) -> None:
        """Wait at most `wait_s` for the other end to close the channel, or not at all."""

    def receive(self) -> bytes:
        """Return some received bytes; raises `ConnectionError` at the end of the stream."""

    def end(self) -> None:
        """Kill the process if it still runs, close the channel, and clean up."""

    def ending(self) -> int:
        """Return the exit code of a process that has closed its channel; kill it after `GRACE_S`.

        As in `subprocess`, it is minus the number of the signal that ended it, if one did.

        The wait is needed because a process killed while exiting would seem to have died of that.
        """


class Executor:
    """One executor; whatever happens, `end` it."""

    def __init__(self, process: _Process) -> None:
        """Communicate with the executor in `process`."""
        self._process: Final = process
        self._has_ended = False
        self._session = TimeLimits(process, math.inf, math.inf)
        self._buffer: Final = bytearray()
        """Received bytes that have not yet been returned as a reply."""
        self.received_bytes = 0
        """How many bytes it has sent; reading them costs the judge, not the submission."""
        self.cpu_s = 0.0
        """How much CPU time it had used when it ended, as far as that can be measured."""
        self.waited_s = 0.0
        """How long it had waited for a processor by then, as far as that can be measured."""

    def ask(self, request: dict[str, Any], *, cpu_s: float, wall_s: float) -> dict[str, Any]:
        """Return the one reply to `request`; see `replies`."""
        requests = [(marshal.dumps(request), 1)]
        (reply,) = self.replies(requests, cpu_s=cpu_s, wall_s=wall_s)
        return parsed(reply)

    def replies(
        self,
        requests: Sequence[tuple[bytes, int]],
        *,
        cpu_s: float,
        wall_s: float,
        session_wall_s: float = math.inf,
        steps_cpu_s: Sequence[float] | None = None,
        gathers: bool = True,
        goes_on: bool = False,
    ) -> Iterator[bytes]:
        """Yield the replies to `requests`, each given with the number of its replies.

        Each reply may take `cpu_s` and `wall_s` after the one before it, and all together
        `session_wall_s`, counting earlier ones if the session `goes_on`; the last replies may have
        their own `steps_cpu_s`. Small requests are sent together, which saves waking up more
        than once: only the last of them may run code of the submission, which could otherwise read
        those that follow. Large ones wait until the previous one has been answered, or both ends
        would wait for each other. `gathers` waits for many replies at once, if the executor closes
        its channel after the last one. Raises `ExecutorEnded` if there is no valid reply; then the
        executor has been ended.
        """
        clocks = cpu_s, steps_cpu_s or ()
        if not goes_on:
            self._session = TimeLimits(self._process, math.inf, session_wall_s)
        return chain.from_iterable(self._reply_batches(requests, clocks, wall_s, gathers=gathers))

    def send_ahead(
        self,
        requests: Sequence[tuple[bytes, int]],
        *,
        cpu_s: float,
        wall_s: float,
        session_wall_s: float = math.inf,
    ) -> Iterator[bytes]:
        """Send the `requests` that are sent together now; return an iterator over all `replies`."""
        self._session = TimeLimits(self._process, math.inf, session_wall_s)
        batches = self._reply_batches(requests, (cpu_s, ()), wall_s)
        next(batches)  # it sends them before its first batch, an empty one
        return chain.from_iterable(batches)

    def _reply_batches(
        self,
        requests: Sequence[tuple[bytes, int]],
        clocks: tuple[float, Sequence[float]],
        wall_s: float,
        *,
        gathers: bool = True,
    ) -> Iterator[Sequence[bytes]]:
        """Yield an empty batch once the first `requests` have been sent, then batches of replies.

        In a long session many replies have arrived by the time the next one is needed.
        """
        nonces = [os.urandom(NONCE_BYTES) for _ in requests]
        payloads, counts = zip(*requests, strict=True)
        sent = list(map(pack_frame, nonces, payloads))
        if sum(map(len, sent)) <= _CHANNEL_BUFFER_BYTES:
            sent = [b"".join(sent)]
        session = self._session
        cpu_s, steps_cpu_s = clocks
        replies_left = sum(counts)

        def start_clocks() -> TimeLimits:
            step_cpu_s = steps_cpu_s[-replies_left] if replies_left <= len(steps_cpu_s) else cpu_s
            left_s = wall_s if session.is_young() else session.idle_left_s()
            return TimeLimits(self._process, step_cpu_s, min(wall_s, left_s))

        try:
            for number, nonce in enumerate(nonces):
                if number < len(sent):
                    self._process.send(sent[number], wall_s)
                if not number:
                    yield ()
                has_many_replies = number >= len(sent) - 1 and sum(counts) > len(counts)
                batch_s = min(_BATCH_S, cpu_s, wall_s) if gathers and has_many_replies else 0.0
                yield [self._reply(nonce, start_clocks, batch_s)]  # the caller may stop after it
                replies_left -= 1
                later_replies = sum(counts[number + 1 :])
                while replies_left > later_replies:
                    replies = self._buffered_replies(nonce, replies_left - later_replies)
                    yield replies or [self._reply(nonce, start_clocks, batch_s)]
                    replies_left -= len(replies) or 1
        except TimeoutError as error:
            self.end()
            raise ExecutorEnded(
                Verdict.TIMED_OUT, "it took no requests", by_clock=True, idle=True
            ) from error
        except ProtocolError as error:
            self.end()
            raise ExecutorEnded(Verdict.TAMPERED, error.message) from error
        except ConnectionError as error:
            raise self._end_error() from error

    def _reply(self, nonce: bytes, start_clocks: Callable[[], TimeLimits], batch_s: float) -> bytes:
        """Return the payload of the next frame; raises `ProtocolError` for a wrong frame.

        Unless it has already arrived, wait `batch_s`, so that others arrive too, and then as long
        as the clocks allow that `start_clocks` starts.
        """
        buffer, length, deadline = self._buffer, None, None
        while length is None or len(buffer) < length:
            if length is None and len(buffer) >= HEADER.size:
                length = self._frame_length(buffer, nonce)
            else:
                if deadline is None:
                    self._process.await_end(batch_s)
                    deadline = start_clocks()
                buffer += self._read(deadline)
        # A slice of `buffer` itself would be one more copy.
        payload = bytes(memoryview(buffer)[HEADER.size : length])
        del buffer[:length]
        return payload

    def _buffered_replies(self, nonce: bytes, max_count: int) -> list[bytes]:
        """Return the payloads of complete frames in the buffer, up to a wrong or partial one."""
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
        length, echoed = HEADER.unpack_from(buffer)
        if echoed != nonce:
            raise ProtocolError("a reply to another request")
        if not NONCE_BYTES < length <= MAX_REPLY_BYTES:
            raise ProtocolError("a reply of an impossible length")
        return HEADER.size - NONCE_BYTES + int(length)

    def _read(self, deadline: TimeLimits) -> bytes:
        while not self._process.has_sent(deadline.patience_s()):
            self._check_clocks(deadline)
        data = self._process.receive()
        self.received_bytes += len(data)
        self._check_clocks(deadline)  # a reply that trickles in must not escape the clocks
        return data

    def _check_clocks(self, deadline: TimeLimits) -> None:
        """End the executor and raise `ExecutorEnded` if a clock has run out."""
        if (passed := deadline.passed()) is not None:
            self.end()
            is_idle = passed is Passed.WAITING
            raise ExecutorEnded(Verdict.TIMED_OUT, passed.value, by_clock=True, idle=is_idle)

    def surplus(self, *, cpu_s: float, wall_s: float) -> bool:
        """Wait until the channel is closed; return whether unrequested bytes came before that.

        It has to close it in time: otherwise a race would decide whether such bytes are noticed.
        Raises `ExecutorEnded`.
        """
        try:
            return bool(self._buffer or self._read(TimeLimits(self._process, cpu_s, wall_s)))
        except ConnectionError:
            return False

    def end(self) -> None:
        """Kill the executor if it still runs."""
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
        """Return the error for an executor that closed its channel, according to its exit code."""
        self._record_usage()
        code = self._process.ending()
        if code in _NTSTATUS:
            return ExecutorEnded(Verdict.CRASHED, f"exit code 0x{code:08X}")
        if code >= 0:
            return ExecutorEnded(Verdict.EXITED, f"exit code {code}")
        # Real-time signals have no name.
        name = next((each.name for each in signal.Signals if each == -code), str(-code))
        unknown = Verdict.CRASHED, f"channel closed, signal {name}"
        verdict, evidence = _BY_SIGNAL.get(name, unknown)
        return ExecutorEnded(verdict, evidence, by_clock=verdict is Verdict.TIMED_OUT)


def parsed(payload: bytes) -> dict[str, Any]:
    """Return the JSON object in `payload`, a reply; raises `ProtocolError`.

    If a key is duplicated, the last one counts. Shapes and sizes of the values are checked where
    they are decoded.
    """
    try:
        reply = _JSON.decode(payload.decode("ascii"))  # executors escape all other characters
    except (ValueError, RecursionError) as error:
        raise ProtocolError("a reply that is not JSON") from error
    if not isinstance(reply, dict):
        raise ProtocolError("a reply that is no object")
    return reply


def _refuse(number: str) -> NoReturn:
    raise ValueError(f"{number[:20]} in a reply")


_JSON: Final = json.JSONDecoder(parse_float=_refuse, parse_constant=_refuse)
"""Refuses floats, which are sent as text: so no number in a reply can be `NaN` or `1e999`."""


class Sandbox(Protocol):
    """A source of executors, for one thread at a time; a context manager that ends them all.

    On Linux it is a zygote, which forks isolated executors. Elsewhere each one is a fresh process
    without isolation.
    """

    @property
    def isolation(self) -> Isolation:
        """The isolation of its executors; raises `ZygoteError` if it cannot start any."""

    def fork(self, limits: Mapping[str, int]) -> Executor:
        """Return a fresh executor for one session within `limits`; raises `ZygoteError`."""

    def close(self) -> None:
        """End the sandbox, and the executors that still run."""

    def __enter__(self) -> Self:
        """Return the sandbox itself."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Close the sandbox."""
        self.close()
