"""Runs the modules of a submission, and keeps their definitions if one of them stops early.

A module that raises, reads input or exits after it has bound a name that the exercise requests is
still useful: the stop is reported, and the rest of the module is skipped. If a cell of a notebook
stops, the later cells still run, as in Jupyter. A module that exceeds a limit would do so in every
session, so the executor reports the line and ends. Later executors get the module without that
statement and without the code after it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from types import CodeType, FunctionType, TracebackType
from typing import Any, Final, NamedTuple, NoReturn

from grader.executor.raising import describe_exception, traceback_of
from grader.executor.rewriting import run_code
from grader.executor.stdout import OutputLimitReached
from grader.protocol import MAX_STOPS

_frame: Final = sys._getframe  # noqa: SLF001 - the frame of the module has the line
_MEMORY: Final = "memory"
_OUTPUT: Final = "output"


class _RunningCode(NamedTuple):
    """Code that is running: that of the module called `name`, or of one cell of it."""

    name: str
    code: CodeType
    names: dict[str, Any]
    is_cell: bool


class Stops:
    """Runs the modules of one session, and records where they stop."""

    def __init__(
        self,
        requested_names: Mapping[str, Collection[str]],
        file_names: Collection[str],
        begin_cell: Callable[[], None],
        cut: Callable[[list[object]], NoReturn],
    ) -> None:
        """Keep a module that stops early, provided that it defines one of its `requested_names`.

        `begin_cell` is called before each later cell of a notebook. `cut` reports a cut, given as
        module, line and limit, and ends the executor.
        """
        self._requested_names: Final = requested_names
        self._file_names: Final = file_names
        self._begin_cell: Final = begin_cell
        self._cut: Final = cut
        self._active: Final[list[_RunningCode]] = []
        self.records: Final[list[dict[str, object]]] = []
        """The file, the line and a description of the exception for each stop."""
        self.may_cut = False
        """Whether code that exceeds a limit can be cut, which is so only during the import."""

    def run(self, name: str, codes: Sequence[CodeType], names: dict[str, Any]) -> None:
        """Run the `codes` of the module called `name` with the globals `names`.

        If one of them stops, that is recorded in `records`, and the later ones still run. If the
        module is then unusable, its records are removed, and the first exception is raised.
        """
        is_notebook, record_count = are_notebook_cells(codes), len(self.records)
        first_error: BaseException | None = None
        try:
            for index, code in enumerate(codes):
                if index and self.may_cut:
                    self._begin_cell()
                running = _RunningCode(name, code, names, is_notebook)
                error = self._run_code(running)
                first_error = error if first_error is None else first_error
            if first_error is not None and not self._is_usable(running):
                del self.records[record_count:]
                raise first_error
        finally:
            del first_error  # its traceback refers to this frame: together they form a cycle

    def _run_code(self, running: _RunningCode) -> BaseException | None:
        """Run the code; record and return the exception that stopped it, or return None.

        An exceeded limit is not recorded. It is reported as a cut, which ends the executor, or the
        exception is raised if cuts are not allowed or the module is unusable.
        """
        self._active.append(running)
        try:
            run_code(running.code, running.names)
        except BaseException as error:
            line = _line_in(traceback_of(error), running.code)
            if (limit := _exceeded_limit(error)) is not None:
                if self.may_cut and (running.is_cell or self._is_usable(running)):
                    self._cut([running.name, line, limit])
                raise
            description = describe_exception(error, self._file_names)
            file = running.code.co_filename
            self.records.append({"file": file, "line": line, "raised": description})
            del self.records[MAX_STOPS:]  # a notebook can have any number of cells that stop
            return error
        else:
            return None
        finally:
            self._active.pop()

    def cut_here(self, limit: str) -> None:
        """Report a cut, which ends the executor, if a running module is already usable.

        Do nothing if none is, or if cuts are not allowed. `limit` is the limit that was exceeded.
        """
        for running in reversed(self._active if self.may_cut else ()):
            if running.is_cell or self._is_usable(running):
                frame = _frame()
                while frame.f_back is not None and frame.f_code is not running.code:
                    frame = frame.f_back
                self._cut([running.name, frame.f_lineno, limit])

    def _is_usable(self, running: _RunningCode) -> bool:
        """Return whether the running module has already defined a requested name.

        A notebook from which no name is requested is usable if it has defined any function or
        class.
        """
        wanted = self._requested_names.get(running.name)
        if wanted:
            return any(name in running.names for name in wanted)
        return running.is_cell and any(
            type(value) is FunctionType or type(value) is type
            for value in [*running.names.values()]
        )


def are_notebook_cells(codes: Sequence[CodeType]) -> bool:
    """Return whether `codes` are the cells of a notebook."""
    return codes[0].co_filename.endswith(".ipynb")


def _exceeded_limit(error: BaseException) -> str | None:
    """Return the name of the limit that `error` reports, or None if it reports none."""
    if type(error) is MemoryError:  # exact type: `isinstance` can run the submission's code
        return _MEMORY
    return _OUTPUT if type(error) is OutputLimitReached else None


def _line_in(traceback: TracebackType | None, code: CodeType) -> int:
    """Return the line of `code` at which the traceback passes through it, or 0 if it does not."""
    while traceback is not None and traceback.tb_frame.f_code is not code:
        traceback = traceback.tb_next
    return 0 if traceback is None else traceback.tb_lineno or 0
