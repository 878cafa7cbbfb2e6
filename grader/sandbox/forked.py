"""The process of an executor that a zygote forked, as the judge has it in hand.

The kernel tells what only Linux tells: its CPU time from outside, and when it ends. Only its zygote
can wait for it, and does so when it is told.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from grader.sandbox.executor import GRACE_S, Ending

_READ_BYTES: Final = 1 << 18


def kill(pid: int) -> None:
    """Kill executor `pid`; it may be gone already when its zygote is."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


class ForkedProcess:
    """One forked executor, with a socket for its channel."""

    measures_cpu: Final = True

    def __init__(
        self,
        *,
        pid: int,
        channel: socket.socket,
        reap: Callable[[int], Ending],
        dismiss: Callable[[int], None],
    ) -> None:
        """Talk to `pid` over `channel`; `reap` and `dismiss` have the zygote wait for its end."""
        self._pid: Final = pid
        self._channel: Final = channel
        self._reap: Final = reap
        self._dismiss: Final = dismiss
        self._cpu_clock: Final = (~pid << 3) | 2  # the kernel's clock id for a process's CPU time
        self._poll: Final = select.poll()
        self._poll.register(channel, select.POLLIN)

    def used_s(self) -> float:
        """Return the CPU seconds that it has used since its fork."""
        try:
            return time.clock_gettime(self._cpu_clock)
        except OSError:  # it has ended; the channel will say so
            return 0.0

    def send(self, data: bytes, wall_s: float) -> None:
        """Send all of `data`."""
        self._channel.settimeout(wall_s)
        self._channel.sendall(data)

    def has_sent(self, wait_s: float) -> bool:
        """Wait at most `wait_s`; return whether something has come in, or the end of it."""
        return bool(self._poll.poll(1000 * wait_s))

    def receive(self) -> bytes:
        """Return some of what came in."""
        data = self._channel.recv(_READ_BYTES)
        if not data:
            raise ConnectionResetError
        return data

    def end(self) -> None:
        """Kill it if it still runs, and have it reaped in its zygote's own time."""
        # Not reaped yet, so the pid cannot belong to anybody else.
        kill(self._pid)
        self._channel.close()
        self._dismiss(self._pid)

    def ending(self) -> Ending:
        """Return how it ended; whoever does not end by itself in a moment is killed."""
        self._let_end()
        kill(self._pid)
        self._channel.close()
        return self._reap(self._pid)

    def _let_end(self) -> None:
        with suppress(AttributeError, OSError):  # not in every Python, nor in every kernel
            process = os.pidfd_open(self._pid)
            try:
                end = select.poll()
                end.register(process, select.POLLIN)
                end.poll(1000 * GRACE_S)
            finally:
                os.close(process)
