"""Runs a module of the submission as a program: `python table.py 5`, with lines typed to it.

The screen has what the program prints. The places where it reads a line are recorded, so that the
judge knows its prompts, and how often it asked.
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

_EXIT_CODES: Final = 256  # POSIX keeps eight bits of an exit code
_str: Final = str.__str__
_collect: Final = gc.collect


class _ImmediateExit(BaseException):
    """Raised by `os._exit`: the program ends without its exit handlers."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code: Final = code


def _exit_at_once(status: int) -> NoReturn:
    """Stand in for `os._exit`."""
    raise _ImmediateExit(status)


class Programs:
    """The modules of a submission, as programs."""

    def __init__(self, surroundings: Surroundings, stdout: Stdout) -> None:
        """Run the programs in these `surroundings`; they print to `stdout`."""
        self._surroundings: Final = surroundings
        self._stdout: Final = stdout
        self._known: Final[dict[str, str]] = {}
        self.keyboard: Final = self._new_keyboard()
        """The keyboard of steps, for the whole session. It adds no Enter at the end, as a step goes
        on after a call."""
        self.keyboard.types_enter = False

    def know(self, name: str, imported_by: str, module: ModuleCode) -> None:
        """Allow running `module` by its `name`; raises the exception of compiling it.

        A single module has the name `*`.
        """
        module.executable()
        self._known[name] = imported_by

    def type(self, typed: str) -> None:
        """Make the lines in `typed` the input of the current step, until its end."""
        self.keyboard.type(typed)
        self._surroundings.keyboard = self.keyboard

    def stop_typing(self) -> None:
        """Drop the input of a step, read or not."""
        if self._surroundings.keyboard is self.keyboard:
            self.keyboard.put_away()
            self._surroundings.keyboard = None

    def _new_keyboard(self) -> Keyboard:
        return Keyboard(self._stdout, self._surroundings.builtins.__dict__)

    def run(self, name: str, arguments: list[str], typed: str) -> int:
        """Run a program and return its exit code; raises any exception that it does not catch.

        Before that, its exit handlers run and its objects are collected, as at the end of a real
        process.
        """
        imported_by = self._known.get(name) or self._known["*"]
        sys.argv[:] = [f"{name}.py", *arguments]  # in place, for `from sys import argv`
        with self._standard_streams(typed) as keyboard:
            try:
                code = self._run_main(imported_by)
                self._check_final_enter(keyboard)
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

    def _check_final_enter(self, keyboard: Keyboard) -> None:
        """Raise the `EOFError` of a program that printed more after it got an extra Enter."""
        flush_output()
        if keyboard.waiting is not None:
            if self._stdout.has_gone_on:
                raise keyboard.waiting
            self._stdout.has_waited = True
            keyboard.waiting = None

    def _run_main(self, imported_by: str) -> int:
        """Run a program and its exit handlers; return its exit code."""
        # Nothing holds the globals of the program now, so its objects are collected.
        program = sys.modules["__main__"] = ModuleType("__main__")
        try:
            try:
                self._surroundings.importer.execute(imported_by, program)
            except _ImmediateExit:
                raise
            except BaseException:
                self._surroundings.at_exit.run()
                raise
            self._surroundings.at_exit.run()
        except SystemExit as exit_call:
            return self._exit_code(exit_call.code)
        except _ImmediateExit as exit_call:
            return exit_call.code % _EXIT_CODES
        return 0

    @contextmanager
    def _standard_streams(self, typed: str) -> Iterator[Keyboard]:
        """Replace standard input by the lines in `typed`, and `os._exit`; restore both."""
        os_namespace = vars(os)
        keyboard = self._new_keyboard()
        keyboard.type(typed)
        streams: Any = {0: keyboard.buffer, 1: self._stdout.buffer, 2: sys.stderr.buffer}
        saved = sys.stdin, os_namespace["_exit"]
        self._surroundings.files.chdir("/")
        self._surroundings.files.opened.update(streams)
        self._surroundings.keyboard = sys.stdin = keyboard
        os_namespace["_exit"] = _exit_at_once
        try:
            yield keyboard
        finally:
            sys.stdin, os_namespace["_exit"] = saved
            self._surroundings.keyboard = None
            self._surroundings.files.opened.clear()

    def _exit_code(self, code: object) -> int:
        """Return the exit code for `SystemExit(code)`; print a `code` that is not a number."""
        if code is None:
            return 0
        if isinstance(code, int):
            return int(code) % _EXIT_CODES
        self._stdout.write(f"{_str(str(code))}\n")
        return 1
