"""The executors that the grader lends to a process of tests, and measures and kills for it."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from typing import Any, Final

from grader.errors import ExecutorKilled
from grader.plugins.own_tests.bridge.wire import Malformed
from grader.plugins.own_tests.proxying.borrowed import pack_message
from grader.sandbox.forked import ForkedProcess
from grader.sandbox.zygote import Zygote

REPLY_TIMEOUT_S: Final = 5.0
"""How long the process of the tests can take to read a reply."""
# An honest process needs two: one for its test, and one that is started ahead of the next test.
_MAX_LENT: Final = 8


class LentExecutors:
    """Serves the requests of one process of tests that concern its executors."""

    def __init__(
        self,
        sandbox: Zygote,
        limits: Mapping[str, int],
        channel: socket.socket,
        send: Callable[[Mapping[str, Any]], None],
    ) -> None:
        """Lend executors of `sandbox` that have exactly these `limits`.

        Their sockets are sent over `channel`, and all other replies by calling `send`.
        """
        self._sandbox: Final = sandbox
        self._limits: Final = limits
        self._channel: Final = channel
        self._send: Final = send
        self._processes: Final[dict[int, ForkedProcess]] = {}
        self._started_count = 0

    def lend(self, limits: Any) -> None:
        """Start an executor, and send its number and its socket to the process of the tests.

        Raises `Malformed` if the process has too many executors, asks for wrong limits, or does
        not read replies.
        """
        if len(self._processes) >= _MAX_LENT:
            raise Malformed(f"expected at most {_MAX_LENT} executors at a time")
        if limits != self._limits:
            raise Malformed("expected the limits of the hand-in for an executor")
        process = self._sandbox.fork_process(self._limits)
        self._started_count += 1
        self._processes[self._started_count] = process
        packed = pack_message({"number": self._started_count})
        self._channel.settimeout(REPLY_TIMEOUT_S)
        try:
            socket.send_fds(self._channel, [packed], [process.channel.fileno()])
        except TimeoutError:
            raise Malformed("the process does not read replies") from None
        except OSError:
            return  # the process has ended, which its supervisor detects

    def send_clocks(self, number: Any) -> None:
        """Send the clocks of an executor; raises `Malformed` if none has this number."""
        process = self._process(number)
        self._send({"used_s": process.used_s(), "waited_s": process.waited_s()})

    def end(self, number: Any) -> None:
        """Kill an executor that is no longer needed; raises `Malformed` if none has this number."""
        self._process(number).end()
        del self._processes[number]

    def send_ending(self, number: Any) -> None:
        """Send the exit code of an executor that has ended, or the reason why it was killed.

        Raises `Malformed` if no lent executor has this number.
        """
        process = self._process(number)
        del self._processes[number]
        try:
            self._send({"code": process.exit_code()})
        except ExecutorKilled as killed:
            self._send({"killed": str(killed), "help": killed.help})

    def _process(self, number: Any) -> ForkedProcess:
        """Return the lent executor with this number; raises `Malformed` if there is none."""
        # `True` would be found under the key 1.
        process = self._processes.get(number) if type(number) is int else None
        if process is None:
            raise Malformed("no lent executor has the requested number")
        return process

    def end_all(self) -> None:
        """Kill all executors."""
        for process in self._processes.values():
            process.end()
