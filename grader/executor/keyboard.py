"""Standard input, as text and as bytes, and `input`.

All input is available from the start. A program that waits for Enter before it ends gets one more
Enter; the result counts only if the program then ends without reading any more.
"""

from __future__ import annotations

import dis
import io
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import takewhile
from types import CodeType, FrameType, TracebackType
from typing import Any, Final, Self, TypeAlias

from grader.executor.stdout import Stdout

_str: Final = str.__str__  # `str(x)` can return an instance of a subclass
_with_traceback: Final = BaseException.with_traceback
_guarded_ranges: Final[Callable[[CodeType], Iterable[Any]]] = vars(dis)["_parse_exception_table"]
"""Returns the ranges of byte code that have a handler: a `try` or `with`."""
_NAME_OPCODES: Final = frozenset({"LOAD_GLOBAL", "LOAD_NAME"})
_CHECK_OPCODE: Final = "CHECK_EXC_MATCH"
_NO_OPERATIONS: Final = frozenset({"CACHE", "NOT_TAKEN", "NOP"})  # opcodes without an effect
_EOF_MESSAGE: Final = "EOF when reading a line"
_Calls: TypeAlias = tuple[tuple[int, int], ...]
"""The active calls, each as the id of its code object and the current offset in it."""


def flush_output() -> None:
    """Flush `sys.stdout`, which the program might have replaced; ignore errors."""
    with suppress(Exception):
        sys.stdout.flush()


def _would_handle_eof(frame: FrameType) -> bool:
    """Return whether `frame` would, or might, handle an `EOFError` raised at its current offset."""
    instructions = [
        instruction
        for instruction in dis.get_instructions(frame.f_code)
        if instruction.opname not in _NO_OPERATIONS
    ]
    names = {**frame.f_builtins, **frame.f_globals}
    ranges, offset = list(_guarded_ranges(frame.f_code)), frame.f_lasti
    for _ in instructions:  # a bound on the loop, because crafted handlers might form a cycle
        start = next((guard.target for guard in ranges if guard.start <= offset < guard.end), None)
        if start is None:
            return False
        handler = [instruction for instruction in instructions if instruction.offset >= start]
        reraised = _reraise_offset(handler, names)
        if reraised is None:
            return True
        offset = reraised
    return True


def _reraise_offset(handler: Sequence[dis.Instruction], names: Mapping[str, object]) -> int | None:
    """Return the offset at which `handler` re-raises an `EOFError`, or None if it might handle it.

    `handler` is the byte code that begins with an `except` clause, or with the clean-up of one.
    """
    if [instruction.opname for instruction in handler[:3]] == ["COPY", "POP_EXCEPT", "RERAISE"]:
        return handler[2].offset
    position = int(handler[0].opname == "PUSH_EXC_INFO")
    while position and handler[position].opname != "RERAISE":
        class_loads = [*takewhile(lambda load: load.opname in _NAME_OPCODES, handler[position:])]
        classes = [names.get(load.argval) for load in class_loads]
        after_loads = position + len(class_loads)
        checks = [instruction.opname for instruction in handler[after_loads:][:2]]
        check = after_loads + checks.index(_CHECK_OPCODE) if _CHECK_OPCODE in checks else 0
        if not (classes and check) or any(map(_might_catch_eof, classes)):
            return None
        next_offset = handler[check + 1].argval
        position = next(
            (
                index
                for index, instruction in enumerate(handler)
                if instruction.offset == next_offset
            ),
            0,
        )
    return handler[position].offset if position else None


def _might_catch_eof(kind: object) -> bool:
    """Return whether `except kind`, where `kind` can be any object, might catch an `EOFError`."""
    return type(kind) is not type or kind in EOFError.__mro__


def _submission_frames(names: Mapping[str, object]) -> Iterator[FrameType]:
    """Yield the active frames of code whose built-ins are `names`, innermost first."""
    frame: FrameType | None = sys._getframe(2)  # noqa: SLF001 - the result depends on the caller
    while frame is not None:
        if frame.f_builtins is names:
            yield frame
        frame = frame.f_back


