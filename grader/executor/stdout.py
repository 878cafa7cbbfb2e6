"""What a submission prints: counted per step up to a limit, and its beginning kept."""

from __future__ import annotations

import io
from typing import Final

from grader.protocol import MAX_STDOUT_CHARS


class OutputLimitReached(BaseException):
    """Raised into code that prints more than its limit; no `except Exception` swallows it."""


class Stdout(io.TextIOBase):
    """Stands in for `sys.stdout`; more than `max_chars` per step is refused, and remembered."""

    def __init__(self, max_chars: int) -> None:
        super().__init__()
        self._max_chars: Final = max_chars
        self._chars = 0
        self._parts: list[str] = []
        self.overflowed = False

    @property
    def encoding(self) -> str:  # type: ignore[override]  # a plain attribute in typeshed
        """Name of the encoding that programs may ask for."""
        return "utf-8"

    def writable(self) -> bool:
        """Say yes: this is what `print` writes to."""
        return True

    def write(self, text: str) -> int:
        """Keep `text`; raise `OutputLimitReached` beyond the limit."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        room = MAX_STDOUT_CHARS - self._chars
        if room > 0:
            self._parts.append(str.__str__(text)[:room])
        self._chars += len(text)
        if self._chars > self._max_chars:
            self.overflowed = True
            raise OutputLimitReached
        return len(text)

    def reconfigure(self, **options: object) -> None:
        """Accept what scripts do to a real standard output; text stays text here."""

    def take(self) -> tuple[str, bool]:
        """Return how this step's text begins, and whether it went over the limit; start anew."""
        text, overflowed = "".join(self._parts), self.overflowed
        self._parts, self._chars, self.overflowed = [], 0, False
        return text, overflowed
