"""Runs a module of the submission as a program: `python table.py 5`, with lines typed to it.

What is on the screen is what the program prints. Where it reads a line is noted, so that the judge
can tell what it asked with, and how often it asked.
"""

from __future__ import annotations

import dis
import gc
import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from types import CodeType, FrameType, ModuleType, TracebackType
from typing import Any, Final, NamedTuple, NoReturn, Self, TypeAlias

from grader.executor.ending import LIMITS
from grader.executor.imports import ModuleCode
from grader.executor.stdout import Stdout
from grader.executor.surroundings import Surroundings

_EXIT_CODES: Final = 256
_str: Final = str.__str__
_collect: Final = gc.collect
_with_traceback: Final = BaseException.with_traceback
_guards_in: Final[Callable[[CodeType], Iterable[Any]]] = vars(dis)["_parse_exception_table"]
"""Finds what of a code is in a `try` or a `with`."""
_Calls: TypeAlias = tuple[tuple[int, int], ...]


def _flush() -> None:
    """Have what stands in the place of standard output hand over what it holds, if it can."""
    with suppress(Exception):
        sys.stdout.flush()


class _Place(NamedTuple):
    """Where a program is."""

    calls: _Calls
    """The calls that are under way, and how far each has come."""
    traceback: TracebackType | None
    is_guarded: bool
    """Whether one of them would do something about an exception."""

    @classmethod
    def of_asker(cls, names: Mapping[str, object]) -> _Place:
        """Return where code is that has called what calls this; its built-ins are `names`."""
        calls: list[tuple[int, int]] = []
        traceback, is_guarded = None, False
        frame: FrameType | None = sys._getframe(2)  # noqa: SLF001 - who asks matters
        while frame is not None:
            if frame.f_builtins is names:
                code, at = frame.f_code, frame.f_lasti
                calls.append((id(code), at))
                traceback = TracebackType(traceback, frame, at, frame.f_lineno)
                is_guarded = is_guarded or any(
                    each.start <= at < each.end for each in _guards_in(code)
                )
            frame = frame.f_back
        return cls(tuple(calls), traceback, is_guarded)