class _InputBytes(io.BufferedIOBase):
    """The `buffer` of standard input: the lines of the input as bytes."""

    name = "<stdin>"
    mode = "rb"

    def __init__(self, record_read: Callable[[], None]) -> None:
        super().__init__()
        self._lines: list[bytes] = []
        self._rest = b""
        """The unread rest of the current line."""
        self._record_read: Final = record_read

    @property
    def raw(self) -> Self:
        """This object, since there is no raw stream below it."""
        return self

    def set_lines(self, text: str) -> None:
        """Set the input to the lines in `text`, in place of any unread input."""
        self._lines = [line.encode() for line in text.splitlines(keepends=True)]
        self._rest = b""

    @property
    def is_at_end(self) -> bool:
        """Whether all input has been read."""
        return not (self._rest or self._lines)

    def readable(self) -> bool:
        """Return True."""
        return True

    def fileno(self) -> int:
        """Return the descriptor, for `os.read`."""
        return 0

    def readline(self, size: int | None = -1, /) -> bytes:
        """Return the next line, or at most `size` bytes of it; empty at the end of the input."""
        line = self.peek()
        end = len(line) if size is None or size < 0 else size
        self._rest = line[end:]
        return line[:end]

    def peek(self, _size: int = 0, /) -> bytes:
        """Return the rest of the current line, or else the next line, without consuming it.

        Beginning a line counts as reading it.
        """
        if not self._rest:
            self._record_read()
            self._rest = self._lines.pop(0) if self._lines else b""
        return self._rest

    def read(self, size: int | None = -1, /) -> bytes:
        """Return the rest of the input, or at most `size` bytes of it."""
        bytes_left = sys.maxsize if size is None or size < 0 else size
        chunks = []
        while bytes_left and (chunk := self.readline(bytes_left)):
            chunks.append(chunk)
            bytes_left -= len(chunk)
        return b"".join(chunks)

    def read1(self, size: int = -1, /) -> bytes:
        """Return at most one line, as a console does, and at most `size` bytes of it.

        Reading ahead would shift the recorded offsets at which lines are read.
        """
        return self.readline(size)

    def readinto(self, buffer: Any, /) -> int:
        """Fill `buffer` with at most one line; return the number of bytes."""
        data = self.readline(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Do nothing, because closing a wrapper around this stream must not end the input."""


class Keyboard(io.TextIOBase):
    """Stands in for standard input; all input is available from the start."""

    encoding = "utf-8"
    errors = "strict"
    name = "<stdin>"
    mode = "r"

    def __init__(self, stdout: Stdout, names: Mapping[str, object]) -> None:
        """Record in `stdout` at which output offset each line is read.

        `names` are the built-ins of the submission, by which its frames are recognised.
        """
        super().__init__()
        self._stdout: Final = stdout
        self.buffer: Final = _InputBytes(self._record_read)
        self._has_no_input = True
        self._rest = ""
        """The unread rest of the current line, if it was read in part."""
        self._names: Final = names
        self._read_positions: Final[set[_Calls]] = set()
        self.adds_enter = True
        """Whether a program that waits for Enter before it ends gets one."""
        self.withheld_error: EOFError | None = None
        """The error that the program would have got without the extra Enter, or None."""

    def set_input(self, text: str) -> None:
        """Set the input to the lines in `text`, in place of any unread input."""
        self.buffer.set_lines(text)
        self._rest, self._has_no_input = "", False

    def clear_input(self) -> None:
        """Discard the input, also for code that still has a reference to this object."""
        self.buffer.set_lines("")
        self._rest, self._has_no_input = "", True

    def readable(self) -> bool:
        """Return True."""
        return True

    def fileno(self) -> int:
        """Return the descriptor, for `os.read`."""
        return 0

    def reconfigure(self, **options: object) -> None:
        """Ignore the options that some scripts pass, because the bytes here are always UTF-8."""

    def detach(self) -> _InputBytes:  # type: ignore[override]  # typeshed promises a BinaryIO
        """Return the buffer; this stream stays usable."""
        return self.buffer

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]  # of any stream
        """Return the next line, or at most `size` characters of it; empty at the end."""
        line, self._rest = self._rest or self.buffer.readline().decode("utf-8", "replace"), ""
        end = len(line) if size is None or size < 0 else size
        self._rest = line[end:]
        return line[:end]

    def read(self, size: int | None = -1, /) -> str:
        """Return the rest of the input, or at most `size` characters of it."""
        if size is None or size < 0:
            return "".join(iter(self.readline, ""))
        chunks = []
        while size and (chunk := self.readline(size)):
            chunks.append(chunk)
            size -= len(chunk)
        return "".join(chunks)

    def _record_read(self) -> None:
        """Flush the output, then record that a line is read at its current offset."""
        if not self._has_no_input:
            flush_output()
            self._stdout.record_read()

    def ask(self, prompt: object = "", /) -> str:
        """Stand in for `input`: write `prompt`, and return the next line.

        Raises `EOFError` at the end of the input, unless the program gets an extra Enter.
        """
        sys.stdout.write(_str(str(prompt)))
        line = sys.stdin.readline()
        if self.adds_enter:
            calls = tuple(
                (id(frame.f_code), frame.f_lasti) for frame in _submission_frames(self._names)
            )
            if not line:
                self._add_enter(calls)
            self._read_positions.add(calls)
        elif not line:
            raise EOFError(_EOF_MESSAGE)
        return line.removesuffix("\n")

    def _add_enter(self, calls: _Calls) -> None:
        """Record that the program, at these `calls`, gets an extra Enter that it might wait for.

        Raises `EOFError` instead if the program has already had an extra Enter, or would handle
        that error. Also raises it if the program has read input at the same calls before, because
        then it reads in a loop, or if too many lines were read to record this one.
        """
        error = EOFError(_EOF_MESSAGE)
        might_be_end = (
            self.buffer.is_at_end
            and self.withheld_error is None
            and calls not in self._read_positions
        )
        self._read_positions.add(calls)
        # Analysing byte code is slow, so it comes last, and once for each set of calls.
        if not might_be_end or any(map(_would_handle_eof, _submission_frames(self._names))):
            raise error
        if not self._stdout.record_final_read():
            raise error
        # Built now, because the error might be raised only after these frames have ended.
        traceback = None
        for frame in _submission_frames(self._names):
            traceback = TracebackType(traceback, frame, frame.f_lasti, frame.f_lineno)
        self.withheld_error = _with_traceback(error, traceback)
