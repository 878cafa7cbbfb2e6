"""Runs the modules of a submission, and keeps what they have defined if one of them stops.

A module that raises, asks for input or exits after it has bound a name that the exercise asks for
is still useful: the stop is reported, and the rest of the module is left out. If a cell of a
notebook stops, the cells after it still run, as in Jupyter. A module that exceeds a limit would do
so in each session: the executor reports the place and ends. Later executors get the module without
that statement and what follows it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from types import CodeType, FunctionType, TracebackType
from typing import Any, Final, NamedTuple, NoReturn

from grader.executor.raising import raised, traceback_of
from grader.executor.rewriting import run_code
from grader.executor.stdout import OutputLimitReached
from grader.protocol import MAX_STOPS

_frame: Final = sys._getframe  # noqa: SLF001 - its frame has the line
_MEMORY: Final = "memory"
_OUTPUT: Final = "output"


class _Running(NamedTuple):
    """Code of the module called `name` that is running."""

    name: str
    code: CodeType
    names: dict[str, Any]
    is_cell: bool


class Stops:
    """The stops in the modules of one session."""

    def __init__(
        self,
        asked: Mapping[str, Collection[str]],
        file_names: Collection[str],
        begin_cell: Callable[[], None],
        cut: Callable[[list[object]], NoReturn],
    ) -> None:
        """Keep modules that define a name in `asked`; `cut` reports a cut and ends the executor."""
        self._asked: Final = asked
        self._file_names: Final = file_names
        self._begin_cell: Final = begin_cell
        self._cut: Final = cut
        self._active: Final[list[_Running]] = []
        self.told: Final[list[dict[str, object]]] = []
        """Where modules have stopped, and why."""
        self.cuts = False
        """Whether code that exceeds a limit can be cut, which is only so during the import."""

    def run(self, name: str, codes: Sequence[CodeType], names: dict[str, Any]) -> None:
        """Run the module called `name`, with globals `names`, as far as it goes.

        Raises the exception that stops it if the module is then unusable.
        """
        is_notebook, earlier = is_of_notebook(codes), len(self.told)
        first_error: BaseException | None = None
        try:
            for number, code in enumerate(codes):
                if number and self.cuts:
                    self._begin_cell()
                running = _Running(name, code, names, is_notebook)
                error = self._run_code(running)
                first_error = error if first_error is None else first_error
            if first_error is not None and not self._is_usable(running):
                del self.told[earlier:]
                raise first_error
        finally:
            del first_error  # its traceback refers to this frame, which would be a cycle

    def _run_code(self, running: _Running) -> BaseException | None:
        """Run the code; record and return the exception that stopped it, or return None."""
        self._active.append(running)
        try:
            run_code(running.code, running.names)
        except BaseException as error:
            line = _line_in(traceback_of(error), running.code)
            if (limit := _exceeded_limit(error)) is not None:
                if self.cuts and (running.is_cell or self._is_usable(running)):
                    self._cut([running.name, line, limit])
                raise
            description = raised(error, self._file_names)
            file = running.code.co_filename
            self.told.append({"file": file, "line": line, "raised": description})
            del self.told[MAX_STOPS:]
            return error
        else:
            return None
        finally:
            self._active.pop()

    def cut_here(self, limit: str) -> None:
        """End the executor with a cut if a running module is usable without its rest."""
        for running in reversed(self._active if self.cuts else ()):
            if running.is_cell or self._is_usable(running):
                frame = _frame()
                while frame.f_back is not None and frame.f_code is not running.code:
                    frame = frame.f_back
                self._cut([running.name, frame.f_lineno, limit])

    def _is_usable(self, running: _Running) -> bool:
        """Return whether the module defines a name that is asked for."""
        wanted = self._asked.get(running.name)
        if wanted:
            return any(name in running.names for name in wanted)
        return running.is_cell and any(
            type(value) is FunctionType or type(value) is type
            for value in [*running.names.values()]
        )


def is_of_notebook(codes: Sequence[CodeType]) -> bool:
    """Return whether these are the cells of a notebook."""
    return codes[0].co_filename.endswith(".ipynb")


def _exceeded_limit(error: BaseException) -> str | None:
    """Return the limit that `error` reports, or None if it reports none."""
    if type(error) is MemoryError:  # exact type: `isinstance` may run the submission's code
        return _MEMORY
    return _OUTPUT if type(error) is OutputLimitReached else None


def _line_in(traceback: TracebackType | None, code: CodeType) -> int:
    while traceback is not None and traceback.tb_frame.f_code is not code:
        traceback = traceback.tb_next
    return 0 if traceback is None else traceback.tb_lineno or 0
