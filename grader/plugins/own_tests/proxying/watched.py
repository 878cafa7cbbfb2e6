"""A copy of this process that may be ended at any moment, while this one goes on.

Tests run in one. They are trusted, but what they do with the values of a submission has no bounds:
to print one can take forever, in a single call that nothing in the same process interrupts. So the
limits are kept from outside of Python: computing time by the kernel, memory and the clock on the
wall by the process that is waiting anyway.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from grader.plugins.own_tests.proxying.link import Trouble
from grader.verdict import Verdict

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Message = dict[str, Any]
_LOOK_S: Final = 0.05
"""How long memory may go unwatched."""
_LEAVE_S: Final = 1.0
"""What a copy has to end by itself, on the clock."""
_SHORT_S: Final = 0.005
"""Between two looks whether it has."""
_MOST_MESSAGE_BYTES: Final = 1 << 26
_MOST_FILE_BYTES: Final = 1 << 30
"""What is printed goes to a file, too."""
_SET_PARENT_DEATH_SIGNAL: Final = 1
CAN_WATCH: Final = sys.platform == "linux" and hasattr(os, "pidfd_open")
"""Elsewhere there is no wall either, and nothing tells the memory of another process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How much one message may cost the process that is asked."""

    cpu_s: float
    wall_s: float
    memory_bytes: int
    """More than it had when it was asked."""


class ProcessEnded(Exception):
    """The other process is no more; says what that means."""

    def __init__(self, verdict: Verdict, said: str, evidence: str) -> None:
        """Keep what it means."""
        super().__init__(said)
        self.trouble = Trouble(verdict=verdict, said=f"the test itself {said}", evidence=evidence)


_TOO_SLOW: Final = "took too long", "CPU limit"
_TOO_LARGE: Final = "used too much memory", "its own process"


def go_on_as_copy(bounds: Bounds) -> ProcessEnded | None:
    """Return in a copy of this process, which itself only waits for it, and ends as it does.

    A copy that goes beyond `bounds` before it is `unhurried` is ended, and a second one goes on,
    which is told so.
    """
    met: ProcessEnded | None = None
    interrupt = signal.getsignal(signal.SIGINT)
    while True:
        hurried, theirs = os.pipe()
        copy = _forked()
        if not copy:
            os.close(hurried)
            _hurried.append(theirs)
            signal.signal(signal.SIGINT, interrupt)
            _hold()
            signal.setitimer(signal.ITIMER_PROF, bounds.cpu_s)
            return met
        os.close(theirs)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the copy gets it as well
        code, ended = _waited_for(copy, hurried, bounds)
        os.close(hurried)
        if ended is None or met is not None:
            sys.exit(code if code >= 0 else 128 - code)
        met = ended


_hurried: Final[list[int]] = []
"""What this process, where it is such a copy, holds open until it is unhurried."""


def unhurried() -> None:
    """Give this process, which may be such a copy, all that it needs from now on."""
    if CAN_WATCH:
        signal.setitimer(signal.ITIMER_PROF, 0)
    while _hurried:
        os.close(_hurried.pop())


def _waited_for(pid: int, hurried: int, bounds: Bounds) -> tuple[int, ProcessEnded | None]:
    """Return how a copy has ended, and what that means where it was for its `bounds`.

    They hold until it closes the other end of `hurried`.
    """
    process, why = os.pidfd_open(pid), None
    look_ms: float | None = 1000 * _LOOK_S
    events = select.poll()
    events.register(process, select.POLLIN)
    events.register(hurried, select.POLLHUP)
    while process not in (seen := dict(events.poll(look_ms))):
        if hurried in seen:
            events.unregister(hurried)
            look_ms = None
        elif _resident_bytes(pid) > bounds.memory_bytes:
            why = ProcessEnded(Verdict.MEMORY, *_TOO_LARGE)
            os.kill(pid, signal.SIGKILL)
    os.close(process)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code == -signal.SIGPROF:
        why = ProcessEnded(Verdict.TIMED_OUT, *_TOO_SLOW)
    return code, why


def _forked() -> int:
    sys.stdout.flush()
    sys.stderr.flush()
    with warnings.catch_warnings():  # of threads, which xdist has: they do not matter there
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


class Watched:
    """A copy of this process, made when it is asked first."""

    def __init__(self, serve: Callable[[Message], Message]) -> None:
        """Have the copy answer each message by `serve`."""
        from multiprocessing.connection import Pipe  # noqa: PLC0415 - not where nothing is watched

        self._ours, theirs = Pipe()
        self._pid: Final = _forked()
        if not self._pid:
            self._ours.close()
            _live(theirs, serve)
        theirs.close()

    def ask(self, message: Message, bounds: Bounds) -> Message:
        """Return the answer to `message`; raises `ProcessEnded` where there is none."""
        most_bytes = _resident_bytes(self._pid) + bounds.memory_bytes
        end_s = time.monotonic() + bounds.wall_s
        try:
            self._ours.send_bytes(json.dumps([bounds.cpu_s, message]).encode())
            while not self._ours.poll(_LOOK_S):
                if _resident_bytes(self._pid) > most_bytes:
                    raise self._killed(Verdict.MEMORY, *_TOO_LARGE)
                if time.monotonic() > end_s:
                    raise self._killed(Verdict.TIMED_OUT, "took too long", "clock on the wall")
            answer: Message = json.loads(self._ours.recv_bytes(_MOST_MESSAGE_BYTES))
        except (EOFError, ConnectionError):
            raise self._ended() from None
        except OSError as error:
            raise self._killed(Verdict.OUTPUT, "told too much", "length of its report") from error
        return answer

    def end(self) -> None:
        """Let it end if it still runs, and kill it if it does not end soon."""
        self._ours.close()
        with suppress(ChildProcessError):
            end_s = time.monotonic() + _LEAVE_S
            while os.waitpid(self._pid, os.WNOHANG) == (0, 0):
                if time.monotonic() > end_s:
                    self._kill()
                    return
                time.sleep(_SHORT_S)

    def _kill(self) -> None:
        with suppress(ChildProcessError, ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
        self._ours.close()

    def _killed(self, verdict: Verdict, said: str, evidence: str) -> ProcessEnded:
        self._kill()
        return ProcessEnded(verdict, said, evidence)

    def _ended(self) -> ProcessEnded:
        """Return what it means that it has ended by itself."""
        self._ours.close()
        _, status = os.waitpid(self._pid, 0)
        code = os.waitstatus_to_exitcode(status)
        if code == -signal.SIGPROF:
            return ProcessEnded(Verdict.TIMED_OUT, *_TOO_SLOW)
        if code == -signal.SIGKILL:
            return ProcessEnded(Verdict.FAULT, "was killed by somebody else", "SIGKILL")
        if code < 0:
            return ProcessEnded(Verdict.CRASHED, "crashed the interpreter", f"signal {-code}")
        return ProcessEnded(Verdict.EXITED, "ended the program", f"exit code {code}")


def _live(channel: Connection, serve: Callable[[Message], Message]) -> NoReturn:
    """Answer what comes over `channel` until its other end is closed."""
    exit_code = 1
    try:
        _hold()
        while True:
            cpu_s, message = json.loads(channel.recv_bytes())
            signal.setitimer(signal.ITIMER_PROF, cpu_s)
            answer = json.dumps(serve(message), default=str).encode()
            signal.setitimer(signal.ITIMER_PROF, 0)
            channel.send_bytes(answer)
    except EOFError:
        exit_code = 0
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(exit_code)


def _hold() -> None:
    """Have the kernel end this process where it goes too far, or nobody is left to tell."""
    import resource  # noqa: PLC0415 - not every system has it

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    most = _MOST_FILE_BYTES if most == resource.RLIM_INFINITY else min(most, _MOST_FILE_BYTES)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    end_with_parent()


def end_with_parent() -> None:
    """Have the kernel end this process where nobody waits for it any more."""
    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)


def _resident_bytes(pid: int) -> int:
    try:
        pages = Path(f"/proc/{pid}/statm").read_bytes().split()[1]
    except (OSError, IndexError):  # it has ended, which its channel will tell
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
