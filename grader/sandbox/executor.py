"""The judge's handle on an executor: ask, watch the clocks, end it, find out how it ended.

Nothing here trusts the other end. A request has a fresh nonce, and as many replies as it asks for.
A reply is read up to a cap, checked, and parsed as JSON, never unpickled. One clock tells how long
it has computed, where the system tells that from outside; the other how long it has waited for
something else than a processor, which a busy machine does not change.
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
"""How long an executor that has closed its channel may take to end by itself."""
_TOGETHER_BYTES: Final = 1 << 17
"""So much a channel takes whoever reads it."""
_GATHERING_S: Final = 0.01
"""How long replies may lie before they are read: many sessions are at their end by then."""
_NTSTATUS: Final = range(0x8000_0000, 0xF000_0000)
"""Exit codes by which Windows says what a process died of, such as 0xC0000005. Beyond them lie the
small negative numbers that a program may choose itself."""


_CRASH_SIGNALS: Final = ("SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT", "SIGTRAP")
_MEANINGS: Final = {
    "SIGXCPU": (Verdict.TIMED_OUT, "CPU limit of the session"),
    "SIGSYS": (Verdict.FORBIDDEN, "a forbidden system call"),
    **{name: (Verdict.CRASHED, f"signal {name}") for name in _CRASH_SIGNALS},
}
"""What it means that a signal of this name has ended an executor, and the facts for staff."""


class ExecutorEnded(Exception):
    """The executor ended, or was ended, before it gave a valid reply."""

    def __init__(
        self, verdict: Verdict, evidence: str, *, by_clock: bool = False, idle: bool = False
    ) -> None:
        """Keep what this makes of the step under way, and the facts for staff.

        Those are whether a clock ended it, and whether it was `idle` instead of computing.
        """
        super().__init__(evidence)
        self.verdict = verdict
        self.evidence = evidence
        self.by_clock = by_clock
        self.idle = idle


class _Process(Measured, Protocol):
    """What an executor runs in, and the channel to it: all that kinds of executors differ in."""

    def send(self, data: bytes, wall_s: float) -> None:
        """Send all of `data`; raises `TimeoutError`, or `ConnectionError` when nobody listens."""

    def has_sent(self, wait_s: float) -> bool:
        """Wait at most `wait_s`; return whether `receive` has something to return, or its end."""

    def await_end(self, wait_s: float) -> None:
        """Wait at most `wait_s` for the end of what comes in; or not at all."""

    def receive(self) -> bytes:
        """Return some of what came in; raises `ConnectionError` after the last of it."""

    def end(self) -> None:
        """Kill it if it still runs, close the channel, and leave nothing of it behind."""

    def ending(self) -> int:
        """Return how it ended, which the channel has shown; after `GRACE_S` it is killed.

        Like that of `subprocess`: minus the number of the signal that ended it, if one did.

        Killed on its way out, a process would seem to have died of that. Whoever closes the channel
        and goes on is killed all the same.
        """


class Executor:
    """One executor; ask it, then `end` it, always."""

    def __init__(self, process: _Process) -> None:
        """Talk to the executor in `process`."""
        self._process: Final = process
        self._gone = False
        self._session = TimeLimits(process, math.inf, math.inf)
        self._buffer: Final = bytearray()
        """What has come in and is no whole frame yet, or one that is yet to be asked for."""
        self.received_bytes = 0
        """How much has come back; reading it costs the judge, not the submission."""
        self.cpu_s = 0.0
        """How much computing time it had used when it ended, as far as that can be measured."""
        self.waited_s = 0.0
        """How long others had kept it from computing by then, as far as that can be measured."""

    def ask(self, request: dict[str, Any], *, cpu_s: float, wall_s: float) -> dict[str, Any]:
        """Return the one reply to `request`; see `replies`."""
        asked = [(marshal.dumps(request), 1)]
        (reply,) = self.replies(asked, cpu_s=cpu_s, wall_s=wall_s)
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
        """Yield the replies to `requests`, of which each comes with the number of its replies.

        Each reply may take `cpu_s` and `wall_s` from the one before it, and all of them together
        `session_wall_s`, also with those before them if that session `goes_on`; the last ones may
        take `steps_cpu_s` of their own. Small requests are sent
        together, which saves waking up more than once: code of the submission may run in the last
        of them only, as earlier on it could read those that follow. Large ones wait until the one
        before has been answered, or both ends would wait for each other. Where the executor hangs
        up behind the last reply, many are awaited together: it `gathers`. Raises `ExecutorEnded`
        instead of a reply that does not come in a valid frame; then the executor is gone.
        """
        clocks = cpu_s, steps_cpu_s or ()
        if not goes_on:
            self._session = TimeLimits(self._process, math.inf, session_wall_s)
        return chain.from_iterable(self._answered(requests, clocks, wall_s, gathers=gathers))

    def send_ahead(
        self,
        requests: Sequence[tuple[bytes, int]],
        *,
        cpu_s: float,
        wall_s: float,
        session_wall_s: float = math.inf,
    ) -> Iterator[bytes]:
        """Send what goes together of `requests` at once; return what yields their `replies`."""
        self._session = TimeLimits(self._process, math.inf, session_wall_s)
        answered = self._answered(requests, (cpu_s, ()), wall_s)
        next(answered)
        return chain.from_iterable(answered)

    def _answered(
        self,
        requests: Sequence[tuple[bytes, int]],
        clocks: tuple[float, Sequence[float]],
        wall_s: float,
        *,
        gathers: bool = True,
    ) -> Iterator[Sequence[bytes]]:
        """Yield nothing once the first of `requests` have been sent, and then replies as they come.

        Those of a long session mostly lie there by the time that one of them is wanted.
        """
        nonces = [os.urandom(NONCE_BYTES) for _ in requests]
        asked, counts = zip(*requests, strict=True)
        sent = list(map(pack_frame, nonces, asked))
        if sum(map(len, sent)) <= _TOGETHER_BYTES:
            sent = [b"".join(sent)]
        whole = self._session
        cpu_s, steps_cpu_s = clocks
        left = sum(counts)

        def begin() -> TimeLimits:
            step_cpu_s = steps_cpu_s[-left] if left <= len(steps_cpu_s) else cpu_s
            left_s = wall_s if whole.is_young() else whole.idle_left_s()
            return TimeLimits(self._process, step_cpu_s, min(wall_s, left_s))

        try:
            for number, nonce in enumerate(nonces):
                if number < len(sent):
                    self._process.send(sent[number], wall_s)
                if not number:
                    yield ()
                are_many = number >= len(sent) - 1 and sum(counts) > len(counts)
                gathering_s = min(_GATHERING_S, cpu_s, wall_s) if gathers and are_many else 0.0
                yield [self._reply(nonce, begin, gathering_s)]  # after it no other may be wanted
                left -= 1
                behind = sum(counts[number + 1 :])
                while left > behind:
                    replies = self._whole_replies(nonce, left - behind)
                    yield replies or [self._reply(nonce, begin, gathering_s)]
                    left -= len(replies) or 1
        except TimeoutError as error:
            self.end()
            raise ExecutorEnded(
                Verdict.TIMED_OUT, "it took no requests", by_clock=True, idle=True
            ) from error
        except ProtocolError as error:
            self.end()
            raise ExecutorEnded(Verdict.TAMPERED, error.message) from error
        except ConnectionError as error:
            raise self._ended() from error

    def _reply(self, nonce: bytes, begin: Callable[[], TimeLimits], gathering_s: float) -> bytes:
        """Return the payload of the next frame; raises `ProtocolError` for any other than due.

        Unless it has come in already, it has `gathering_s`, in which others can join it, and then
        the time on the clocks that `begin` starts.
        """
        buffer, length, deadline = self._buffer, None, None
        while length is None or len(buffer) < length:
            if length is None and len(buffer) >= HEADER.size:
                length = self._frame_length(buffer, nonce)
            else:
                if deadline is None:
                    self._process.await_end(gathering_s)
                    deadline = begin()
                buffer += self._read(deadline)
        payload = bytes(memoryview(buffer)[HEADER.size : length])
        del buffer[:length]
        return payload

    def _whole_replies(self, nonce: bytes, most: int) -> list[bytes]:
        """Return the payloads of frames that have come in whole, up to one that is not due."""
        data, payloads, start = bytes(self._buffer), list[bytes](), 0
        unpack, size = HEADER.unpack_from, len(data)
        while most and start + HEADER.size <= size:
            length, echoed = unpack(data, start)
            end = start + HEADER.size - NONCE_BYTES + length
            if echoed != nonce or not NONCE_BYTES < length <= MAX_REPLY_BYTES or end > size:
                break
            payloads.append(data[start + HEADER.size : end])
            start, most = end, most - 1
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
            self._check(deadline)
        data = self._process.receive()
        self.received_bytes += len(data)
        self._check(deadline)  # a reply that comes in drops is late, too
        return data

    def _check(self, deadline: TimeLimits) -> None:
        """Raise `ExecutorEnded`, after ending the executor, when a clock has run out."""
        if (passed := deadline.passed()) is not None:
            self.end()
            is_idle = passed is Passed.WAITING
            raise ExecutorEnded(Verdict.TIMED_OUT, passed.value, by_clock=True, idle=is_idle)

    def surplus(self, *, cpu_s: float, wall_s: float) -> bool:
        """Return whether it sends bytes that nobody asked for before it hangs up.

        It has to hang up in time, as it has to answer: else whether it is found out would be a
        matter of who is faster. Raises `ExecutorEnded`.
        """
        try:
            return bool(self._buffer or self._read(TimeLimits(self._process, cpu_s, wall_s)))
        except ConnectionError:
            return False

    def end(self) -> None:
        """Kill the executor if it still runs."""
        if not self._gone:
            self._leave()
            self._process.end()

    def _leave(self) -> None:
        self._gone = True
        if self._process.measures_cpu:
            self.cpu_s = self._process.used_s()
        self.waited_s = self._process.waited_s() or 0.0

    def _ended(self) -> ExecutorEnded:
        """Tell what its end, which the channel has shown, means."""
        self._leave()
        code = self._process.ending()
        if code in _NTSTATUS:
            return ExecutorEnded(Verdict.CRASHED, f"exit code 0x{code:08X}")
        if code >= 0:
            return ExecutorEnded(Verdict.EXITED, f"exit code {code}")
        name = next((each.name for each in signal.Signals if each == -code), str(-code))
        unknown = Verdict.CRASHED, f"channel closed, signal {name}"
        verdict, evidence = _MEANINGS.get(name, unknown)
        return ExecutorEnded(verdict, evidence, by_clock=verdict is Verdict.TIMED_OUT)


def parsed(payload: bytes) -> dict[str, Any]:
    """Return the object that `payload`, a reply, is; raises `ProtocolError`.

    How it is spelt does not matter: of a key given twice the last counts. The values in it have
    their shapes and sizes checked where they are decoded.
    """
    try:
        reply = _JSON.decode(payload.decode("ascii"))
    except (ValueError, RecursionError) as error:
        raise ProtocolError("a reply that is not JSON") from error
    if not isinstance(reply, dict):
        raise ProtocolError("a reply that is no object")
    return reply


def _refuse(number: str) -> NoReturn:
    raise ValueError(f"{number[:20]} in a reply")


_JSON: Final = json.JSONDecoder(parse_float=_refuse, parse_constant=_refuse)
"""Floats travel as text: nobody has to think of `NaN` and `1e999` where a number is expected."""


class Sandbox(Protocol):
    """Gives executors, to one thread at a time; a context manager that ends what is left of them.

    On Linux it is a zygote, which forks them behind its walls. Elsewhere each one is a fresh
    process, with no wall around it.
    """

    @property
    def isolation(self) -> Isolation:
        """What its executors are held by; raises `ZygoteError` when it cannot give any."""

    def fork(self, limits: Mapping[str, int]) -> Executor:
        """Return a fresh executor for one session within `limits`; raises `ZygoteError`."""

    def close(self) -> None:
        """End it, and whatever it still has for executors."""

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Close it."""
        self.close()
