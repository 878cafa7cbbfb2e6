"""The output streams of a submission, which count the output of each step and keep its start."""

from __future__ import annotations

import codecs
import io
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from grader.protocol import MAX_RECORDED_READS, MAX_STDOUT_CHARS, STEP_FILE

_frame: Final = sys._getframe  # noqa: SLF001 - to find out who prints
_TextIOWrapper: Final = io.TextIOWrapper
_flush: Final = io.TextIOWrapper.flush


class OutputLimitReached(BaseException):
    """Raised in code that prints more than its limit. `except Exception` does not catch it."""


class _Bytes(io.BufferedIOBase):
    """The `buffer` of a stream, which decodes bytes and writes the text to the stream."""

    def __init__(self, stream: _Stream) -> None:
        super().__init__()
        self._stream: Final = stream
        # Incremental, because a character can be split between two writes.
        self._decoder: Final = codecs.getincrementaldecoder("utf-8")("replace")
        self.name: Final = stream.name

    def writable(self) -> bool:
        """Return True, because scripts wrap this in a `TextIOWrapper`, which checks it."""
        return True

    def fileno(self) -> int:
        """Return the descriptor, for `os.write`."""
        return self._stream.fileno()

    def write(self, data: Any, /) -> int:
        """Write the text that `data` encodes to the stream; return the number of bytes."""
        raw = memoryview(data).tobytes()
        self._stream.write(self._decoder.decode(raw))
        return len(raw)

    def close(self) -> None:
        """Do nothing: a wrapper closes this when it is collected, but the stream must stay open."""


class _Stream(io.TextIOBase):
    """A stream with the attributes that programs expect of a standard stream."""

    encoding = "utf-8"
    errors = "strict"
    name = "<stdout>"
    mode = "w"
    descriptor = 1

    def __init__(self) -> None:
        super().__init__()
        self.buffer: Final = _Bytes(self)

    def writable(self) -> bool:
        """Return True, for `print`."""
        return True

    def fileno(self) -> int:
        """Return the descriptor, for `os.write`."""
        return self.descriptor

    def reconfigure(self, **options: object) -> None:
        """Ignore the options, which some scripts pass: no text is encoded here."""

    def detach(self) -> _Bytes:  # type: ignore[override]  # typeshed promises a BinaryIO
        """Return the buffer; this stream stays usable."""
        return self.buffer


class Stdout(_Stream):
    """Stands in for `sys.stdout`, and raises when a step prints more than `max_chars`."""

    def __init__(self, max_chars: int) -> None:
        """Limit each step to `max_chars`, until the limit is changed."""
        super().__init__()
        self.max_chars = max_chars
        """The limit of the current step."""
        self._chars = 0
        self._parts: list[str] = []
        self._step_parts: list[str] = []
        self._read_offsets: list[int] = []
        self._final_read_count = 0
        self.overflowed = False
        """Whether the current step has exceeded its limit."""
        self.has_waited_at_end = False
        """Whether a program waited for Enter before it ended."""

    def write(self, text: str, /) -> int:
        """Store as much of `text` as fits; return the length of all of `text`.

        Raises `OutputLimitReached` if the step has now printed more than `max_chars`.
        """
        if type(text) is not str:
            text = _exact_str(text)
        size = len(text)
        chars_left = MAX_STDOUT_CHARS - self._chars
        if chars_left > 0 and size:
            self._parts.append(text[:chars_left])
            # `print` is written in C and has no frame, so this is the frame of its caller.
            if _frame(1).f_code.co_filename == STEP_FILE:
                self._step_parts.append(self._parts[-1])
        self._chars += size
        if self._chars > self.max_chars:
            self.overflowed = True
            raise OutputLimitReached
        return size

    def record_read(self) -> None:
        """Record that a line is read at the current offset of the output."""
        if len(self._read_offsets) < MAX_RECORDED_READS:
            self._read_offsets.append(min(self._chars, MAX_STDOUT_CHARS))

    def record_final_read(self) -> bool:
        """Record that the line read last might be the Enter that a program awaits before it ends.

        Return False if the line itself might not have been recorded, after too many others.
        """
        self._final_read_count = len(self._read_offsets)
        return self._final_read_count < MAX_RECORDED_READS

    @property
    def has_printed_after_final_read(self) -> bool:
        """Whether anything but whitespace was printed since `record_final_read`."""
        rest = "".join(self._parts)[self._read_offsets[self._final_read_count - 1] :]
        return bool(rest.strip()) or self._chars > MAX_STDOUT_CHARS

    def drop_after_final_read(self) -> None:
        """Discard all output and reads since `record_final_read`."""
        del self._read_offsets[self._final_read_count :]
        self._chars = self._read_offsets[-1]
        self._parts = ["".join(self._parts)[: self._chars]]

    def take_step_output(self) -> dict[str, object]:
        """Return the start of this step's output, and whether it exceeded the limit; reset both.

        If the submission's code printed part of the output, the part that the step itself printed
        is returned as well. A rule about `print(puzzle)` applies to that part, and not to the
        output of `__str__`. At a prompt, that part includes the displayed values.

        For a program, the offsets at which it read lines are returned, too, and whether it waited
        for Enter before it ended.
        """
        if not self._parts and not self._read_offsets:  # most steps print nothing
            return {"stdout": "", "overflow": False}
        text, step_text = "".join(self._parts), "".join(self._step_parts)
        result: dict[str, object] = {"stdout": text, "overflow": self.overflowed}
        if len(step_text) < len(text):
            result["own"] = step_text
        if self._read_offsets:
            result["asked"] = self._read_offsets
        if self.has_waited_at_end:
            result["waited"] = True
        self._parts, self._step_parts, self._read_offsets = [], [], []
        self._chars, self.overflowed, self.has_waited_at_end = 0, False, False
        return result


