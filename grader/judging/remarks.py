"""What is told of a submission as a whole, and costs nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from grader.judging.printing import printed_unasked
from grader.judging.results import TrialResult
from grader.messages import Message, message
from grader.sandbox.observation import Returned, Stop
from grader.sandbox.session_runs import SessionRun
from grader.suite.expectations import Exits
from grader.suite.session import Session
from grader.values.foreign_text import one_line
from grader.verdict import Visibility

_MOST_PRINTED: Final = 3
"""So many texts that were printed unasked are shown to staff, of this length:"""
_PRINTED_CHARS: Final = 120


class Remarks:
    """What its sessions have shown of one submission so far."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._absent: Final[set[str]] = set()
        self._printed: Final[dict[str, None]] = {}
        self.idle: Final[dict[str, None]] = {}
        """Modules that were run, and neither asked nor printed what they should have."""
        self.stops: Final[dict[tuple[str, int], Stop]] = {}
        """Where modules have stopped, by the file and the line."""

    def take(self, attempt: TrialResult) -> None:
        """Take note of what `attempt` shows.

        What is printed in sessions that are not public may hold what they hand in, and is shown
        nowhere. So would what is imported tell of them: it can be made to hang on what they ask.
        """
        session, run, _ = attempt
        if session.visibility is Visibility.PUBLIC:
            self._absent.update(run.imported.absent)
            self.idle.update(_idle(session, run))
            for stop in run.imported.stops:
                self.stops.setdefault((stop.file, stop.line), stop)
            for text in printed_unasked(session, run):
                if len(self._printed) < _MOST_PRINTED:
                    self._printed[one_line(text.strip(), _PRINTED_CHARS)] = None

    def for_student(self) -> Iterator[Message]:
        """Yield what its student is told."""
        if self._printed:
            yield message("remark.prints")
        if self._absent:
            yield message("remark.absent", modules=", ".join(sorted(self._absent)))

    def for_staff(self) -> Iterator[Message]:
        """Yield what staff are told."""
        if self._printed:
            yield message("staff.printed", text=" | ".join(self._printed))


def _idle(session: Session, run: SessionRun) -> Iterator[tuple[str, None]]:
    """Yield the modules that were to ask or to print something, and ended without either."""
    for item, observation in zip(run.plan, run.observations, strict=False):
        step = session.steps[item.step_index]
        is_silent = not (observation.stdout.strip() or observation.asked)
        match step.expectation, observation.outcome:
            case Exits(typed=typed, printed=printed), Returned() if is_silent and step.run:
                if typed or (printed is not None and printed.text.strip()):
                    yield step.run, None
