"""Runs a module of the submission as a program: `python table.py 5`, with lines typed to it.

What is on the screen is what the program prints. Where it reads a line is noted, so that the judge
can tell what it asked with, and how often it asked.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, Final

from grader.executor.imports import ModuleCode
from grader.executor.stdout import Stdout
from grader.executor.surroundings import Surroundings

_EXIT_CODES: Final = 256
_str: Final = str.__str__


class Keyboard(io.TextIOBase):
    """Stands in for standard input, on which all that is typed has been typed already."""

    encoding = "utf-8"
    name = "<stdin>"
    mode = "r"

    def __init__(self, typed: str, note: Callable[[], None]) -> None:
        """Give the lines that are `typed`, and `note` each time that one is asked for."""
        super().__init__()
        self._lines: Final = typed.splitlines(keepends=True)
        self._rest = ""
        """What is left of the line that was read last."""
        self._note: Final = note

    def readable(self) -> bool:
        """Say yes."""
        return True

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]  # of any stream
        """Return the next line, or so many characters of it; "" at the end."""
        if not self._rest:
            self._note()
            self._rest = self._lines.pop(0) if self._lines else ""
        end = len(self._rest) if size is None or size < 0 else size
        line, self._rest = self._rest[:end], self._rest[end:]
        return line

    def read(self, size: int | None = -1, /) -> str:
        """Return all that is left, or so many characters of it."""
        if size is None or size < 0:
            return "".join(iter(self.readline, ""))
        pieces = []
        while size and (piece := self.readline(size)):
            pieces.append(piece)
            size -= len(piece)
        return "".join(pieces)

    def ask(self, prompt: object = "", /) -> str:
        """Stand in for `input`."""
        sys.stdout.write(_str(str(prompt)))
        line = sys.stdin.readline()
        if not line:
            raise EOFError("EOF when reading a line")
        return line.removesuffix("\n")


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
        """Return the exit code of a program; an exception that it does not catch is raised."""
        imported_by = self._known.get(name) or self._known["*"]
        keyboard = Keyboard(typed, self._stdout.note_asked)
        names = self._surroundings.builtins.__dict__
        before: dict[str, Any] = {"stdin": sys.stdin, "input": names["input"]}
        program = sys.modules["__main__"] = ModuleType("__main__")
        sys.argv[:] = [f"{name}.py", *arguments]
        sys.stdin, names["input"] = keyboard, keyboard.ask
        try:
            self._surroundings.importer.execute(imported_by, program)
        except SystemExit as leaving:
            return self._exit_code(leaving.code)
        finally:
            sys.stdin, names["input"] = before["stdin"], before["input"]
        return 0

    def _exit_code(self, code: object) -> int:
        """Return what the program that left with `code` tells the system; a text is shown."""
        if code is None:
            return 0
        if isinstance(code, int):
            return int(code) % _EXIT_CODES
        self._stdout.write(f"{_str(str(code))}\n")
        return 1
