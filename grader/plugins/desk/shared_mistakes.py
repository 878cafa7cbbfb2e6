"""Mistakes that several students make, so that one decision covers all of them.

Students make the same mistake if

- they fail a case with the same wrong answer, or with the same exception on the same line of code,
  as in the overview,
- no case in some part of the exercise can be tried, because they have not written that part, or
- their code cannot be run, for the same reason.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from grader.cli.mark_input import MarkInput
from grader.errors import UsageError
from grader.judging.deciding import Subject, in_force
from grader.judging.record import CaseResult
from grader.plugins.desk.queue import QueueRow
from grader.plugins.desk.run_desk import RunDesk, blank_mark, item_mark
from grader.reporting.class_analysis import Failure, failure_key, find_clusters
from grader.verdict import Status

_MAX_MISTAKES: Final = 200
"""The largest number of mistakes to list for one exercise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedMistake:
    """A mistake that several students make."""

    key: str
    exercise: str
    title: str
    """The failing step, the part that cannot be tried, or the reason why the code cannot be run."""
    failure: Failure | None
    """The failure in its shortest session, or None if the mistake is not a failing case."""
    part: str = ""
    """The title of the group in which no case can be tried, or "" for other mistakes."""
    names: tuple[tuple[str, str], ...]
    """The identities of the entries whose students make the mistake."""
    others: int = 0
    """The number of other cases that exactly the same students fail."""

    @property
    def path(self) -> str:
        """The address of its page at the desk."""
        return f"/m/{self.key}"


def shared_mistakes(rows: Sequence[QueueRow]) -> list[SharedMistake]:
    """Return the mistakes that two or more of `rows` have in common.

    They are sorted by exercise. The most common ones of an exercise come first, and those beyond
    `_MAX_MISTAKES` are left out.
    """
    exercises = dict.fromkeys(sorted(row.entry.exercise for row in rows))
    shared: list[SharedMistake] = []
    for exercise in exercises:
        rows_of_exercise = [row for row in rows if row.entry.exercise == exercise]
        mistakes = [
            *_failed_cases(exercise, rows_of_exercise),
            *_untried_parts(exercise, rows_of_exercise),
            *_unrunnable(exercise, rows_of_exercise),
        ]
        shared += sorted(mistakes, key=lambda mistake: -len(mistake.names))[:_MAX_MISTAKES]
    return shared


def _failed_cases(exercise: str, rows: Sequence[QueueRow]) -> Iterator[SharedMistake]:
    """Yield the failures that two or more submissions have in common."""
    for cluster in find_clusters([row.overview.failures for row in rows]):
        yield SharedMistake(
            key=cluster.failure.key,
            exercise=exercise,
            title=cluster.failure.code,
            failure=cluster.failure,
            names=tuple(rows[index].entry.identity for index in cluster.members),
            others=cluster.others,
        )


def _unrunnable(exercise: str, rows: Sequence[QueueRow]) -> Iterator[SharedMistake]:
    """Yield the reasons why the code of two or more submissions cannot be run."""
    by_remark: dict[str, list[QueueRow]] = {}
    for row in rows:
        if row.overview.stopped is not None:
            by_remark.setdefault(row.overview.remarks[0], []).append(row)
    for remark, sharing_rows in by_remark.items():
        if len(sharing_rows) > 1:
            names = tuple(row.entry.identity for row in sharing_rows)
            key = _key(exercise, remark)
            yield SharedMistake(key=key, exercise=exercise, title=remark, failure=None, names=names)


def _untried_parts(exercise: str, rows: Sequence[QueueRow]) -> Iterator[SharedMistake]:
    """Yield the groups in which no case can be tried, for two or more submissions."""
    by_title: dict[str, list[QueueRow]] = {}
    for row in rows:
        if row.overview.status is Status.GRADED:
            for title in dict.fromkeys(
                group.title for group in row.overview.groups if not group.ran
            ):
                by_title.setdefault(title, []).append(row)
    for title, sharing_rows in by_title.items():
        if len(sharing_rows) > 1:
            yield SharedMistake(
                key=_key(exercise, "part", title),
                exercise=exercise,
                title=f"no case in this part can be tried: {title}",
                failure=None,
                part=title,
                names=tuple(row.entry.identity for row in sharing_rows),
            )


