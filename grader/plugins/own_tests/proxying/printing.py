"""Passes on what a submission prints, up to a limit.

Printing too much is not a mistake. So output beyond the limit is dropped. Only a test that reads
captured output fails because of that: it would judge output that differs from what was printed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final

from grader.plugins.own_tests.bridge.checked_shapes import as_list, as_text
from grader.plugins.own_tests.bridge.wire import Malformed, Unanswered, Uncrossable

MAX_PRINTED: Final = 10_000_000
"""The limit in characters per test, for both streams together."""
_STREAMS: Final = ("stdout", "stderr")


class HostOutput:
    """Writes the output of a submission to the streams of the tests."""

    def __init__(self, refuse: Callable[[Uncrossable], None]) -> None:
        """Call `refuse` when a test reads truncated output."""
        self._refuse: Final = refuse
        self._chars_left = MAX_PRINTED
        self._truncated_streams: set[str] = set()

    def begin(self) -> None:
        """Restart the count for the next test."""
        self._chars_left = MAX_PRINTED
        self._truncated_streams.clear()

    def has_room(self) -> bool:
        """Return whether more output would be written rather than dropped."""
        return self._chars_left > 0

    def write(self, message: dict[str, Any]) -> None:
        """Write the output in `message`, up to the limit; raises `Malformed` if it is invalid."""
        for name in _STREAMS:
            if name in message:
                text = as_text(message[name])
                if text[: self._chars_left]:
                    getattr(sys, name).write(text[: self._chars_left])
                if len(text) > self._chars_left:
                    self._drop(name)
                self._chars_left = max(0, self._chars_left - len(text))
        for name in as_list(message.get("dropped", [])):
            if name not in _STREAMS:
                raise Malformed("output was dropped from an unknown stream")
            self._drop(name)

    def _drop(self, name: str) -> None:
        """Record that output to the stream called `name` is missing.

        If the test has replaced the stream, its output counts as read immediately, because nothing
        shows when the test reads its own stream.
        """
        self._truncated_streams.add(name)
        stream = getattr(sys, name)
        belongs_to_pytest = type(stream).__module__.startswith("_pytest.")
        if not belongs_to_pytest and stream is not getattr(sys, f"__{name}__"):
            self.report_truncation()

    def report_truncation(self) -> None:
        """Refuse truncated output, if there is any; called when a test reads captured output."""
        if self._truncated_streams:
            self._truncated_streams.clear()
            self._refuse(
                Unanswered(
                    f"the submission prints more than {MAX_PRINTED:,} characters in this test,"
                    " and the test reads truncated output; let it print less"
                )
            )
