"""One executor that a zygote has forked, and what only Linux tells of it."""

from __future__ import annotations

import os
import select
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NamedTuple

from grader.errors import ExecutorKilled
from grader.sandbox.clocks import clock_id, waited_s
from grader.sandbox.executor import GRACE_S

_READ_BYTES: Final = 1 << 18


def kill(pid: int) -> None:
    """Kill executor `pid`; it may be gone already when its zygote is."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


class Ended(NamedTuple):
    """How a process has ended."""

    code: int
    """Minus the number of the signal that ended it, if one did."""
    cpu_s: float
    """What it had used by then."""


class ForkedProcess:
    """One forked executor, with a socket for its channel.

    The kernel tells what only Linux tells: its CPU time from outside, and when it ends. Only its
    zygote can wait for it, and does so when it is told.
    """

    measures_cpu: Final = True

    def __init__(
        self,
        *,
        pid: int,
        channel: socket.socket,
        session_cpu_s: int,
        reap: Callable[[int], Ended],
        dismiss: Callable[[int], None],
    ) -> None:
        """Talk to `pid` over `channel`; `reap` and `dismiss` have the zygote wait for its end.

        The kernel kills it for using more CPU time than `session_cpu_s`.
        """
        self._pid: Final = pid
        self.channel: Final = channel
        """Where it can be talked to."""
        self._session_cpu_s: Final = session_cpu_s
        self._reap: Final = reap
        self._dismiss: Final = dismiss
        self._cpu_clock: Final = clock_id(pid)
        self._poll: Final = select.poll()
        self._poll.register(channel, select.POLLIN)
        self._hang_up: Final = select.poll()
        self._hang_up.register(channel, select.POLLRDHUP)

    def used_s(self) -> float:
        """Return the CPU seconds that it has used since its fork."""
        try:
            return time.clock_gettime(self._cpu_clock)
        except OSError:  # it has ended; the channel will say so
            return 0.0

    def waited_s(self) -> float | None:
        """Return the seconds that its main thread was ready to run while others did.

        Threads of its own are among these others; but what they use is CPU time of its own.
        """
        return waited_s(self._pid)

    def send(self, data: bytes, wall_s: float) -> None:
        """Send all of `data`."""
        self.channel.settimeout(wall_s)
        self.channel.sendall(data)

    def has_sent(self, wait_s: float) -> bool:
        """Wait at most `wait_s`; return whether something has come in, or the end of it."""
        return bool(self._poll.poll(1000 * wait_s))

    def await_end(self, wait_s: float) -> None:
        """Wait at most `wait_s` until it hangs up."""
        self._hang_up.poll(1000 * wait_s)

    def receive(self) -> bytes:
        """Return some of what came in."""
        data = self.channel.recv(_READ_BYTES)
        if not data:
            raise ConnectionResetError
        return data

    def end(self) -> None:
        """Kill it if it still runs, and have it reaped in its zygote's own time."""
        # Not reaped yet, so the pid cannot belong to anybody else.
        kill(self._pid)
        self.channel.close()
        self._dismiss(self._pid)

    def ending(self) -> int:
        """Return how it ended; whoever does not end by itself in a moment is killed.

        Raises `ExecutorKilled` where it was killed, and not by us: within the walls nobody sends a
        signal, and the kernel sends this one only when the CPU time of the session is over.
        """
        has_ended = self._let_end()
        kill(self._pid)
        self.channel.close()
        ended = self._reap(self._pid)
        is_killed = has_ended and ended.code == -signal.SIGKILL
        if is_killed and ended.cpu_s < self._session_cpu_s:
            raise ExecutorKilled(
                "an executor was killed by somebody else",
                help="look for what kills processes here, such as a lack of memory: `--jobs` takes"
                " fewer at once",
            )
        return ended.code

    def _let_end(self) -> bool:
        """Return whether it ends by itself, False where nobody can tell."""
        with suppress(AttributeError, OSError):  # not in every Python, nor in every kernel
            process = os.pidfd_open(self._pid)
            try:
                end = select.poll()
                end.register(process, select.POLLIN)
                return bool(end.poll(1000 * GRACE_S))
            finally:
                os.close(process)
        return False
