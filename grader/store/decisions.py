"""What persons have decided, as a store keeps it: rows that are never changed.

Taking a decision back is another row. So the table shows who has decided what, and when.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from grader.judging.deciding import Decision, Finding, Subject
from grader.store.database import Database, damaged
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
        """Yield all of them."""
        return self._where("1")

    def of(self, exercise: str, student: str) -> tuple[Decision, ...]:
        """Return those on one submission, also those taken back."""
        return tuple(self._where("exercise = ? AND student = ?", exercise, student))

    def _where(self, condition: str, *of: str) -> Iterator[Decision]:
        question = f"SELECT {_NAMES} FROM decision WHERE {condition} ORDER BY id"  # noqa: S608
        for row in self._database.rows(question, of):
            try:
                yield _decision(row)
            except ValueError as error:  # a kind or a verdict that this version does not know
                raise damaged(self._database.path, error) from error

    def by_entry(self) -> dict[tuple[str, str], tuple[Decision, ...]]:
        """Return all of them, by exercise and student."""
        found: dict[tuple[str, str], list[Decision]] = {}
        for each in self:
            found.setdefault((each.exercise, each.student), []).append(each)
        return {key: tuple(decisions) for key, decisions in found.items()}

    def add(self, decisions: Iterable[Decision]) -> dict[tuple[str, str], None]:
        """Add those that are new, in a transaction; return whose they are."""
        added: dict[tuple[str, str], None] = {}
        for each in decisions:
            # No row if the uid is known: then the conflict clause has done nothing.
            if self._database.connection.execute(_INSERT, _row(each)).rowcount:
                added[each.exercise, each.student] = None
        return added


def _row(decision: Decision) -> tuple[object, ...]:
    verdict = None if decision.verdict is None else decision.verdict.value
    return (
        *(decision.uid, decision.at, decision.by),
        *(decision.exercise, decision.student, decision.suite),
        *(decision.about.value, decision.subject, decision.is_undone),
        *(decision.points, verdict, decision.penalty, decision.because),
        *(decision.finding or (None, None, None)),
    )


def _decision(row: tuple[Any, ...]) -> Decision:
    told = dict(zip(_COLUMNS, row, strict=True))
    points, most = told["found_points"], told["found_max"]
    return Decision(
        uid=told["uid"],
        at=told["decided_at"],
        by=told["decided_by"],
        exercise=told["exercise"],
        student=told["student"],
        suite=told["suite"],
        about=Subject(told["about"]),
        subject=told["subject"],
        is_undone=bool(told["is_undone"]),
        points=told["points"],
        verdict=None if told["verdict"] is None else RuleVerdict(told["verdict"]),
        penalty=told["penalty"],
        because=told["because"],
        finding=None if points is None else Finding(told["found_verdict"], points, most),
    )
