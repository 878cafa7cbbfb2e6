"""The tests' end of the channel to the grader, from which they borrow executors.

The process of the tests cannot start or measure another process. It gets the socket of each
executor, and requests everything else from the grader.
"""

from __future__ import annotations

import array
import json
import select
import socket
import time
from collections.abc import Mapping
from typing import Any, Final

from grader.errors import ExecutorKilled
from grader.sandbox.executor import Executor, Sandbox
from grader.sandbox.isolation import Isolation

Message = dict[str, Any]
HEADER_BYTES: Final = 4
MAX_BYTES: Final = 1 << 24
"""The size limit of a message. Large messages contain a recorded test's steps, or its output."""
_READ_BYTES: Final = 1 << 18
_CACHED_S: Final = 0.01
"""How long the reading of a CPU clock is cached: requesting one takes a tenth of the time that a
message to an executor takes."""


def pack_message(message: Message) -> bytes:
    """Return `message` as JSON bytes, preceded by their length."""
    data = json.dumps(message).encode("ascii")
    return len(data).to_bytes(HEADER_BYTES, "big") + data


class Lender:
    """The connection to the grader, which lends executors."""

    def __init__(self, channel: socket.socket) -> None:
        """Connect over `channel`."""
        self._channel: Final = channel

    def send(self, **message: Any) -> None:
        """Send a message that has no reply."""
        self._channel.sendall(pack_message(message))

    def request(self, **message: Any) -> tuple[Message, list[int]]:
        """Send a request; return the reply and its file descriptors.

        Raises `ConnectionError` if the grader has closed the channel.
        """
        self.send(**message)
        return self.receive()

    def receive(self) -> tuple[Message, list[int]]:
        """Return the next message and its file descriptors.

        Raises `ConnectionError` if the grader has closed the channel.
        """
        data, fds = b"", list[int]()
        while len(data) < HEADER_BYTES or len(data) < HEADER_BYTES + _length(data):
            # With space for one descriptor, as a reply lends one executor.
            chunk, ancillary, _, _ = self._channel.recvmsg(_READ_BYTES, socket.CMSG_SPACE(4))
            if not chunk:
                raise ConnectionResetError("the grader has closed its channel to the tests")
            data += chunk
            for _, _, content in ancillary:
                # The last descriptor can be truncated.
                fds += array.array("i", content[: len(content) // 4 * 4])
        message: Message = json.loads(data[HEADER_BYTES:])
        return message, fds


def _length(data: bytes) -> int:
    """Return the length of a message from its header."""
    return int.from_bytes(data[:HEADER_BYTES], "big")


class BorrowedProcess:
    """An executor that the grader starts, measures and stops."""

    measures_cpu: Final = True

    def __init__(self, lender: Lender, number: int, channel: socket.socket) -> None:
        """Communicate over `channel` with the executor that `lender` identifies by `number`."""
        self._lender: Final = lender
        self._number: Final = number
        self._channel: Final = channel
        self._poll: Final = select.poll()
        self._poll.register(channel, select.POLLIN)
        self._hang_up: Final = select.poll()
        self._hang_up.register(channel, select.POLLRDHUP)  # unlike `_poll`, not ready on replies
        self._used_s = 0.0
        self._waited_s: float | None = None
        self._measured_at_s = time.monotonic()

    def used_s(self) -> float:
        """Return the CPU seconds that the executor had used, at most `_CACHED_S` ago."""
        if time.monotonic() - self._measured_at_s > _CACHED_S:
            self._measure()
        return self._used_s

    def waited_s(self) -> float | None:
        """Return for how many seconds the executor was ready to run, but waited for the CPU."""
        self._measure()
        return self._waited_s

    def _measure(self) -> None:
        """Request the clocks of the executor from the grader, and cache them."""
        reply, _ = self._lender.request(clock=self._number)
        self._used_s, self._waited_s = reply["used_s"], reply["waited_s"]
        self._measured_at_s = time.monotonic()

    def send(self, data: bytes, wall_s: float) -> None:
        """Send all of `data`; raises `TimeoutError` after `wall_s` seconds."""
        self._channel.settimeout(wall_s)
        self._channel.sendall(data)

    def has_sent(self, wait_s: float) -> bool:
        """Wait at most `wait_s` seconds for data or the channel's end; return whether it came."""
        return bool(self._poll.poll(1000 * wait_s))

    def await_end(self, wait_s: float) -> None:
        """Wait at most `wait_s` seconds until the executor closes the channel."""
        self._hang_up.poll(1000 * wait_s)

    def receive(self) -> bytes:
        """Return the next bytes; raises `ConnectionResetError` at the end of the channel."""
        data = self._channel.recv(_READ_BYTES)
        if not data:
            raise ConnectionResetError("an executor has closed its channel to the tests")
        return data

    def end(self) -> None:
        """Kill the executor if it is still running."""
        if self._channel.fileno() >= 0:  # -1 once the channel is closed
            self._channel.close()
            self._lender.send(end=self._number)

    def exit_code(self) -> int:
        """Close the channel, and return the executor's exit code.

        Raises `ExecutorKilled` if another process killed the executor.
        """
        self._channel.close()
        reply, _ = self._lender.request(ending=self._number)
        if "killed" in reply:
            raise ExecutorKilled(reply["killed"], help=reply["help"])
        code: int = reply["code"]
        return code


class BorrowedSandbox(Sandbox):
    """A sandbox whose executors are borrowed from the grader."""

    def __init__(self, lender: Lender) -> None:
        """Borrow executors from `lender`."""
        self._lender: Final = lender

    @property
    def isolation(self) -> Isolation:
        """Not available here, as the grader records it."""
        raise NotImplementedError("only the grader knows the isolation of borrowed executors")

    def fork(self, limits: Mapping[str, int]) -> Executor:
        """Return a fresh executor.

        The lender refuses `limits` other than those of the hand-in.
        """
        reply, fds = self._lender.request(lend=dict(limits))
        channel = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fileno=fds[0])
        return Executor(BorrowedProcess(self._lender, reply["number"], channel))

    def close(self) -> None:
        """Do nothing: executors end with the process that borrowed them."""
