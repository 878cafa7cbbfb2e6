"""Remarks about a submission as a whole, which cost no points."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from grader.judging.printing import unexpected_output
from grader.judging.results import TrialResult
from grader.messages import Message, message
from grader.sandbox.observation import Returned, Stop
from grader.sandbox.session_runs import SessionRun
from grader.suite.expectations import Exits
from grader.suite.session import Session
from grader.values.foreign_text import one_line
from grader.verdict import Visibility

_MAX_OUTPUTS: Final = 3
"""How many unexpected outputs are shown to staff, with at most `_OUTPUT_CHARS` characters each."""
_OUTPUT_CHARS: Final = 120


class Remarks:
    """Collects remarks from the sessions of one submission."""

    def __init__(self) -> None:
        """Start without remarks."""
        self._absent: Final[set[str]] = set()
        # Dicts serve as ordered sets, because remarks must not depend on hash order.
        self._unexpected_output: Final[dict[str, None]] = {}
        self.idle: Final[dict[str, None]] = {}
        """Modules that ran but neither read nor printed anything, although they should have."""
        self.stops: Final[dict[tuple[str, int], Stop]] = {}
        """Where modules stopped, keyed by file and line."""

    def record(self, attempt: TrialResult) -> None:
        """Record the absent and idle modules, the stops and the unexpected output of `attempt`.

        Only public sessions are recorded. The output of other sessions can contain hidden
        arguments, and so can the names of absent modules: a submission can choose what it imports.
        """
        session, run, _ = attempt
        if session.visibility is Visibility.PUBLIC:
            self._absent.update(run.imported.absent)
            self.idle.update(_find_idle_modules(session, run))
            for stop in run.imported.stops:
                self.stops.setdefault((stop.file, stop.line), stop)
            for text in unexpected_output(session, run):
                if len(self._unexpected_output) < _MAX_OUTPUTS:
                    self._unexpected_output[one_line(text.strip(), _OUTPUT_CHARS)] = None

    def student_remarks(self) -> Iterator[Message]:
        """Yield the remarks for the student."""
        if self._unexpected_output:
            yield message("remark.prints")
        if self._absent:
            yield message("remark.absent", modules=", ".join(sorted(self._absent)))

    def staff_remarks(self) -> Iterator[Message]:
        """Yield the remarks for staff."""
        if self._unexpected_output:
            yield message("staff.printed", text=" | ".join(self._unexpected_output))


def _find_idle_modules(session: Session, run: SessionRun) -> Iterator[tuple[str, None]]:
    """Yield each module that should have read or printed something in `run` but did neither.

    Each module is paired with None, so that the pairs can be passed to `dict.update`.
    """
    # Not strict, because a run whose executor died has fewer observations than its plan has items.
    for item, observation in zip(run.plan, run.observations, strict=False):
        step = session.steps[item.step_index]
        is_silent = not (observation.stdout.strip() or observation.read_offsets)
        match step.expectation, observation.outcome:
            case Exits(typed=typed, printed=printed), Returned() if is_silent and step.run:
                if typed or (printed is not None and printed.text.strip()):
                    yield step.run, None
