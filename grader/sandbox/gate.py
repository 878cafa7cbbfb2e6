"""Who may run beside whom: sessions run side by side, and a doubtful one alone."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Condition
from typing import Final

from grader.suite.limits import Limits


class Gate:
    """Lets sessions run side by side, and a doubtful one alone."""

    def __init__(self) -> None:
        self._condition: Final = Condition()
        self._running = 0
        self._alone = False

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Hold while a session runs beside others."""
        with self._condition:
            self._condition.wait_for(lambda: not self._alone)
            self._running += 1
        try:
            yield
        finally:
            with self._condition:
                self._running -= 1
                self._condition.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold while a session must have the machine for itself, as far as we rule it."""
        with self._condition:
            self._condition.wait_for(lambda: not self._alone)
            self._alone = True
            self._condition.wait_for(lambda: not self._running)
        try:
            yield
        finally:
            with self._condition:
                self._alone = False
                self._condition.notify_all()

    def took(self, limits: Limits, cpu_s: float, wall_s: float) -> None:
        """Take note of what a session within `limits` has used, where anybody asks."""

    def close(self) -> None:
        """Let go of what the gate is made of, if that is anything."""


# The gate of a whole machine: a doubtful session runs alone, whatever else grades beside it.
#
# Workers are processes, and two runs may share a machine. What they have in common are two files,
# which they lock: the system lets go of a lock however its holder ends.


PATIENCE_S: float = 300.0
"""No session lasts longer. Who holds the gate for so long sleeps, for a Ctrl-Z say."""
_LEAST_PAUSE_S: Final = 0.0005
_MOST_PAUSE_S: Final = 0.05


def machine_gate() -> Gate:
    """Return the gate that this user's workers on this machine share.

    Where files cannot be locked, or the place is not ours alone, each has a gate of its own.
    """
    if sys.platform == "win32":
        return Gate()
    folder = Path(tempfile.gettempdir()) / f"grader-{os.getuid()}"
    with suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        if found.st_uid == os.getuid() and not found.st_mode & 0o077:
            return LockedGate(folder)
    return Gate()


if sys.platform != "win32":
    import fcntl

    class LockedGate(Gate):
        """A gate in common for all that name the same folder; for one thread each."""

        def __init__(self, folder: Path) -> None:
            """Use the files of the gate in `folder`, and make them where there are none."""
            super().__init__()
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            self._door: Final = os.open(folder / "door", flags, 0o600)
            """Whoever waits to be alone holds it, so that no others come in meanwhile."""
            self._room: Final = os.open(folder / "room", flags, 0o600)
            self._given_up: Final[set[int]] = set()
            """Files that were waited for in vain, and that nobody has let go of since."""

        @contextmanager
        def shared(self) -> Iterator[None]:
            """Hold while a session runs beside others."""
            self._lock(self._door, fcntl.LOCK_EX)
            try:
                self._lock(self._room, fcntl.LOCK_SH)
            finally:
                fcntl.flock(self._door, fcntl.LOCK_UN)
            try:
                yield
            finally:
                fcntl.flock(self._room, fcntl.LOCK_UN)

        @contextmanager
        def alone(self) -> Iterator[None]:
            """Hold while a session must have the machine for itself, as far as we rule it."""
            self._lock(self._door, fcntl.LOCK_EX)
            try:
                self._lock(self._room, fcntl.LOCK_EX)
                yield
            finally:
                fcntl.flock(self._room, fcntl.LOCK_UN)
                fcntl.flock(self._door, fcntl.LOCK_UN)

        def close(self) -> None:
            """Close the files of the gate."""
            os.close(self._door)
            os.close(self._room)

        def _lock(self, descriptor: int, how: int) -> None:
            """Lock a file of the gate, or go on without: its holder may have been put to sleep.

            Whoever sleeps is waited for once, and not again before each session.
            """
            patience_s = 0.0 if descriptor in self._given_up else PATIENCE_S
            pause_s, end_s = _LEAST_PAUSE_S, time.monotonic() + patience_s
            while True:
                with suppress(BlockingIOError):
                    fcntl.flock(descriptor, how | fcntl.LOCK_NB)
                    self._given_up.discard(descriptor)
                    return
                if time.monotonic() >= end_s:
                    self._given_up.add(descriptor)
                    return
                time.sleep(pause_s)
                pause_s = min(2 * pause_s, _MOST_PAUSE_S)
