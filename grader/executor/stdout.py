"""The output streams of a submission: they count the output of each step and keep its start."""

from __future__ import annotations

import codecs
import io
import sys
from collections.abc import Callable
from typing import Any, Final

from grader.protocol import MAX_ASKED, MAX_STDOUT_CHARS, STEP_FILE

_frame: Final = sys._getframe  # noqa: SLF001 - it depends on the caller


class OutputLimitReached(BaseException):
    """Raised in code that prints more than its limit; `except Exception` does not catch it."""


class _Bytes(io.BufferedIOBase):
    """The `buffer` of a stream: it decodes the bytes and writes them to the stream."""

    def __init__(self, text: _Stream) -> None:
        super().__init__()
        self._text: Final = text
        # Incremental, as a character may be split between two writes.
        self._decoder: Final = codecs.getincrementaldecoder("utf-8")("replace")
        self.name: Final = text.name

    def writable(self) -> bool:
        """Return True: scripts wrap this in their own `TextIOWrapper`."""
        return True

    def fileno(self) -> int:
        """Return the descriptor, for `os.write`."""
        return self._text.fileno()

    def write(self, data: Any, /) -> int:
        """Write the text that `data` encodes."""
        raw = memoryview(data).tobytes()
        self._text.write(self._decoder.decode(raw))
        return len(raw)

    def close(self) -> None:
        """Do nothing: a wrapper that is collected closes this, which must stay open."""


class _Stream(io.TextIOBase):
    """A stream with the attributes that programs expect of a standard stream."""

    encoding = "utf-8"
    errors = "strict"
    name = "<stdout>"
    mode = "w"
    number = 1

    def __init__(self) -> None:
        super().__init__()
        self.buffer: Final = _Bytes(self)

    def writable(self) -> bool:
        """Return True, for `print`."""
        return True

    def fileno(self) -> int:
        """Return the descriptor, for `os.write`."""
        return self.number

    def reconfigure(self, **options: object) -> None:
        """Accept and ignore options, as scripts pass some; no text is encoded here."""

    def detach(self) -> _Bytes:  # type: ignore[override]  # typeshed promises a BinaryIO
        """Return the buffer; this stream stays usable."""
        return self.buffer


class Stdout(_Stream):
    """Stands in for `sys.stdout`; raises, and records, when a step prints over `max_chars`."""

    def __init__(self, max_chars: int) -> None:
        super().__init__()
        self.max_chars = max_chars
        """The limit of the current step."""
        self._chars = 0
        self._parts: list[str] = []
        self._step_parts: list[str] = []
        self._asked: list[int] = []
        self._final_read = 0
        self.overflowed = False
        self.has_waited = False
        """Whether a program waited for Enter at its end."""

    def write(self, text: str, /) -> int:
        """Keep `text`; raise `OutputLimitReached` if that exceeds the limit."""
        if type(text) is not str:
            text = _text(text)
        size = len(text)
        left = MAX_STDOUT_CHARS - self._chars
        if left > 0 and size:
            self._parts.append(text[:left])
            if _frame(1).f_code.co_filename == STEP_FILE:  # `print` is in C, and has no frame
                self._step_parts.append(self._parts[-1])
        self._chars += size
        if self._chars > self.max_chars:
            self.overflowed = True
            raise OutputLimitReached
        return size

    def note_asked(self) -> None:
        """Record that a line is read at this point of the output."""
        if len(self._asked) < MAX_ASKED:
            self._asked.append(min(self._chars, MAX_STDOUT_CHARS))

    def note_waiting(self) -> bool:
        """Record that the line read now may be the Enter at the end of a program.

        Return False if too many lines were read to record it.
        """
        self._final_read = len(self._asked)
        return self._final_read < MAX_ASKED

    @property
    def has_gone_on(self) -> bool:
        """Whether anything but whitespace has been printed since `note_waiting`."""
        rest = "".join(self._parts)[self._asked[self._final_read - 1] :]
        return bool(rest.strip()) or self._chars > MAX_STDOUT_CHARS

    def forget_waiting(self) -> None:
        """Drop what has been printed and read since `note_waiting`."""
        del self._asked[self._final_read :]
        self._chars = self._asked[-1]
        self._parts = ["".join(self._parts)[: self._chars]]

    def take(self) -> dict[str, object]:
        """Return the start of this step's output, and whether it exceeded the limit; reset both.

        If the submission printed some of it, the part printed by the step's own code is returned
        as well: `print(puzzle)` is about what it prints itself, not about what `__str__` prints.
        At a prompt that part includes the displayed values.
        For a program, the offsets at which it read a line are returned, too.
        """
        if not self._parts and not self._asked:  # most steps print nothing
            return {"stdout": "", "overflow": False}
        text, own = "".join(self._parts), "".join(self._step_parts)
        result: dict[str, object] = {"stdout": text, "overflow": self.overflowed}
        if len(own) < len(text):
            result["own"] = own
        if self._asked:
            result["asked"] = self._asked
        if self.has_waited:
            result["waited"] = True
        self._parts, self._step_parts, self._asked = [], [], []
        self._chars, self.overflowed, self.has_waited = 0, False, False
        return result


class SharedStdout(_Stream):
    """Stands in for a stream whose text goes to tests as it is written.

    Text beyond what they accept is not an error: it is dropped and counted.
    """

    def __init__(self, name: str, pass_on: Callable[[], bool]) -> None:
        """Use `name`; `pass_on` passes the text on, and returns whether more is accepted."""
        self.name = name
        super().__init__()
        self._pass_on: Final = pass_on
        self._parts: list[str] = []
        self._chars = 0
        self._dropped = 0
        self.is_full = False

    def write(self, text: str, /) -> int:
        """Keep `text` until it is passed on."""
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
        """Return the kept text, and how many characters were dropped; reset both."""
        kept = "".join(self._parts), self._dropped
        self._parts, self._chars, self._dropped = [], 0, 0
        return kept


class Stderr(_Stream):
    """Stands in for `sys.stderr`: nothing reads it, so its text is neither kept nor counted."""

    errors = "backslashreplace"
    name = "<stderr>"
    number = 2

    def write(self, text: str, /) -> int:
        """Drop `text`."""
        return len(_text(text))


def _text(written: object) -> str:
    """Return `written` as a plain `str`; it may be of a subclass of the submission."""
    if not isinstance(written, str):
        raise TypeError(f"write() argument must be str, not {type(written).__name__}")
    return str.__str__(written)