class SharedStdout(_Stream):
    """Stands in for a standard stream, and passes its text on to tests while it is written.

    Text that the tests no longer accept is dropped and counted, without an error.
    """

    def __init__(self, name: str, pass_on: Callable[[], bool]) -> None:
        """Create the stream called `name`.

        `pass_on` takes the kept text and sends it to the tests. It returns whether they accept
        more.
        """
        self.name = name
        super().__init__()
        self._pass_on: Final = pass_on
        self._parts: list[str] = []
        self._chars = 0
        self._dropped = 0
        self.is_full = False

    def write(self, text: str, /) -> int:
        """Keep `text`, and pass the kept text on whenever there is enough; return its full length.

        Text that the tests no longer accept is dropped and counted.
        """
        text = _exact_str(text)
        start = 0
        while start < len(text) and not self.is_full:
            part = text[start : start + MAX_STDOUT_CHARS - self._chars]
            self._parts.append(part)
            self._chars += len(part)
            start += len(part)
            if self._chars >= MAX_STDOUT_CHARS:
                # Also if the kept text was not taken, since the loop could then never end.
                self.is_full = not self._pass_on() or bool(self._parts)
        self._dropped += len(text) - start
        return len(text)

    def take_kept_text(self) -> tuple[str, int]:
        """Return the kept text, and how many characters were dropped; reset both."""
        kept = "".join(self._parts), self._dropped
        self._parts, self._chars, self._dropped = [], 0, 0
        return kept


class Stderr(_Stream):
    """Stands in for `sys.stderr`, which nobody reads, so its text is neither kept nor counted."""

    errors = "backslashreplace"
    name = "<stderr>"
    descriptor = 2

    def write(self, text: str, /) -> int:
        """Discard `text`; return its length."""
        return len(_exact_str(text))


def flush_wrapper() -> None:
    """Flush standard output if the submission has wrapped it in a `TextIOWrapper`.

    Ignores all exceptions of the stream.
    """
    stream = sys.__dict__.get("stdout")
    if type(stream) is _TextIOWrapper:
        with suppress(BaseException):  # an exceeded output limit is recorded anyway
            _flush(stream)


def _exact_str(text: object) -> str:
    """Return `text`, whose class might be a subclass of `str` in the submission, as an exact `str`.

    Raises `TypeError` if it is not a string.
    """
    if not isinstance(text, str):
        raise TypeError(f"write() argument must be str, not {type(text).__name__}")
    return str.__str__(text)
