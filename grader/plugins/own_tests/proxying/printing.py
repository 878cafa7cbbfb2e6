"""What a submission prints, as its tests find it: all of it, up to a number of characters.

To print is no mistake, however much it is. So what goes beyond is dropped, and only a test that
reads what it has captured is told: it would judge something else than was printed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final

from grader.plugins.own_tests.bridge.shapes import as_list, as_text
from grader.plugins.own_tests.bridge.wire import Malformed, Unanswered, Uncrossable

MOST_PRINTED: Final = 10_000_000
"""Characters in one test, on both streams together."""
_STREAMS: Final = ("stdout", "stderr")


class HostOutput:
    """Writes on the streams of the tests what a submission has printed."""

    def __init__(self, refuse: Callable[[Uncrossable], None]) -> None:
        """Take note by `refuse` of a test that reads what is not whole."""
        self._refuse: Final = refuse
        self._left = MOST_PRINTED
        self._cut: set[str] = set()

    def begin(self) -> None:
        """Have room for what one test has printed."""
        self._left = MOST_PRINTED
        self._cut.clear()

    def has_room(self) -> bool:
        """Return whether more is of any use."""
        return self._left > 0

    def write(self, message: dict[str, Any]) -> None:
        """Write what goes along with `message`; raises `Malformed`."""
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
        """Take note that something is missing; what is no stream of pytest's is read by a test."""
        self._cut.add(name)
        stream = getattr(sys, name)
        is_of_pytest = type(stream).__module__.startswith("_pytest.")
        if not is_of_pytest and stream is not getattr(sys, f"__{name}__"):
            self.read()

    def read(self) -> None:
        """Take note that a test reads what it has captured."""
        if self._cut:
            self._cut.clear()
            self._refuse(
                Unanswered(
                    f"the submission prints more than {MOST_PRINTED:,} characters in this test,"
                    " which reads them; the rest is not there; let it print less"
                )
            )
