"""The connection to the executors of a submission, of which one is used at a time.

Requests during collection, such as importing the submission, are recorded. They are replayed in
each new executor, so that proxies which tests keep from collection refer to objects in it, too.
"""

from __future__ import annotations

import marshal
import os
import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import PurePath
from typing import Any, Final, NamedTuple

from grader.errors import HostError, ProtocolError
from grader.plugins.own_tests.proxying.troubles import Trouble, trouble_for
from grader.protocol import NO_ROOM
from grader.sandbox.executor import Executor, ExecutorEnded, parse_reply
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
        """Store the trouble with which the current test fails."""
        super().__init__(trouble.message)
        self.trouble = trouble


# Code that reads the clock must not be imported before its test starts.
_IMPORTS_CLOCK: Final = re.compile(r"^\s*(import|from)\b.*\b(time|datetime)\b", re.MULTILINE)
_MAX_EXCHANGED_BYTES: Final = 8 << 20
"""The limit on the messages of a test that are kept, as a test can exchange any number of them."""
_HEADROOM: Final = 200
"""Extra stack frames for the grader's code, for when a test is near its recursion limit."""


class Link:
    """Sends messages to the current executor of the submission."""

    def __init__(self, sandbox: Sandbox, program: Program, limits: Limits) -> None:
        """Run `program` in executors of `sandbox`; the `limits` apply to each test.

        A program that imports `time` or `datetime` is not loaded before its test starts.
        """
        sources = program.sources.values()
        self._ignores_time: Final = not any(_IMPORTS_CLOCK.search(text) for _, text in sources)
        self._sandbox: Final = sandbox
        self._program: Final = program
        self._limits: Final = limits
        self._current: _StartedExecutor | None = None
        self._next: _StartedExecutor | None = None
        """An executor that was started ahead, or None."""
        self._needs_greeting = True
        """Whether the next request is the first one to its executor, and has to name the host."""
        self._deadline_s = 0.0
        self._ended: SubmissionEnded | None = None
        """Why the current executor has ended, or None if it has not."""
        self._recording: list[tuple[bytes, Message]] | None = []
        """The messages so far if the collection still goes on, else None."""
        self._record: tuple[tuple[bytes, Message], ...] = ()
        """All messages of the collection, once it is over."""
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

    def restart_clock(self) -> None:
        """Restart the wall clock for the next test."""
        self._deadline_s = time.monotonic() + self._limits.session_wall_s

    def _next_reply(self, replies: Iterator[bytes]) -> Message:
        """Return the next of `replies`, and count its bytes.

        If it is missing, invalid or too long, stops the executor and raises `SubmissionEnded`.
        """
        is_complete = False
        try:
            received = next(replies)
            reply = parse_reply(received)
            self._exchanged_bytes += len(received)
            is_complete = True
        except ExecutorEnded as ended:
            raise self._end_with(trouble_for(ended.verdict, ended.evidence)) from ended
        except ProtocolError as error:
            raise self._end_with(trouble_for(Verdict.TAMPERED, error.message)) from error
        finally:
            # After Ctrl-C, for example, the reply is still unread.
            if not is_complete and self._ended is None:
                self._end_with(trouble_for(Verdict.EXITED, "interrupted"))
        if reply.get("too_long") is True:
            raise self._end_with(
                trouble_for(Verdict.OUTPUT, "its reply exceeds the size limit of a message")
            )
        return reply

    def exchange(self, message: Message) -> Message:
        """Send `message` and return the reply; raises `SubmissionEnded` if the executor ends.

        Starts an executor if there is none. Records both messages: during collection for later
        replays, and afterwards for `was_passed_by_tests`, as long as they are not too large.
        """
        if self._ended is not None:
            raise SubmissionEnded(self._ended.trouble)
        if self._current is None:
            self.restart()
        assert self._current is not None, "restart() has started an executor"
        request = marshal.dumps(
            {"host": HOST, "first": message} if self._needs_greeting else message
        )
        self._needs_greeting = False
        remaining_s = max(0.0, self._deadline_s - time.monotonic())
        replies = self._current.executor.replies(
            [(request, 1)], cpu_s=self._limits.cpu_s, wall_s=min(self._limits.wall_s, remaining_s)
        )
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(limit + _HEADROOM)
        try:
            reply = self._next_reply(replies)
        finally:
            sys.setrecursionlimit(limit)
        if self._recording is not None:
            self._recording.append((request, reply))
        elif (total_bytes := self._exchanged_bytes + len(request)) <= _MAX_EXCHANGED_BYTES:
            self._exchanged_bytes = total_bytes
            self._exchanges.append((request, reply))
        return reply

    def was_passed_by_tests(self, path: str) -> bool:
        """Return whether tests named `path`, or a folder above it, before the submission did.

        If the submission named it first, a test may merely have passed back a path that the
        submission made up.
        """
        normalised = PurePath(os.path.normpath(path))
        # Every path is below one of these two, so a test that names one shares nothing.
        names = {str(folder) for folder in (normalised, *normalised.parents)} - {"/", "."}
        for request, reply in chain(self._record_to_replay(), self._exchanges):
            content = marshal.loads(request)  # noqa: S302 - our own bytes
            if any(os.path.normpath(text) in names for text in _strings_in(content)):
                return True
            if not _requests_file(reply) and any(path in text for text in _strings_in(reply)):
                return False
        return False

    def end_as_tampered(self, evidence: str) -> SubmissionEnded:
        """Stop the executor after an invalid message, and return the exception to raise."""
        return self._end_with(trouble_for(Verdict.TAMPERED, evidence))

    def _end_with(self, cause: Trouble) -> SubmissionEnded:
        """Stop the executor because of `cause`, and return the exception to raise."""
        self._ended = SubmissionEnded(cause)
        if self._current is not None:
            self._current.executor.end()
        return self._ended

    # Replacing the executor

    def mark(self) -> int:
        """Return the number of exchanges recorded so far, as an argument for `drop_from`."""
        return len(self._recording or ())

    def drop_from(self, mark: int) -> None:
        """Drop the exchanges recorded since `mark`, because one of them ended the executor."""
        del (self._recording or [])[mark:]

    def keep_record(self) -> None:
        """Stop recording; each new executor replays the record."""
        self._record, self._recording = tuple(self._recording or ()), None

    def restart(self) -> None:
        """Replace the executor with a fresh one, and replay the record in it.

        Raises `SubmissionEnded` if the executor ends, or if its replies keep differing from the
        recorded ones. After collection, also starts an executor ahead, so that the next test waits
        less, unless the program reads the clock: see decision 67.
        """
        for _ in range(_REPLAY_ATTEMPTS):
            if self._current is not None:
                self._current.executor.end()
            self._ended = None
            self._exchanges, self._exchanged_bytes = [], 0
            self.restart_clock()
            self._current, self._next = self._next or self._start_executor(ahead=False), None
            if self._replays_equally(self._current.replies):
                if self._recording is None and self._ignores_time:
                    with suppress(ExecutorEnded, HostError):  # the next restart starts one instead
                        self._next = self._start_executor(ahead=True)
                return
        raise self._end_with(_IMPORT_DIFFERS)

    def _start_executor(self, *, ahead: bool) -> _StartedExecutor:
        """Start an executor, and send it the program and the record.

        If it is started `ahead`, its session has no wall clock limit.
        """
        executor = self._sandbox.fork(self._executor_limits)
        requests = [
            self._program.load_request(None),
            *(request for request, _ in self._record_to_replay()),
        ]
        clocks = {"cpu_s": self._limits.cpu_s, "wall_s": self._limits.wall_s}
        # An executor that is started ahead can wait any length of time for its test.
        if not ahead:
            clocks["session_wall_s"] = self._limits.session_wall_s
        send = executor.send_ahead if ahead else executor.replies
        return _StartedExecutor(executor, send([(request, 1) for request in requests], **clocks))

    def _replays_equally(self, replies: Iterator[bytes]) -> bool:
        """Return whether an executor replays the record with the same replies as before.

        Also stores what the executor reports about loading the program. Raises `SubmissionEnded` if
        the executor ends.
        """
        loaded = self._next_reply(replies)
        if loaded != NO_ROOM:
            self._program.store_reply(loaded)
        record = self._record_to_replay()
        self._needs_greeting = not record
        return all(
            _is_same_reply(self._next_reply(replies), recorded_reply)
            for _, recorded_reply in record
        )

    def _record_to_replay(self) -> Sequence[tuple[bytes, Message]]:
        return self._record if self._recording is None else self._recording

    def end(self) -> None:
        """Stop all executors."""
        for started in (self._current, self._next):
            if started is not None:
                started.executor.end()
        self._current = self._next = None


