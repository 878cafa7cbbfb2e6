"""Runs a module of the submission as a program, such as `python table.py 5`, with typed input.

Its output is recorded, and so are the offsets in the output at which the program reads a line. The
offsets show the judge the prompts, and how many lines the program reads.
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
    """Stand in for `os._exit`: raise an exception that ends the program, but not the process."""
    raise _ImmediateExit(status)


class Programs:
    """Runs the modules of a submission as programs."""

    def __init__(self, surroundings: Surroundings, stdout: Stdout) -> None:
        """Run programs in these `surroundings`; their output goes to `stdout`."""
        self._surroundings: Final = surroundings
        self._stdout: Final = stdout
        self._import_names: Final[dict[str, str]] = {}
        self.keyboard: Final = self._new_keyboard()
        """The keyboard for input to steps, in the whole session.

        Unlike the keyboard of a program, it does not press Enter after the last line, because the
        step goes on after the call that read the line."""
        self.keyboard.adds_enter = False

    def register(self, name: str, import_name: str, module: ModuleCode) -> None:
        """Allow `run` to run `module` under `name`, or under any name if `name` is `*`.

        `import_name` is the name by which it is imported. Raises the exception that compiling the
        module raised.
        """
        module.executable()
        self._import_names[name] = import_name

    def set_step_input(self, input_text: str) -> None:
        """Make the lines in `input_text` the input of the current step, until it ends."""
        self.keyboard.set_input(input_text)
        self._surroundings.keyboard = self.keyboard

    def drop_step_input(self) -> None:
        """Discard the input of the current step, whether or not it was read."""
        if self._surroundings.keyboard is self.keyboard:
            self.keyboard.clear_input()
            self._surroundings.keyboard = None

    def _new_keyboard(self) -> Keyboard:
        return Keyboard(self._stdout, self._surroundings.builtins.__dict__)

    def run(self, name: str, arguments: list[str], input_text: str) -> int:
        """Run a program with these `arguments` and this input, and return its exit code.

        Raises any exception that the program does not catch. Before this returns or raises, the
        program's exit handlers run and its objects are collected, as at the end of a real process.
        """
        import_name = self._import_names.get(name) or self._import_names["*"]
        sys.argv[:] = [f"{name}.py", *arguments]  # in place, for `from sys import argv`
        with self._standard_streams(input_text) as keyboard:
            try:
                code = self._run_main(import_name)
                self._check_final_enter(keyboard)
            except LIMITS:
                raise
            except BaseException:
                if keyboard.withheld_error is not None:
                    # The program did not end after the extra Enter: it gets the result without it.
                    self._stdout.drop_after_final_read()
                    raise keyboard.withheld_error from None
                raise
            finally:
                sys.modules["__main__"] = ModuleType("__main__")
                _collect()
                flush_output()
        return code

    def _check_final_enter(self, keyboard: Keyboard) -> None:
        """Record that a program that got an extra Enter waited for it at its end.

        If the program printed more after that Enter, raises the `EOFError` that it would have got
        without the Enter. Does nothing if there was no extra Enter.
        """
        flush_output()
        if keyboard.withheld_error is not None:
            if self._stdout.has_printed_after_final_read:
                raise keyboard.withheld_error
            self._stdout.has_waited_at_end = True
            keyboard.withheld_error = None

    def _run_main(self, import_name: str) -> int:
        """Run a program and then its exit handlers; return its exit code.

        Raises any exception of the program or of its handlers that is not a way to exit.
        """
        # Replacing `__main__` drops the last reference to the globals of the previous program, so
        # that its objects are collected.
        program = sys.modules["__main__"] = ModuleType("__main__")
        try:
            try:
                self._surroundings.importer.execute(import_name, program)
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
    def _standard_streams(self, input_text: str) -> Iterator[Keyboard]:
        """Replace `os._exit`, and standard input by a new keyboard with the lines in `input_text`.

        Yields the keyboard. Both are restored at the end of the `with` block. In the block, the
        descriptors 0 to 2 mean the standard streams; afterwards, all descriptors are forgotten.
        The current folder becomes /.
        """
        os_namespace = vars(os)
        keyboard = self._new_keyboard()
        keyboard.set_input(input_text)
        streams: Any = {0: keyboard.buffer, 1: self._stdout.buffer, 2: sys.stderr.buffer}
        saved = sys.stdin, os_namespace["_exit"]
        self._surroundings.files.chdir("/")
        self._surroundings.files.open_files.update(streams)
        self._surroundings.keyboard = sys.stdin = keyboard
        os_namespace["_exit"] = _exit_at_once
        try:
            yield keyboard
        finally:
            sys.stdin, os_namespace["_exit"] = saved
            self._surroundings.keyboard = None
            self._surroundings.files.open_files.clear()

    def _exit_code(self, code: object) -> int:
        """Return the exit code for `SystemExit(code)`; print any `code` but None and numbers."""
        if code is None:
            return 0
        if isinstance(code, int):
            return int(code) % _EXIT_CODES
        # Python writes `code` to standard error; here it counts as output, because a console
        # session shows it as well (decision 42).
        self._stdout.write(f"{_str(str(code))}\n")
        return 1
