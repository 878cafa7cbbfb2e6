"""Runs a module of the submission as a program: `python table.py 5`, with lines typed to it.

What is on the screen is what the program prints. Where it reads a line is noted, so that the judge
can tell what it asked with, and how often it asked.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Final, NoReturn

from grader.executor.ending import LIMITS
from grader.executor.imports import ModuleCode
from grader.executor.keyboard import Keyboard, flush_output
from grader.executor.stdout import Stdout
from grader.executor.surroundings import Surroundings

_EXIT_CODES: Final = 256
_str: Final = str.__str__
_collect: Final = gc.collect


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
        self.keyboard: Final = self._keyboard()
        """That of steps, which is there for the whole session. Nobody types Enter on it at the end:
        what is called there goes on."""
        self.keyboard.types_enter = False

    def know(self, name: str, imported_by: str, module: ModuleCode) -> None:
        """Let `module` be run by its `name`; raises what it came to when it was compiled.

        Of a single module the name is `*`.
        """
        module.executable()
        self._known[name] = imported_by

    def type(self, typed: str) -> None:
        """Have these lines `typed` to the step under way, until its end."""
        self.keyboard.type(typed)
        self._surroundings.keyboard = self.keyboard

    def stop_typing(self) -> None:
        """Take away what was typed to a step, read or not."""
        if self._surroundings.keyboard is self.keyboard:
            self.keyboard.put_away()
            self._surroundings.keyboard = None

    def _keyboard(self) -> Keyboard:
        return Keyboard(self._stdout, self._surroundings.builtins.__dict__)

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
                flush_output()
        return code

    def _check_waiting(self, keyboard: Keyboard) -> None:
        """Raise what a program comes to that was given Enter, and went on to print."""
        flush_output()
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
        system = vars(os)
        keyboard = self._keyboard()
        keyboard.type(typed)
        streams: Any = {0: keyboard.buffer, 1: self._stdout.buffer, 2: sys.stderr.buffer}
        before = sys.stdin, system["_exit"]
        self._surroundings.files.chdir("/")
        self._surroundings.files.opened.update(streams)
        self._surroundings.keyboard = sys.stdin = keyboard
        system["_exit"] = _leave_at_once
        try:
            yield keyboard
        finally:
            sys.stdin, system["_exit"] = before
            self._surroundings.keyboard = None
            self._surroundings.files.opened.clear()

    def _exit_code(self, code: object) -> int:
        """Return what the program that left with `code` tells the system; a text is shown."""
        if code is None:
            return 0
        if isinstance(code, int):
            return int(code) % _EXIT_CODES
        self._stdout.write(f"{_str(str(code))}\n")
        return 1
