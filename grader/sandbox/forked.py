"""One executor that a zygote has forked, measured by means that only Linux has."""

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
    """Kill executor `pid`, which has already ended if its zygote has."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


class Ended(NamedTuple):
    """How a process has ended."""

    code: int
    """Minus the number of the signal that ended it, if one did."""
    cpu_s: float
    """The CPU time that it had used by then."""


class ForkedProcess:
    """One forked executor, with a socket for its channel.

    The kernel reports its CPU time and its end from outside. Only its zygote, as its parent, can
    reap it, and does so on request.
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
        """Communicate with `pid` over `channel`; `reap` and `dismiss` make the zygote reap it.

        The kernel kills it if it uses more CPU time than `session_cpu_s`.
        """
        self._pid: Final = pid
        self.channel: Final = channel
        """The socket to communicate with it."""
        self._session_cpu_s: Final = session_cpu_s
        self._reap: Final = reap
        self._dismiss: Final = dismiss
        self._cpu_clock: Final = clock_id(pid)
        self._poll: Final = select.poll()
        self._poll.register(channel, select.POLLIN)
        self._close_poll: Final = select.poll()
        self._close_poll.register(channel, select.POLLRDHUP)  # replies do not wake this one

    def used_s(self) -> float:
        """Return the CPU seconds that it has used since its fork."""
        try:
            return time.clock_gettime(self._cpu_clock)
        except OSError:  # it has ended; the channel will say so
            return 0.0

    def waited_s(self) -> float | None:
        """Return the seconds that its main thread waited for a processor.

        It may have waited for its own other threads, but their CPU time counts as its own.
        """
        return waited_s(self._pid)

    def send(self, data: bytes, wall_s: float) -> None:
        """Send all of `data`."""
        self.channel.settimeout(wall_s)
        self.channel.sendall(data)

    def has_sent(self, wait_s: float) -> bool:
        """Wait at most `wait_s`; return whether there is data, or the end of the stream."""
        return bool(self._poll.poll(1000 * wait_s))

    def await_end(self, wait_s: float) -> None:
        """Wait at most `wait_s` until it closes the channel."""
        self._close_poll.poll(1000 * wait_s)

    def receive(self) -> bytes:
        """Return some received bytes."""
        data = self.channel.recv(_READ_BYTES)
        if not data:
            raise ConnectionResetError
        return data

    def end(self) -> None:
        """Kill the process if it still runs; its zygote reaps it later."""
        # It has not been reaped, so its pid cannot have been reused.
        kill(self._pid)
        self.channel.close()
        self._dismiss(self._pid)

    def ending(self) -> int:
        """Return the exit code of the process; kill it if it does not exit within `GRACE_S`.

        Raises `ExecutorKilled` if another process killed it: submissions cannot send signals, and
        the kernel sends this one only when the CPU time of the session is used up.
        """
        exited = self._await_exit()
        kill(self._pid)
        self.channel.close()
        ended = self._reap(self._pid)
        was_killed = exited and ended.code == -signal.SIGKILL
        if was_killed and ended.cpu_s < self._session_cpu_s:
            raise ExecutorKilled(
                "an executor was killed by somebody else",
                help="look for what kills processes here, such as a lack of memory: `--jobs` takes"
                " fewer at once",
            )
        return ended.code

    def _await_exit(self) -> bool:
        """Return whether it exits within `GRACE_S`; False if the system cannot tell."""
        with suppress(AttributeError, OSError):  # not every Python or kernel has pidfds
            pid_fd = os.pidfd_open(self._pid)
            try:
                exit_poll = select.poll()
                exit_poll.register(pid_fd, select.POLLIN)
                return bool(exit_poll.poll(1000 * GRACE_S))
            finally:
                os.close(pid_fd)
        return False
