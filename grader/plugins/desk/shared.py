"""Mistakes that several students make, looked at and decided on once for all of them.

Students make the same mistake if they fail a case with the same wrong answer, or with the same
exception at the same line of code, as the overview has it; if a part of the exercise is missing, so
that nothing of it can be tried; or if nothing of theirs can be run, for the same reason.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from grader.cli.mark_input import AskedMark
from grader.errors import UsageError
from grader.judging.deciding import Subject, in_force
from grader.judging.record import CaseResult
from grader.plugins.desk.queue import QueueRow
from grader.plugins.desk.run_desk import RunDesk, asked, given
from grader.reporting.class_analysis import Failure, clusters, failure_key
from grader.verdict import Status

_MAX_MISTAKES: Final = 200
"""Mistakes of one exercise that are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedMistake:
    """A mistake that several students make."""

    key: str
    exercise: str
    said: str
    """The step that fails, the part that cannot be tried, or the reason why nothing can be run."""
    failure: Failure | None
    """The failure in its smallest session, None if nothing could be run."""
    part: str = ""
    """The title of the group of which nothing could be tried, "" for other mistakes."""
    names: tuple[tuple[str, str], ...]
    """The entries of the students who make it, by name."""
    others: int = 0
    """Number of other cases that exactly the same students fail."""

    @property
    def path(self) -> str:
        """The address of its page at the desk."""
        return f"/m/{self.key}"


def shared_mistakes(rows: Sequence[QueueRow]) -> list[SharedMistake]:
    """Return the mistakes that two or more of `rows` make, by exercise, the most common first."""
    exercises = dict.fromkeys(sorted(row.entry.exercise for row in rows))
    found: list[SharedMistake] = []
    for exercise in exercises:
        rows_of_exercise = [row for row in rows if row.entry.exercise == exercise]
        mistakes = [
            *_failed_cases(exercise, rows_of_exercise),
            *_untried_parts(exercise, rows_of_exercise),
            *_unrunnable(exercise, rows_of_exercise),
        ]
        found += sorted(mistakes, key=lambda each: -len(each.names))[:_MAX_MISTAKES]
    return found


def _failed_cases(exercise: str, rows: Sequence[QueueRow]) -> Iterator[SharedMistake]:
    for each in clusters([row.overview.failures for row in rows]):
        yield SharedMistake(
            key=each.failure.key,
            exercise=exercise,
            said=each.failure.code,
            failure=each.failure,
            names=tuple(rows[place].entry.name for place in each.members),
            others=each.others,
        )


def _unrunnable(exercise: str, rows: Sequence[QueueRow]) -> Iterator[SharedMistake]:
    by_remark: dict[str, list[QueueRow]] = {}
    for row in rows:
        if row.overview.stopped is not None:
            by_remark.setdefault(row.overview.remarks[0], []).append(row)
    for said, rows_of_exercise in by_remark.items():
        if len(rows_of_exercise) > 1:
            names = tuple(row.entry.name for row in rows_of_exercise)
            key = _key(exercise, said)
            yield SharedMistake(key=key, exercise=exercise, said=said, failure=None, names=names)


def _untried_parts(exercise: str, rows: Sequence[QueueRow]) -> Iterator[SharedMistake]:
    """Yield the groups of which nothing could be tried in two submissions or more."""
    by_title: dict[str, list[QueueRow]] = {}
    for row in rows:
        if row.overview.status is Status.GRADED:
            for title in dict.fromkeys(
                group.title for group in row.overview.groups if not group.ran
            ):
                by_title.setdefault(title, []).append(row)
    for title, rows_of_exercise in by_title.items():
        if len(rows_of_exercise) > 1:
            yield SharedMistake(
                key=_key(exercise, "part", title),
                exercise=exercise,
                said=f"nothing of this part can be tried: {title}",
                failure=None,
                part=title,
                names=tuple(row.entry.name for row in rows_of_exercise),
            )


def _key(*parts: str) -> str:
    # `ascii` keeps the parts apart, and escapes lone surrogates, which UTF-8 cannot encode.
    return hashlib.sha256(ascii(parts).encode("ascii")).hexdigest()[:32]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForAll:
    """A decision for all students who make a mistake; empty fields decide nothing."""

    points: str = ""
    """For the case, or the part, or in total if nothing could be run."""
    because: str = ""
    comment: str = ""
    item: str = ""
    """The id of an item of the rubric."""


def decide_for_all(desk: RunDesk, mistake: SharedMistake, decided: ForAll) -> list[str]:
    """Store what is `decided` for all who make `mistake`; return their names."""
    if not (decided.points or decided.comment or decided.item):
        raise UsageError("there is nothing to decide", help="give points, or a comment")
    rows = [desk.row(name) for name in mistake.names]
    marks = [*_pointed(desk, rows, mistake, decided), *_commented(desk, rows, mistake, decided)]
    if decided.item:
        recipients = [row for row in rows if not desk.has(row, decided.item)]
        marks += [given(row, desk.item(row, decided.item)) for row in recipients]
    if not marks:
        raise UsageError("all of these students have that comment or item already")
    return desk.decide(marks, answers=False)


def _pointed(
    desk: RunDesk, rows: Sequence[QueueRow], mistake: SharedMistake, decided: ForAll
) -> Iterator[AskedMark]:
    if not decided.points:
        return
    subject = _subject(desk, rows[0], mistake)
    for row in rows:
        yield replace(asked(row, *subject), points=decided.points, because=decided.because)


def _subject(desk: RunDesk, row: QueueRow, mistake: SharedMistake) -> tuple[Subject, str]:
    """Return the subject of decisions on points for `mistake`, the same for all who make it."""
    if mistake.failure is not None:  # whose key has the id of the case in it
        return Subject.CASE, _case(desk, row, mistake.key).id
    if mistake.part:
        groups = desk.found(row).groups
        return Subject.GROUP, next(each.id for each in groups if each.title == mistake.part)
    return Subject.TOTAL, ""


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
    """Return `comment` appended to the one that is there, None if that already contains it."""
    about = Subject.LINE if mark.line else Subject.PAGE
    stands = in_force(desk.decisions(row))
    there = [e.because for e in stands if (e.about, e.subject) == (about, mark.line)]
    if not there:
        return comment
    return None if comment in there[0].split("\n") else f"{there[0]}\n{comment}"