class _Typed(io.BufferedIOBase):
    """The `buffer` of standard input: what is typed, as bytes, of which each is read once."""

    name = "<stdin>"
    mode = "rb"

    def __init__(self, typed: str, note: Callable[[], None]) -> None:
        super().__init__()
        self._lines: Final = [line.encode() for line in typed.splitlines(keepends=True)]
        self._rest = b""
        """What is left of the line that was read last."""
        self._note: Final = note

    @property
    def raw(self) -> Self:
        """Return what lies under it: nothing else does."""
        return self

    @property
    def is_at_end(self) -> bool:
        """Whether all has been read."""
        return not (self._rest or self._lines)

    def readable(self) -> bool:
        """Say yes."""
        return True

    def fileno(self) -> int:
        """Return the number that `os.read` knows it by."""
        return 0

    def readline(self, size: int | None = -1, /) -> bytes:
        """Return the next line, or so many bytes of it; nothing at the end."""
        line = self.peek()
        end = len(line) if size is None or size < 0 else size
        self._rest = line[end:]
        return line[:end]

    def peek(self, _size: int = 0, /) -> bytes:
        """Return what is left of this line, or the next one, and have it read again."""
        if not self._rest:
            self._note()
            self._rest = self._lines.pop(0) if self._lines else b""
        return self._rest

    def read(self, size: int | None = -1, /) -> bytes:
        """Return all that is left, or so many bytes of it."""
        left = sys.maxsize if size is None or size < 0 else size
        pieces = []
        while left and (piece := self.readline(left)):
            pieces.append(piece)
            left -= len(piece)
        return b"".join(pieces)

    def read1(self, size: int = -1, /) -> bytes:
        """Return a line at most, as a console gives them: so nobody has read ahead who asks."""
        return self.readline(size)

    def readinto(self, buffer: Any, /) -> int:
        """Fill `buffer` with a line at most."""
        data = self.readline(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Stay open: what is wrapped around it is thrown away."""


class Keyboard(io.TextIOBase):
    """Stands in for standard input, on which all that is typed has been typed already."""

    encoding = "utf-8"
    errors = "strict"
    name = "<stdin>"
    mode = "r"

    def __init__(self, typed: str, stdout: Stdout, names: Mapping[str, object]) -> None:
        """Give the lines that are `typed`, and have `stdout` note where each is asked for.

        It is read by code of which `names` are the built-ins.
        """
        super().__init__()
        self._stdout: Final = stdout
        self.buffer: Final = _Typed(typed, self._note_asked)
        self._rest = ""
        """What is left of a line of which so many characters were read."""
        self._names: Final = names
        self._asked_at: Final[set[_Calls]] = set()
        self.waiting: EOFError | None = None
        """What a program would have come to that asked once more, and was given Enter."""

    def readable(self) -> bool:
        """Say yes."""
        return True

    def fileno(self) -> int:
        """Return the number that `os.read` knows it by."""
        return 0

    def reconfigure(self, **options: object) -> None:
        """Accept what scripts do to a real standard input; bytes are UTF-8 here."""

    def detach(self) -> _Typed:  # type: ignore[override]  # typeshed promises a BinaryIO
        """Return the buffer; the stream goes on as before."""
        return self.buffer

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]  # of any stream
        """Return the next line, or so many characters of it; "" at the end."""
        line, self._rest = self._rest or self.buffer.readline().decode("utf-8", "replace"), ""
        end = len(line) if size is None or size < 0 else size
        self._rest = line[end:]
        return line[:end]

    def read(self, size: int | None = -1, /) -> str:
        """Return all that is left, or so many characters of it."""
        if size is None or size < 0:
            return "".join(iter(self.readline, ""))
        pieces = []
        while size and (piece := self.readline(size)):
            pieces.append(piece)
            size -= len(piece)
        return "".join(pieces)

    def _note_asked(self) -> None:
        """Take note that a line is read, behind all that is to be on the screen by now."""
        _flush()
        self._stdout.note_asked()

    def ask(self, prompt: object = "", /) -> str:
        """Stand in for `input`."""
        sys.stdout.write(_str(str(prompt)))
        line = sys.stdin.readline()
        here = _Place.of_asker(self._names)
        if not line:
            self._wait(here)
        self._asked_at.add(here.calls)
        return line.removesuffix("\n")

    def _wait(self, here: _Place) -> None:
        """Type Enter, once, to a program that may just wait for it before it ends.

        Nothing of the kind does one that asks where it has asked before, or that would see that
        there is nothing to read; it raises `EOFError`.
        """
        error = EOFError("EOF when reading a line")
        is_other = not here.is_guarded and here.calls not in self._asked_at
        is_over = self.buffer.is_at_end and self.waiting is None
        if not (is_other and is_over and self._stdout.note_waiting()):
            raise error
        self.waiting = _with_traceback(error, here.traceback)


class _LeftAtOnce(BaseException):
    """What `os._exit` comes to: a program has ended without doing what was to be done then."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code: Final = code


def _leave_at_once(status: int) -> NoReturn:
    """Stand in for `os._exit`."""
    raise _LeftAtOnce(status)


class Programs:
    """The modules of a submission, as programs."""

    def __init__(self, surroundings: Surroundings, stdout: Stdout) -> None:
        """Run them in these `surroundings`; what is on the screen goes to `stdout`."""
        self._surroundings: Final = surroundings
        self._stdout: Final = stdout
        self._known: Final[dict[str, str]] = {}

    def know(self, name: str, imported_by: str, module: ModuleCode) -> None:
        """Let `module` be run by its `name`; raises what it came to when it was compiled.

        Of a single module the name is `*`.
        """
        module.executable()
        self._known[name] = imported_by

    def run(self, name: str, arguments: list[str], typed: str) -> int:
        """Return the exit code of a program; an exception that it does not catch is raised.

        By then it has come to its end as it does at home: with what it had to do at its exit, and
        without its objects.
        """
        imported_by = self._known.get(name) or self._known["*"]
        sys.argv[:] = [f"{name}.py", *arguments]
        with self._at_home(typed) as keyboard:
            try:
                code = self._code_of(imported_by)
                self._check_waiting(keyboard)
            except LIMITS:
                raise
            except BaseException:
                if keyboard.waiting is not None:
                    self._stdout.forget_waiting()
                    raise keyboard.waiting from None
                raise
            finally:
                sys.modules["__main__"] = ModuleType("__main__")
                _collect()
                _flush()
        return code

    def _check_waiting(self, keyboard: Keyboard) -> None:
        """Raise what a program comes to that was given Enter, and went on to print."""
        _flush()
        if keyboard.waiting is not None:
            if self._stdout.has_gone_on:
                raise keyboard.waiting
            self._stdout.has_waited = True
            keyboard.waiting = None

    def _code_of(self, imported_by: str) -> int:
        """Run a program; return its exit code."""
        program = sys.modules["__main__"] = ModuleType("__main__")
        try:
            try:
                self._surroundings.importer.execute(imported_by, program)
            except _LeftAtOnce:
                raise
            except BaseException:
                self._surroundings.at_exit.run()
                raise
            self._surroundings.at_exit.run()
        except SystemExit as leaving:
            return self._exit_code(leaving.code)
        except _LeftAtOnce as leaving:
            return leaving.code % _EXIT_CODES
        return 0

    @contextmanager
    def _at_home(self, typed: str) -> Iterator[Keyboard]:
        """Give programs a keyboard on which these lines are `typed`, and take it away again."""
        names, system = self._surroundings.builtins.__dict__, vars(os)
        keyboard = Keyboard(typed, self._stdout, names)
        streams: Any = {0: keyboard.buffer, 1: self._stdout.buffer, 2: sys.stderr.buffer}
        before = sys.stdin, names["input"], system["_exit"]
        self._surroundings.files.opened.update(streams)
        sys.stdin, names["input"], system["_exit"] = keyboard, keyboard.ask, _leave_at_once
        try:
            yield keyboard
        finally:
            sys.stdin, names["input"], system["_exit"] = before
            self._surroundings.files.opened.clear()

    def _exit_code(self, code: object) -> int:
        """Return what the program that left with `code` tells the system; a text is shown."""
        if code is None:
            return 0
        if isinstance(code, int):
            return int(code) % _EXIT_CODES
        self._stdout.write(f"{_str(str(code))}\n")
        return 1
