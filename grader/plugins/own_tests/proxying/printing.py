"""Passes on what a submission prints, up to a limit.

Printing too much is no mistake. So output beyond the limit is dropped, and only a test that reads
captured output fails for it: it would judge something else than was printed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final

from grader.plugins.own_tests.bridge.shapes import as_list, as_text
from grader.plugins.own_tests.bridge.wire import Malformed, Unanswered, Uncrossable

MAX_PRINTED: Final = 10_000_000
"""Characters per test, on both streams together."""
_STREAMS: Final = ("stdout", "stderr")


class HostOutput:
    """Writes the output of a submission to the streams of the tests."""

    def __init__(self, refuse: Callable[[Uncrossable], None]) -> None:
        """Call `refuse` when a test reads truncated output."""
        self._refuse: Final = refuse
        self._left = MAX_PRINTED
        self._cut: set[str] = set()

    def begin(self) -> None:
        """Restart the count for a new test."""
        self._left = MAX_PRINTED
        self._cut.clear()

    def has_room(self) -> bool:
        """Return whether more output would be written."""
        return self._left > 0

    def write(self, message: dict[str, Any]) -> None:
        """Write the output in `message`; raises `Malformed`."""
        for name in _STREAMS:
            if name in message:
                text = as_text(message[name])
                if text[: self._left]:
                    getattr(sys, name).write(text[: self._left])
                if len(text) > self._left:
                    self._drop(name)
                self._left = max(0, self._left - len(text))
        for name in as_list(message.get("dropped", [])):
            if name not in _STREAMS:
                raise Malformed("a stream that there is not")
            self._drop(name)

    def _drop(self, name: str) -> None:
        """Note that output is missing; a stream that the test has replaced counts as read."""
        self._cut.add(name)
        stream = getattr(sys, name)
        is_of_pytest = type(stream).__module__.startswith("_pytest.")
        if not is_of_pytest and stream is not getattr(sys, f"__{name}__"):
            self.read()

    def read(self) -> None:
        """Note that a test reads captured output."""
        if self._cut:
            self._cut.clear()
            self._refuse(
                Unanswered(
                    f"the submission prints more than {MAX_PRINTED:,} characters in this test,"
                    " which reads them; the rest is not there; let it print less"
                )
            )