class _StartedExecutor(NamedTuple):
    """An executor, with an iterator of its replies to the program and the record."""

    executor: Executor
    replies: Iterator[bytes]


_REPLAY_ATTEMPTS: Final = 3
"""A reply that depends on the time or on chance may equal the recorded one at another attempt."""
_IMPORT_DIFFERS: Final = Trouble(
    verdict=Verdict.ERROR,
    message="importing the submission gives different results each time;"
    " use --fresh=session, so that it is imported only once",
    evidence="a reply differs from the one during collection",
)


def _strings_in(message: Any) -> Iterator[str]:
    """Yield all strings in a message, at any depth."""
    pending = [message]
    while pending:
        item = pending.pop()
        if type(item) is str:
            yield item
        elif type(item) is dict:
            pending += item.values()
        elif type(item) in {list, tuple}:
            pending += item


def _requests_file(message: Message) -> bool:
    """Return whether `message` is a request of the submission for a file."""
    request = message.get("ask")
    return type(request) is list and request[:1] == ["file"]


def _is_same_reply(reply: Message, recorded_reply: Message) -> bool:
    """Return whether two replies are equal, apart from what was printed or logged."""
    keys = (reply.keys() | recorded_reply.keys()) - {"stdout", "stderr", "dropped", "logged"}
    return all(reply.get(key) == recorded_reply.get(key) for key in keys)
