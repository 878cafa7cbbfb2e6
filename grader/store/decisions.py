"""Reads and writes the decisions in a store; their rows are never changed.

Withdrawing a decision adds another row, so the table shows who decided what, and when.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from grader.judging.deciding import Decision, Finding, Subject
from grader.store.database import Database, damage_error
from grader.verdict import RuleVerdict

_COLUMNS: Final = (
    *("uid", "decided_at", "decided_by", "exercise", "student", "suite", "about", "subject"),
    *("is_undone", "points", "verdict", "penalty", "because"),
    *("found_verdict", "found_points", "found_max"),
)
_NAMES: Final = ", ".join(_COLUMNS)
_INSERT: Final = (
    f"INSERT INTO decision ({_NAMES}) VALUES ({', '.join('?' * len(_COLUMNS))})"  # noqa: S608 - ours
    " ON CONFLICT (uid) DO NOTHING"
)


class Decisions:
    """The decisions in one store, in the order in which they were made."""

    def __init__(self, database: Database) -> None:
        """Read and write the decisions in `database`."""
        self._database: Final = database

    def __iter__(self) -> Iterator[Decision]:
        """Yield all decisions."""
        return self._where("1")

    def for_submission(self, exercise: str, student: str) -> tuple[Decision, ...]:
        """Return the decisions on one submission, including withdrawn ones."""
        return tuple(self._where("exercise = ? AND student = ?", exercise, student))

    def _where(self, condition: str, *parameters: str) -> Iterator[Decision]:
        """Yield the decisions that match the SQL `condition`, in the order of their ids.

        Raises `RecordError` if one of them is damaged.
        """
        query = f"SELECT {_NAMES} FROM decision WHERE {condition} ORDER BY id"  # noqa: S608
        for row in self._database.rows(query, parameters):
            try:
                yield _decision(row)
            except ValueError as error:  # this version does not know the subject or verdict
                raise damage_error(self._database.path, error) from error

    def by_entry(self) -> dict[tuple[str, str], tuple[Decision, ...]]:
        """Return all decisions as a dict keyed by exercise and student."""
        by_entry: dict[tuple[str, str], list[Decision]] = {}
        for decision in self:
            by_entry.setdefault((decision.exercise, decision.student), []).append(decision)
        return {key: tuple(decisions) for key, decisions in by_entry.items()}

    def add(self, decisions: Iterable[Decision]) -> dict[tuple[str, str], None]:
        """Add those of `decisions` that are new, in the caller's transaction.

        Return the exercise and student of each submission that got a new decision, as the keys of
        a dict, which keeps their order.
        """
        added: dict[tuple[str, str], None] = {}
        for decision in decisions:
            # The conflict clause inserts no row for a uid that is already stored.
            if self._database.connection.execute(_INSERT, _row(decision)).rowcount:
                added[decision.exercise, decision.student] = None
        return added


def _row(decision: Decision) -> tuple[object, ...]:
    """Return the values of `decision` in the order of `_COLUMNS`."""
    verdict = None if decision.verdict is None else decision.verdict.value
    return (
        *(decision.uid, decision.at, decision.by),
        *(decision.exercise, decision.student, decision.suite),
        *(decision.about.value, decision.subject, decision.is_undone),
        *(decision.points, verdict, decision.penalty, decision.because),
        *(decision.finding or (None, None, None)),
    )


def _decision(row: tuple[Any, ...]) -> Decision:
    """Return the decision in `row`, or raise `ValueError` if its subject or verdict is unknown."""
    values = dict(zip(_COLUMNS, row, strict=True))
    points, max_points = values["found_points"], values["found_max"]
    return Decision(
        uid=values["uid"],
        at=values["decided_at"],
        by=values["decided_by"],
        exercise=values["exercise"],
        student=values["student"],
        suite=values["suite"],
        about=Subject(values["about"]),
        subject=values["subject"],
        is_undone=bool(values["is_undone"]),
        points=values["points"],
        verdict=None if values["verdict"] is None else RuleVerdict(values["verdict"]),
        penalty=values["penalty"],
        because=values["because"],
        finding=None if points is None else Finding(values["found_verdict"], points, max_points),
    )