def _key(*parts: str) -> str:
    """Return a key for a mistake that is safe in an address."""
    # `ascii` separates the parts unambiguously, and escapes lone surrogates, which UTF-8 cannot
    # encode.
    return hashlib.sha256(ascii(parts).encode("ascii")).hexdigest()[:32]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionForAll:
    """The form fields of a decision for all students who make a mistake; empty if not filled in."""

    points: str = ""
    """Points for the case or the part, or the total if the code cannot be run."""
    because: str = ""
    comment: str = ""
    item: str = ""
    """The id of a rubric item."""


def decide_for_all(desk: RunDesk, mistake: SharedMistake, fields: DecisionForAll) -> list[str]:
    """Store the decisions in `fields` for all who make `mistake`. Return the students' names.

    Their requests stay unanswered. Raises `UsageError` if there is nothing to decide, if the rubric
    does not have the item, or if all these students already have the comment or the item.
    """
    if not (fields.points or fields.comment or fields.item):
        raise UsageError(
            "points, comment and item are all empty", help="fill in at least one of them"
        )
    rows = [desk.row(identity) for identity in mistake.names]
    marks = [*_point_marks(desk, rows, mistake, fields), *_comments(desk, rows, mistake, fields)]
    if fields.item:
        recipients = [row for row in rows if not desk.has_item(row, fields.item)]
        marks += [item_mark(row, desk.item(row, fields.item)) for row in recipients]
    if not marks:
        given = " and that ".join(["comment"] * bool(fields.comment) + ["item"] * bool(fields.item))
        raise UsageError(
            f"all of these students already have that {given}",
            help="write another comment, or choose another item",
        )
    return desk.decide(marks, answers=False)


def _point_marks(
    desk: RunDesk, rows: Sequence[QueueRow], mistake: SharedMistake, fields: DecisionForAll
) -> Iterator[MarkInput]:
    """Yield a mark with the points for each of `rows`; none if the field is empty."""
    if not fields.points:
        return
    subject = _subject(desk, rows[0], mistake)
    for row in rows:
        yield replace(blank_mark(row, *subject), points=fields.points, because=fields.because)


def _subject(desk: RunDesk, row: QueueRow, mistake: SharedMistake) -> tuple[Subject, str]:
    """Return the subject of decisions on points for `mistake`. It is the same in every row."""
    if mistake.failure is not None:  # its key includes the id of the case, so one row is enough
        return Subject.CASE, _case(desk, row, mistake.key).id
    if mistake.part:
        groups = desk.graded_record(row).groups
        return Subject.GROUP, next(group.id for group in groups if group.title == mistake.part)
    return Subject.TOTAL, ""


def _comments(
    desk: RunDesk, rows: Sequence[QueueRow], mistake: SharedMistake, fields: DecisionForAll
) -> Iterator[MarkInput]:
    """Yield marks that put the comment on the line that raises the exception, or on the page.

    Students who already have the comment are skipped.
    """
    has_line = mistake.failure is not None and mistake.failure.line
    for row in rows if fields.comment else ():
        location = _case(desk, row, mistake.key).source if has_line else None
        line = "" if location is None else f"{location.file}:{location.line}"
        mark = blank_mark(row, Subject.LINE, line) if line else blank_mark(row, Subject.PAGE)
        if (comment := _appended(desk, row, mark, fields.comment)) is not None:
            yield replace(mark, comment=comment)


def _case(desk: RunDesk, row: QueueRow, key: str) -> CaseResult:
    """Return the case that `row` fails with the mistake that has this `key`."""
    return next(case for case in desk.graded_record(row).cases if failure_key(case) == key)


def _appended(desk: RunDesk, row: QueueRow, mark: MarkInput, comment: str) -> str | None:
    """Return `comment` appended to the one that `mark` would replace, if there is one.

    Return None if the existing comment already contains it.
    """
    # A line or page has only one comment, so a new one would replace the existing one.
    key = Subject.LINE if mark.line else Subject.PAGE, mark.line
    texts = {(each.about, each.subject): each.because for each in in_force(desk.decisions(row))}
    if key not in texts:
        return comment
    return None if comment in texts[key].split("\n") else f"{texts[key]}\n{comment}"
