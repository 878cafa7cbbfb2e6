"""The connection to the executors of a submission, one after the other.

The requests of collection, such as importing the submission, are recorded. They are replayed in
each new executor, so that the proxies that tests hold since then have their objects again.
"""

from __future__ import annotations

import marshal
import os
import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import PurePath
from typing import Any, Final, NamedTuple

from grader.errors import HostError, ProtocolError
from grader.protocol import NO_ROOM
from grader.sandbox.executor import Executor, ExecutorEnded, parsed
from grader.sandbox.program import Program
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.session_runs import executor_limits
from grader.suite.limits import Limits
from grader.verdict import Verdict

Message = dict[str, Any]
HOST: Final = "tests"
"""The name of this plug-in's host in an executor: see `grader.executor.hosts`."""


class SubmissionEnded(Exception):
    """The executor of the submission has ended."""

    def __init__(self, trouble: Trouble) -> None:
        """Keep the trouble that this is for the test."""
        super().__init__(trouble.message)
        self.trouble = trouble


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Why a test cannot pass, whatever it does itself."""

    verdict: Verdict
    message: str
    """One sentence."""
    evidence: str
    """The facts, for staff."""


# Imported ahead, such code would see an earlier time.
_TIME: Final = re.compile(r"^\s*(import|from)\b.*\b(time|datetime)\b", re.MULTILINE)
_MAX_EXCHANGED_BYTES: Final = 8 << 20
_HEADROOM: Final = 200
"""Stack frames for our own code, where a test is near its recursion limit."""
_MEANINGS: Final = {
    Verdict.TIMED_OUT: "the submission took too long",
    Verdict.EXITED: "the submission ended the program",
    Verdict.CRASHED: "the submission crashed the interpreter",
    Verdict.MEMORY: "the submission used too much memory",
    Verdict.OUTPUT: "the submission handed over too much",
    Verdict.FORBIDDEN: "the submission did something that is not allowed",
    Verdict.TAMPERED: "the submission interfered with the grader",
}


def trouble(verdict: Verdict, evidence: str) -> Trouble:
    """Return the trouble for a `verdict`, with the facts."""
    return Trouble(verdict=verdict, message=_MEANINGS[verdict], evidence=evidence)


class Link:
    """Sends messages to the current executor of the submission."""

    def __init__(self, sandbox: Sandbox, program: Program, limits: Limits) -> None:
        """Run `program` in executors of `sandbox`; the `limits` are per test.

        A program that imports `time` or `datetime` is not imported ahead of its test.
        """
        sources = program.sources.values()
        self._is_timeless: Final = not any(_TIME.search(text) for _, text in sources)
        self._sandbox: Final = sandbox
        self._program: Final = program
        self._limits: Final = limits
        self._current: _StartedExecutor | None = None
        self._next: _StartedExecutor | None = None
        self._needs_greeting = True
        self._end_s = 0.0
        self._ended: SubmissionEnded | None = None
        self._recorded: list[tuple[bytes, Message]] | None = []
        self._record: tuple[tuple[bytes, Message], ...] = ()
        self._exchanges: list[tuple[bytes, Message]] = []
        """The messages of the current executor, up to `_MAX_EXCHANGED_BYTES`."""
        self._exchanged_bytes = 0
        self._executor_limits: Final = executor_limits(limits, session_cpu_s=limits.session_cpu_s)

    @property
    def has_begun(self) -> bool:
        """Whether an executor has been started."""
        return self._current is not None

    @property
    def has_ended(self) -> bool:
        """Whether the executor has ended, so that no request can be sent."""
        return self._ended is not None

    def allow_time(self) -> None:
        """Restart the clock for one test."""
        self._end_s = time.monotonic() + self._limits.session_wall_s

    def _next_reply(self, replies: Iterator[bytes]) -> Message:
        """Return the next of `replies`; raises `SubmissionEnded`."""
        is_whole = False
        try:
            received = next(replies)
            reply = parsed(received)
            self._exchanged_bytes += len(received)
            is_whole = True
        except ExecutorEnded as ended:
            raise self._end_with(trouble(ended.verdict, ended.evidence)) from ended
        except ProtocolError as error:
            raise self._end_with(trouble(Verdict.TAMPERED, error.message)) from error
        finally:
            if not is_whole and self._ended is None:  # at Ctrl-C, say: the reply stays unread
                self._end_with(trouble(Verdict.EXITED, "interrupted"))
        if reply.get("too_long") is True:
            raise self._end_with(trouble(Verdict.OUTPUT, "more than one message takes"))
        return reply

    def exchange(self, message: Message) -> Message:
        """Send `message` and return the reply; raises `SubmissionEnded`."""
        if self._ended is not None:
            raise SubmissionEnded(self._ended.trouble)
        if self._current is None:
            self.restart()
        assert self._current is not None, "it has begun"
        request = marshal.dumps(
            {"host": HOST, "first": message} if self._needs_greeting else message
        )
        self._needs_greeting = False
        left_s = max(0.0, self._end_s - time.monotonic())
        replies = self._current.executor.replies(
            [(request, 1)], cpu_s=self._limits.cpu_s, wall_s=min(self._limits.wall_s, left_s)
        )
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(limit + _HEADROOM)
        try:
            reply = self._next_reply(replies)
        finally:
            sys.setrecursionlimit(limit)
        if self._recorded is not None:
            self._recorded.append((request, reply))
        elif (total_bytes := self._exchanged_bytes + len(request)) <= _MAX_EXCHANGED_BYTES:
            self._exchanged_bytes = total_bytes
            self._exchanges.append((request, reply))
        return reply

    def has_been_handed(self, path: str) -> bool:
        """Return whether tests named `path`, or a folder above it, before the submission did.

        Tests may merely return a path that the submission made up.
        """
        place = PurePath(os.path.normpath(path))
        names = {str(each) for each in (place, *place.parents)} - {"/", "."}  # all is below these
        for request, reply in chain(self._replayed(), self._exchanges):
            content = marshal.loads(request)  # noqa: S302 - our own bytes
            if any(os.path.normpath(text) in names for text in _texts(content)):
                return True
            if not _asks_for_a_file(reply) and any(path in text for text in _texts(reply)):
                return False
        return False

    def tampered(self, evidence: str) -> SubmissionEnded:
        """End the executor after an invalid message; return the exception to raise."""
        return self._end_with(trouble(Verdict.TAMPERED, evidence))

    def _end_with(self, cause: Trouble) -> SubmissionEnded:
        self._ended = SubmissionEnded(cause)
        if self._current is not None:
            self._current.executor.end()
        return self._ended

    # One executor after the other

    def mark(self) -> int:
        """Return the number of recorded messages."""
        return len(self._recorded or ())

    def drop_from(self, mark: int) -> None:
        """Drop the record since `mark`, which ended the executor."""
        del (self._recorded or [])[mark:]

    def keep_record(self) -> None:
        """End the recording; each new executor replays it."""
        self._record, self._recorded = tuple(self._recorded or ()), None

    def restart(self) -> None:
        """End the executor; start a fresh one, and replay the record in it.

        Raises `SubmissionEnded` if its replies differ from the recorded ones. The next executor is
        started ahead, so that its test waits less. See decision 67.
        """
        for _ in range(_TRIES):
            if self._current is not None:
                self._current.executor.end()
            self._ended = None
            self._exchanges, self._exchanged_bytes = [], 0
            self.allow_time()
            self._current, self._next = self._next or self._start_executor(ahead=False), None
            if self._is_as_before(self._current.replies):
                if self._recorded is None and self._is_timeless:
                    with suppress(ExecutorEnded, HostError):  # it is started again when needed
                        self._next = self._start_executor(ahead=True)
                return
        raise self._end_with(_NOT_THE_SAME)

    def _start_executor(self, *, ahead: bool) -> _StartedExecutor:
        executor = self._sandbox.fork(self._executor_limits)
        requests = [self._program.load_request(None), *(request for request, _ in self._replayed())]
        clocks = {"cpu_s": self._limits.cpu_s, "wall_s": self._limits.wall_s}
        # One that is started ahead waits for its test, however long that takes.
        if not ahead:
            clocks["session_wall_s"] = self._limits.session_wall_s
        ask = executor.send_ahead if ahead else executor.replies
        return _StartedExecutor(executor, ask([(each, 1) for each in requests], **clocks))

    def _is_as_before(self, replies: Iterator[bytes]) -> bool:
        """Return whether an executor replays the record with the same replies."""
        loaded = self._next_reply(replies)
        if loaded != NO_ROOM:
            self._program.take(loaded)
        record = self._replayed()
        self._needs_greeting = not record
        return all(_is_same(self._next_reply(replies), before) for _, before in record)

    def _replayed(self) -> Sequence[tuple[bytes, Message]]:
        return self._record if self._recorded is None else self._recorded

    def end(self) -> None:
        """End all executors."""
        for each in (self._current, self._next):
            if each is not None:
                each.executor.end()
        self._current = self._next = None


class _StartedExecutor(NamedTuple):
    """An executor, with an iterator of its replies to the program and the record."""

    executor: Executor
    replies: Iterator[bytes]


_TRIES: Final = 3
"""Attempts at a replay: a result that depends on the time may match at another one."""
_NOT_THE_SAME: Final = Trouble(
    verdict=Verdict.ERROR,
    message="the submission is not the same each time it is imported;"
    " try --fresh=session, so that it is imported once",
    evidence="another reply than at collection",
)


def _texts(message: Any) -> Iterator[str]:
    """Yield all strings in a message."""
    pending = [message]
    while pending:
        each = pending.pop()
        if type(each) is str:
            yield each
        elif type(each) is dict:
            pending += each.values()
        elif type(each) in {list, tuple}:
            pending += each


def _asks_for_a_file(message: Message) -> bool:
    content = message.get("ask")
    return type(content) is list and content[:1] == ["file"]


def _is_same(reply: Message, before: Message) -> bool:
    """Return whether two replies are equal, but for what was printed or logged."""
    names = (reply.keys() | before.keys()) - {"stdout", "stderr", "dropped", "logged"}
    return all(reply.get(name) == before.get(name) for name in names)
