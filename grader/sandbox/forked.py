"""The process of an executor that a zygote has forked, measured with Linux-only system calls."""

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
    """Kill executor `pid`; do nothing if it is gone, as it is once its zygote has ended."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


class ProcessEnd(NamedTuple):
    """How a process has ended."""

    code: int
    """The exit code, or minus the number of the signal that ended the process."""
    cpu_s: float
    """The CPU time that the process used until its end."""


class ForkedProcess:
    """One forked executor, with a socket for its channel.

    The judge reads its CPU time and its end from the kernel. Only the zygote, as its parent, can
    reap the process, and does so on request.
    """

    measures_cpu: Final = True

    def __init__(
        self,
        *,
        pid: int,
        channel: socket.socket,
        session_cpu_s: int,
        reap: Callable[[int], ProcessEnd],
        dismiss: Callable[[int], None],
    ) -> None:
        """Communicate with process `pid` over `channel`.

        `reap` makes the zygote reap the process and returns how it ended; `dismiss` only asks the
        zygote to reap it, and does not wait. The kernel kills the process if it uses more CPU
        time than `session_cpu_s`.
        """
        self._pid: Final = pid
        self.channel: Final = channel
        """The socket for requests to the process and for its replies."""
        self._session_cpu_s: Final = session_cpu_s
        self._reap: Final = reap
        self._dismiss: Final = dismiss
        self._cpu_clock: Final = clock_id(pid)
        self._poll: Final = select.poll()
        self._poll.register(channel, select.POLLIN)
        self._close_poll: Final = select.poll()
        # Not POLLIN: replies must not wake the judge while it waits for the end of a batch.
        self._close_poll.register(channel, select.POLLRDHUP)

    def used_s(self) -> float:
        """Return the CPU seconds that the process has used since its fork; 0 once it has ended."""
        try:
            return time.clock_gettime(self._cpu_clock)
        except OSError:  # the process has ended, which the channel will show
            return 0.0

    def waited_s(self) -> float | None:
        """Return the seconds that the process's main thread has waited for CPU.

        It might have waited for other threads of the process, but their CPU time counts as well.
        """
        return waited_s(self._pid)

    def send(self, data: bytes, wall_s: float) -> None:
        """Send all of `data` within `wall_s`.

        Raises `TimeoutError`, or `ConnectionError` if the process has ended.
        """
        self.channel.settimeout(wall_s)
        self.channel.sendall(data)

    def has_sent(self, wait_s: float) -> bool:
        """Wait at most `wait_s`; return whether there is data, or the end of the stream."""
        return bool(self._poll.poll(1000 * wait_s))

    def await_end(self, wait_s: float) -> None:
        """Wait at most `wait_s` for the process to close the channel."""
        self._close_poll.poll(1000 * wait_s)

    def receive(self) -> bytes:
        """Return some received bytes; raises `ConnectionError` at the end of the stream."""
        data = self.channel.recv(_READ_BYTES)
        if not data:
            raise ConnectionResetError
        return data

    def end(self) -> None:
        """Kill the process if it still runs; its zygote reaps it later."""
        # The process has not been reaped, so its pid cannot have been reused.
        kill(self._pid)
        self.channel.close()
        self._dismiss(self._pid)

    def exit_code(self) -> int:
        """Return the exit code of the process; kill it if it does not exit within `GRACE_S`.

        Raises `ExecutorKilled` if another process killed it. Only another process can have sent a
        SIGKILL while CPU time was left: submissions cannot send signals, and the kernel sends
        SIGKILL only once the CPU time of the session is used up.
        """
        exited = self._await_exit()
        kill(self._pid)
        self.channel.close()
        ended = self._reap(self._pid)
        # If the process had not exited by itself, the SIGKILL was ours.
        was_killed = exited and ended.code == -signal.SIGKILL
        if was_killed and ended.cpu_s < self._session_cpu_s:
            raise ExecutorKilled(
                "an executor was killed by another process",
                help="find out what kills processes on this machine; if it runs out of memory, run"
                " fewer executors at once with `--jobs`",
            )
        return ended.code

    def _await_exit(self) -> bool:
        """Wait for the process to exit; return whether it did within `GRACE_S`.

        Return False at once if this system has no pidfds.
        """
        with suppress(AttributeError, OSError):  # not every Python or kernel has pidfds
            pid_fd = os.pidfd_open(self._pid)
            try:
                exit_poll = select.poll()
                exit_poll.register(pid_fd, select.POLLIN)
                return bool(exit_poll.poll(1000 * GRACE_S))
            finally:
                os.close(pid_fd)
        return False
