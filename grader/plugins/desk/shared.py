"""Mistakes that several make: looked at once, and decided on or commented for all of them at once.

Who fails a case with the same wrong answer, or with the same exception at the same line of code,
makes the same mistake, as the overview has it; and so does who cannot be run for the same reason.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from grader.cli.mark_input import AskedMark
from grader.errors import UsageError
from grader.judging.deciding import Subject, standing
from grader.judging.record import CaseResult
from grader.plugins.desk.queue import QueueRow
from grader.plugins.desk.run_desk import RunDesk, asked, given
from grader.reporting.class_analysis import Failure, clusters, failure_key

_MOST: Final = 200
"""Mistakes of one exercise that are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedMistake:
    """What several students do wrong in the same way."""

    key: str
    exercise: str
    said: str
    """The step that fails, or the reason why nothing can be run."""
    failure: Failure | None
    """As the smallest session shows it; None where nothing could be run."""
    names: tuple[tuple[str, str], ...]
    """Whose it is, by the names of entries."""
    others: int = 0
    """Further cases that the very same students fail."""

    @property
    def path(self) -> str:
        """The address of its page at the desk."""
        return f"/m/{self.key}"


def shared_mistakes(rows: Sequence[QueueRow]) -> list[SharedMistake]:
    """Return the mistakes that two of `rows` make or more, by exercise, the most common first."""
    exercises = dict.fromkeys(sorted(row.entry.exercise for row in rows))
    found: list[SharedMistake] = []
    for exercise in exercises:
        of_it = [row for row in rows if row.entry.exercise == exercise]
        mistakes = [*_failing(exercise, of_it), *_stopped(exercise, of_it)]
        found += sorted(mistakes, key=lambda each: -len(each.names))[:_MOST]
    return found


def _failing(exercise: str, rows: Sequence[QueueRow]) -> Iterator[SharedMistake]:
    for each in clusters([row.overview.failures for row in rows]):
        yield SharedMistake(
            key=each.failure.key,
            exercise=exercise,
            said=each.failure.code,
            failure=each.failure,
            names=tuple(rows[place].entry.name for place in each.members),
            others=each.others,
        )


def _stopped(exercise: str, rows: Sequence[QueueRow]) -> Iterator[SharedMistake]:
    alike: dict[str, list[QueueRow]] = {}
    for row in rows:
        if row.overview.stopped is not None:
            alike.setdefault(row.overview.remarks[0], []).append(row)
    for said, of_it in alike.items():
        if len(of_it) > 1:
            key = hashlib.sha256(ascii((exercise, said)).encode("ascii")).hexdigest()[:32]
            names = tuple(row.entry.name for row in of_it)
            yield SharedMistake(key=key, exercise=exercise, said=said, failure=None, names=names)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForAll:
    """What is decided for all who make a mistake; what was left out is empty."""

    points: str = ""
    """Of the case; where nothing could be run, of the whole."""
    because: str = ""
    comment: str = ""
    item: str = ""
    """Of the rubric."""


def decide_for_all(desk: RunDesk, mistake: SharedMistake, decided: ForAll) -> int:
    """Store what is `decided` for all who make `mistake`; return for how many that is."""
    if not (decided.points or decided.comment or decided.item):
        raise UsageError("nothing is decided", help="give points, or a comment")
    rows = [desk.row(name) for name in mistake.names]
    marks = [*_pointed(desk, rows, mistake, decided), *_commented(desk, rows, mistake, decided)]
    if decided.item:
        lacking = [row for row in rows if not desk.has(row, decided.item)]
        marks += [given(row, desk.item(row, decided.item)) for row in lacking]
    if not marks:
        raise UsageError("all of them have that already")
    return desk.decide(marks)


def _pointed(
    desk: RunDesk, rows: Sequence[QueueRow], mistake: SharedMistake, decided: ForAll
) -> Iterator[AskedMark]:
    if not decided.points:
        return
    # The key of a failure has the id of its case in it: it is the same for all.
    case_id = "" if mistake.failure is None else _case(desk, rows[0], mistake.key).id
    for row in rows:
        mark = asked(row, Subject.CASE, case_id) if case_id else asked(row, Subject.TOTAL)
        yield replace(mark, points=decided.points, because=decided.because)


def _commented(
    desk: RunDesk, rows: Sequence[QueueRow], mistake: SharedMistake, decided: ForAll
) -> Iterator[AskedMark]:
    has_line = mistake.failure is not None and mistake.failure.line
    for row in rows if decided.comment else ():
        at = _case(desk, row, mistake.key).source if has_line else None
        place = "" if at is None else f"{at.file}:{at.line}"
        mark = asked(row, Subject.LINE, place) if place else asked(row, Subject.PAGE)
        if (comment := _joined(desk, row, mark, decided.comment)) is not None:
            yield replace(mark, comment=comment)


def _case(desk: RunDesk, row: QueueRow, key: str) -> CaseResult:
    return next(each for each in desk.found(row).cases if failure_key(each) == key)


def _joined(desk: RunDesk, row: QueueRow, mark: AskedMark, comment: str) -> str | None:
    """Return `comment` below what is said there already, or None where that says it too."""
    about = Subject.LINE if mark.line else Subject.PAGE
    stands = standing(desk.decisions(row))
    there = [e.because for e in stands if (e.about, e.subject) == (about, mark.line)]
    if not there:
        return comment
    return None if comment in there[0].split("\n") else f"{there[0]}\n{comment}"
