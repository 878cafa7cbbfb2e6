"""The streams of a submission: what it prints is counted per step and its beginning kept."""

from __future__ import annotations

import codecs
import io
import sys
from collections.abc import Callable
from typing import Any, Final

from grader.protocol import MAX_ASKED, MAX_STDOUT_CHARS, STEP_FILE

_frame: Final = sys._getframe  # noqa: SLF001 - who prints matters


class OutputLimitReached(BaseException):
    """Raised into code that prints more than its limit; no `except Exception` swallows it."""


class _Bytes(io.BufferedIOBase):
    """The `buffer` of a stream: what is written to it is decoded, and joins the text."""

    def __init__(self, text: _Stream) -> None:
        super().__init__()
        self._text: Final = text
        self._decoder: Final = codecs.getincrementaldecoder("utf-8")("replace")
        self.name: Final = text.name

    def writable(self) -> bool:
        """Say yes: scripts wrap this in a `TextIOWrapper` of their own."""
        return True

    def fileno(self) -> int:
        """Return the number that `os.write` knows it by."""
        return self._text.fileno()

    def write(self, data: Any, /) -> int:
        """Write the text that `data` encodes."""
        raw = memoryview(data).tobytes()
        self._text.write(self._decoder.decode(raw))
        return len(raw)

    def close(self) -> None:
        """Stay open: a wrapper that is thrown away closes what it wraps."""


class _Stream(io.TextIOBase):
    """Has the attributes that programs ask of a standard stream."""

    encoding = "utf-8"
    errors = "strict"
    name = "<stdout>"
    mode = "w"
    number = 1

    def __init__(self) -> None:
        super().__init__()
        self.buffer: Final = _Bytes(self)

    def writable(self) -> bool:
        """Say yes: this is what `print` writes to."""
        return True

    def fileno(self) -> int:
        """Return the number that `os.write` knows it by."""
        return self.number

    def reconfigure(self, **options: object) -> None:
        """Accept what scripts do to a real standard output; text stays text here."""

    def detach(self) -> _Bytes:  # type: ignore[override]  # typeshed promises a BinaryIO
        """Return the buffer; the stream goes on as before."""
        return self.buffer


class Stdout(_Stream):
    """Stands in for `sys.stdout`; more than `max_chars` per step is refused, and remembered."""

    def __init__(self, max_chars: int) -> None:
        super().__init__()
        self.max_chars = max_chars
        """Each step may have its own."""
        self._chars = 0
        self._parts: list[str] = []
        self._steps_own: list[str] = []
        self._asked: list[int] = []
        self._waits_at = 0
        self.overflowed = False
        self.has_waited = False
        """Whether a program asked once more when all was done, and ended with Enter."""

    def write(self, text: str, /) -> int:
        """Keep `text`; raise `OutputLimitReached` beyond the limit."""
        if type(text) is not str:
            text = _text(text)
        size = len(text)
        room = MAX_STDOUT_CHARS - self._chars
        if room > 0 and size:
            self._parts.append(text[:room])
            if _frame(1).f_code.co_filename == STEP_FILE:
                self._steps_own.append(self._parts[-1])
        self._chars += size
        if self._chars > self.max_chars:
            self.overflowed = True
            raise OutputLimitReached
        return size

    def note_asked(self) -> None:
        """Take note that a line is read now, after what has been printed so far."""
        if len(self._asked) < MAX_ASKED:
            self._asked.append(min(self._chars, MAX_STDOUT_CHARS))

    def note_waiting(self) -> bool:
        """Take note that the line that is read now may be the Enter at the end of a program.

        Return whether that can be told.
        """
        self._waits_at = len(self._asked)
        return self._waits_at < MAX_ASKED

    @property
    def has_gone_on(self) -> bool:
        """Whether more than blanks has been printed since then."""
        rest = "".join(self._parts)[self._asked[self._waits_at - 1] :]
        return bool(rest.strip()) or self._chars > MAX_STDOUT_CHARS

    def forget_waiting(self) -> None:
        """Take back what has been printed, and read, since then."""
        del self._asked[self._waits_at :]
        self._chars = self._asked[-1]
        self._parts = ["".join(self._parts)[: self._chars]]

    def take(self) -> dict[str, object]:
        """Return how this step's text begins, and whether it went over the limit; start anew.

        Where the code of the step printed a part of it and the submission the rest, that part is
        told as well: `print(puzzle)` asks for what it prints itself, not for what `__str__` does.
        At a prompt that part has the values that are displayed.
        Of a program it is told where in the text it read a line.
        """
        if not self._parts and not self._asked:  # as in most steps
            return {"stdout": "", "overflow": False}
        text, own = "".join(self._parts), "".join(self._steps_own)
        taken: dict[str, object] = {"stdout": text, "overflow": self.overflowed}
        if len(own) < len(text):
            taken["own"] = own
        if self._asked:
            taken["asked"] = self._asked
        if self.has_waited:
            taken["waited"] = True
        self._parts, self._steps_own, self._asked = [], [], []
        self._chars, self.overflowed, self.has_waited = 0, False, False
        return taken


class SharedStdout(_Stream):
    """Stands in for a stream whose text goes to tests as it comes: printing alone is no mistake.

    What they have no room for is dropped, and counted.
    """

    def __init__(self, name: str, pass_on: Callable[[], bool]) -> None:
        """Be called `name`; `pass_on` has the text taken, and returns whether there is room."""
        self.name = name
        super().__init__()
        self._pass_on: Final = pass_on
        self._parts: list[str] = []
        self._chars = 0
        self._dropped = 0
        self.is_full = False

    def write(self, text: str, /) -> int:
        """Keep `text` until it is taken."""
        text = _text(text)
        start = 0
        while start < len(text) and not self.is_full:
            part = text[start : start + MAX_STDOUT_CHARS - self._chars]
            self._parts.append(part)
            self._chars += len(part)
            start += len(part)
            if self._chars >= MAX_STDOUT_CHARS:
                self.is_full = not self._pass_on() or bool(self._parts)
        self._dropped += len(text) - start
        return len(text)

    def take_text(self) -> tuple[str, int]:
        """Return what has been printed, and how much more was dropped; start anew."""
        taken = "".join(self._parts), self._dropped
        self._parts, self._chars, self._dropped = [], 0, 0
        return taken


class Stderr(_Stream):
    """Stands in for `sys.stderr`: nobody reads it, so nothing of it is kept or counted."""

    errors = "backslashreplace"
    name = "<stderr>"
    number = 2

    def write(self, text: str, /) -> int:
        """Drop `text`."""
        return len(_text(text))


def _text(written: object) -> str:
    """Return what is `written`, which may be of a class of the submission."""
    if not isinstance(written, str):
        raise TypeError(f"write() argument must be str, not {type(written).__name__}")
    return str.__str__(written)
