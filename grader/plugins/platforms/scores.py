"""Reads `scores.csv`, which Classroom 50 puts beside the clones, for names, teams and lateness.

In the row of each team member, `submitted_by` is the member who handed in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from grader.intake.files import SubmissionError
from grader.intake.people import Person
from grader.intake.sources import Leaf
from grader.intake.tables import MAX_TABLE_BYTES, read_table
from grader.plugins.platforms.dates import parse_iso_time

SCORES: Final = "scores.csv"
_LATE: Final = {"true": True, "false": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreEntry:
    """What the score tables contain about one clone."""

    person: Person
    """The student who handed in, or the team."""
    submitted: datetime | None = None
    is_late: bool | None = None


@dataclass(frozen=True, slots=True)
class Scores:
    """The rows of all score tables in a download."""

    rows: tuple[Mapping[str, str], ...] = ()

    @classmethod
    def read(cls, tables: Iterable[Leaf]) -> Scores:
        """Read the rows of `tables`; other and unreadable files are skipped."""
        rows: list[Mapping[str, str]] = []
        for table in tables:
            with suppress(SubmissionError, ValueError):
                header, *table_rows = read_table(table.read(MAX_TABLE_BYTES)) or [[]]
                if {"username", "submitted_by"} <= set(header):
                    rows += (dict(zip(header, line, strict=False)) for line in table_rows)
        return cls(tuple(rows))

    def for_user(self, user: str) -> ScoreEntry | None:
        """Return the data about the clone of `user`, or None if no row mentions `user`."""
        submitted_rows = [row for row in self.rows if _has_user(row, "submitted_by", user)]
        user_rows = [row for row in self.rows if _has_user(row, "username", user)]
        # Several rows with the same `submitted_by` are the members of one team.
        rows = submitted_rows or user_rows
        if not rows:
            return None
        first = next(iter(user_rows), rows[0])
        person = replace(_person(first), user=user)
        if len(rows) > 1:
            members = tuple(map(_person, rows))
            name = " & ".join(member.display_name for member in members)
            person = Person(name=name, user=user, members=members)
        late = _LATE.get(first.get("late", "").lower())
        submitted = parse_iso_time(first.get("datetime", ""))
        return ScoreEntry(person=person, submitted=submitted, is_late=late)

    def missing(self, users: Iterable[str]) -> tuple[Person, ...]:
        """Return the people in the tables who are neither among `users` nor in their teams."""
        present_users = {user.casefold() for user in users}
        return tuple(
            _person(row)
            for row in self.rows
            if not {row.get(key, "").casefold() for key in ("username", "submitted_by")}
            & present_users
        )


def _has_user(row: Mapping[str, str], key: str, user: str) -> bool:
    return row.get(key, "").casefold() == user.casefold()  # GitHub ignores case in user names


def _person(row: Mapping[str, str]) -> Person:
    name = " ".join(filter(None, (row.get("first_name"), row.get("last_name"))))
    return Person(
        name=name or None, user=row.get("username") or None, email=row.get("email") or None
    )
