"""Remarks about a submission as a whole, which cost no points."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from grader.judging.printing import unasked_output
from grader.judging.results import TrialResult
from grader.messages import Message, message
from grader.sandbox.observation import Returned, Stop
from grader.sandbox.session_runs import SessionRun
from grader.suite.expectations import Exits
from grader.suite.session import Session
from grader.values.foreign_text import one_line
from grader.verdict import Visibility

_MAX_PRINTED: Final = 3
"""Texts printed unasked that are shown to staff, at most `_PRINTED_CHARS` of each."""
_PRINTED_CHARS: Final = 120


class Remarks:
    """Collects what the sessions of one submission have shown so far."""

    def __init__(self) -> None:
        """Start empty."""
        self._absent: Final[set[str]] = set()
        self._printed: Final[dict[str, None]] = {}
        self.idle: Final[dict[str, None]] = {}
        """Modules that ran, but neither asked nor printed anything although they should have."""
        self.stops: Final[dict[tuple[str, int], Stop]] = {}
        """Where modules stopped, by file and line."""

    def record(self, attempt: TrialResult) -> None:
        """Record what `attempt` shows, if its session is public.

        Output of other sessions may contain their hidden arguments, so it is never shown. Imports
        would leak too: a submission can make them depend on what a hidden session passes in.
        """
        session, run, _ = attempt
        if session.visibility is Visibility.PUBLIC:
            self._absent.update(run.imported.absent)
            self.idle.update(_idle(session, run))
            for stop in run.imported.stops:
                self.stops.setdefault((stop.file, stop.line), stop)
            for text in unasked_output(session, run):
                if len(self._printed) < _MAX_PRINTED:
                    self._printed[one_line(text.strip(), _PRINTED_CHARS)] = None

    def for_student(self) -> Iterator[Message]:
        """Yield the remarks for the student."""
        if self._printed:
            yield message("remark.prints")
        if self._absent:
            yield message("remark.absent", modules=", ".join(sorted(self._absent)))

    def for_staff(self) -> Iterator[Message]:
        """Yield the remarks for staff."""
        if self._printed:
            yield message("staff.printed", text=" | ".join(self._printed))


def _idle(session: Session, run: SessionRun) -> Iterator[tuple[str, None]]:
    """Yield the modules that should have asked or printed something but did neither."""
    for item, observation in zip(run.plan, run.observations, strict=False):
        step = session.steps[item.step_index]
        is_silent = not (observation.stdout.strip() or observation.asked)
        match step.expectation, observation.outcome:
            case Exits(typed=typed, printed=printed), Returned() if is_silent and step.run:
                if typed or (printed is not None and printed.text.strip()):
                    yield step.run, None
