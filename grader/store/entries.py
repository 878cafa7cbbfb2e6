"""The rows of the table of entries: whose submission each is, and which attempt of hers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final, NamedTuple

from grader.intake.people import Person
from grader.store.runs import AttemptFacts, RunEntry, entries

_COLUMNS: Final = (
    *("exercise", "student", "stem"),
    *("platform_id", "user_name", "name", "email", "members"),
    *("attempt", "submitted", "is_late"),
)
ENTRY_NAMES: Final = ", ".join(_COLUMNS)
"""The columns that an entry is kept in, its place and its record aside."""
ENTRY: Final = ", ".join(f"entry.{name}" for name in _COLUMNS)
"""The same, to be asked for."""
ENTRY_MARKS: Final = ", ".join("?" * (len(_COLUMNS) + 1))
"""One for its place in the run, and one for each column."""


class GradedEntry(NamedTuple):
    """What a run says of one entry, its record aside."""

    entry: RunEntry
    record_id: int
    status: str
    key: str
    submission: str
    suite: str
    environment: str
    pattern: str


def entry_row(entry: RunEntry) -> tuple[object, ...]:
    """Return the columns of `entry`."""
    person, attempt = entry.person or Person(), entry.attempt or AttemptFacts()
    submitted = None if attempt.submitted is None else attempt.submitted.isoformat()
    members = json.dumps([_plain(each) for each in person.members]) if person.members else None
    return (
        *(entry.exercise, entry.student, entry.stem),
        *(person.id, person.user, person.name, person.email, members),
        *(attempt.number, submitted, attempt.is_late),
    )


def _plain(member: Person) -> dict[str, str]:
    return {key: value for key, value in asdict(member).items() if value}


def entry_from(row: Sequence[Any]) -> RunEntry:
    """Return the entry of which the columns are given; raises `ValueError` for a damaged one."""
    exercise, student, stem, platform_id, user, name, email, members, *attempt = row
    person = {
        "id": platform_id,
        "user": user,
        "name": name,
        "email": email,
        "members": json.loads(members or "[]"),
    }
    facts = dict(zip(("number", "submitted", "is_late"), attempt, strict=True))
    return entries().validate_python(
        {
            "exercise": exercise,
            "student": student,
            "stem": stem,
            "person": person if any(person.values()) else None,
            "attempt": facts if set(facts.values()) != {None} else None,
        }
    )
