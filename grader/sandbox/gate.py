"""Who may run beside whom: sessions run side by side, and a doubtful one alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
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
