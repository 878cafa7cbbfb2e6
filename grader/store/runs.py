"""Describes a run: its entries, suites and settings, which reports need besides the records."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import cache
from typing import Annotated, Any, Final, NamedTuple

from pydantic import StringConstraints, TypeAdapter

from grader import __version__
from grader.intake.people import Person

_Slug = Annotated[str, StringConstraints(pattern="^[a-z0-9_-]+$")]
"""A safe name for a folder or file: it cannot form a path that leaves the run's folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptFacts:
    """Which attempt of a person is graded, as far as the platform records it."""

    number: int | None = None
    """The number that the platform gave it, from 1."""
    submitted: datetime | None = None
    is_late: bool | None = None
    """Whether the platform marked it as late."""
    deadline: str | None = None
    """The student's own deadline, which replaces the common one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEntry:
    """One submission to grade, with the paths of its page and sheet in the run's folder."""

    exercise: _Slug
    student: str
    """The student's unique name, which is the same in later runs on the same hand-ins."""
    stem: _Slug
    """The file name of its page and sheet, without a suffix."""
    person: Person | None = None
    """None if students have pseudonyms."""
    attempt: AttemptFacts | None = None

    @property
    def identity(self) -> tuple[str, str]:
        """The exercise and the student, which identify the entry in every run."""
        return self.exercise, self.student

    @property
    def display_name(self) -> str:
        """The name by which reports call the student."""
        return (self.person and self.person.name) or self.student

    @property
    def page(self) -> str:
        """The path of its page in the run's folder."""
        return f"{self.exercise}/{self.stem}.html"

    @property
    def sheet(self) -> str:
        """The path of its sheet in the run's folder."""
        return f"{self.exercise}/sheets/{self.stem}.html"


def distinct_names(entries: Sequence[RunEntry]) -> Mapping[tuple[str, str], str]:
    """Return a distinct display name for the student of each entry, keyed by `RunEntry.identity`.

    Names that differ only in case count as equal. The student's unique name is added to a name that
    several students share, or replaces it if the result would still not be distinct.
    """
    names = {entry.identity: entry.display_name for entry in entries}
    students = _students_by_name(entries, names)
    for entry in entries:
        if len(students[entry.display_name.casefold()]) > 1:
            begins_with_name = entry.student.casefold().startswith(entry.display_name.casefold())
            full_name = (
                entry.student if begins_with_name else f"{entry.display_name} ({entry.student})"
            )
            names[entry.identity] = full_name
    students = _students_by_name(entries, names)
    return {
        entry.identity: name if len(students[name.casefold()]) == 1 else entry.student
        for entry in entries
        for name in (names[entry.identity],)
    }


def _students_by_name(
    entries: Iterable[RunEntry], names: Mapping[tuple[str, str], str]
) -> Mapping[str, Collection[str]]:
    """Return the students of `entries`, keyed by their casefolded `names`."""
    students: dict[str, set[str]] = {}
    for entry in entries:
        students.setdefault(names[entry.identity].casefold(), set()).add(entry.student)
    return students


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """The points that a suite takes off for breaking a rule."""

    id: str
    group: str | None
    points: float | None
    cap: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteFacts:
    """The data about a suite that a run stores."""

    sha256: str
    asks: str
    """The hash of its questions, without points."""
    title: str
    max_score: float
    prices: tuple[Price, ...] = ()
    """The prices of the rules that can cost points."""


@dataclass(frozen=True, slots=True)
class Shard:
    """The part of a run that is graded separately: every `count`-th submission."""

    number: int
    """The number of the shard, from 1."""
    count: int

    def positions(self, total: int) -> range:
        """Return the indices of the shard's submissions among `total` submissions."""
        return range(self.number - 1, total, self.count)

    @property
    def folder(self) -> str:
        """The name of the folder with the shard's store."""
        return f"shard-{self.number}-of-{self.count}"

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """The settings of a run, passed unchanged from the command line to the store."""

    pages: bool = True
    """Whether pages are written while submissions are graded; not stored."""
    sheets: bool = False
    self_contained: bool = False
    """Whether each page contains its style sheet and script."""
    public: bool = False
    keeps_hand_ins: bool = True
    """False if students have pseudonyms, because their files might contain their names."""
    least_isolation: int | None = None
    """The isolation level below which nothing is graded; records contain the level reached."""
    deadline: str | None = None
    late: str | None = None
    """The terms for late hand-ins."""
    sources: tuple[str, ...] = ()
    """Absolute paths of the sources, where the names of a download can be looked up again."""
    shard: Shard | None = None
    """The part of the run that is graded, or None for all of it; the run always has all entries."""

    @property
    def least_level(self) -> int:
        """The isolation level below which nothing is graded, or 0 if any level will do."""
        return self.least_isolation or 0

    def for_store(self) -> RunSettings:
        """Return the settings to store.

        In an anonymous run, they lack the sources, whose paths might contain students' names.
        """
        return self if self.keeps_hand_ins else replace(self, sources=())


@dataclass(frozen=True, slots=True)
class LeftOutPath:
    """A file or folder among the sources that was not graded, with the reason in English."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The submissions to grade, and how to grade them."""

    entries: tuple[RunEntry, ...]
    """In the order of the results."""
    language: str
    """The language of the overview."""
    settings: RunSettings = field(default_factory=RunSettings)
    suites: Mapping[str, SuiteFacts] = field(default_factory=dict)
    """The suites, keyed by exercise."""
    grader_version: str = __version__
    regrades: str | None = None
    """The name of the earlier run whose hand-ins are graded again, if any."""
    has_own_tests: bool = False
    """Whether submissions are graded with an instructor's own tests instead of a suite."""
    left_out: tuple[LeftOutPath, ...] = ()
    """Files and folders among the sources that were not graded."""

    def to_json(self) -> dict[str, Any]:
        """Return everything that a store keeps of the run, except the entries."""
        excluded: Any = {"entries": True, "settings": {"pages"}}
        run = replace(self, settings=self.settings.for_store())
        if not self.settings.keeps_hand_ins:
            run = replace(run, left_out=())  # paths might contain students' names
        facts: dict[str, Any] = _adapter().dump_python(run, mode="json", exclude=excluded)
        return {**facts.pop("settings"), **facts}

    @classmethod
    def from_json(cls, data: Any, entries: tuple[RunEntry, ...]) -> Run:
        """Return the run in `data`, from `to_json`, or raise `ValueError` if it is malformed."""
        # The settings are stored among the other keys; pydantic ignores keys without a field.
        facts = {**data, "settings": data, "entries": entries} if isinstance(data, dict) else data
        return _adapter().validate_python(facts)


@cache
def _adapter() -> TypeAdapter[Run]:
    return TypeAdapter(Run)


@cache
def entry_adapter() -> TypeAdapter[RunEntry]:
    """Return the pydantic adapter that validates entries."""
    return TypeAdapter(RunEntry)


# A row of the table `entry` has the student of a submission, and the attempt.


_COLUMNS: Final = (
    *("exercise", "student", "stem"),
    *("platform_id", "user_name", "name", "email", "members"),
    *("attempt", "submitted", "is_late", "deadline"),
)
ENTRY_COLUMNS: Final = ", ".join(_COLUMNS)
"""The columns of an entry, except its position, its record and its mark."""
QUALIFIED_COLUMNS: Final = ", ".join(f"entry.{name}" for name in _COLUMNS)
"""The same columns, qualified by the table, for queries that join tables."""
ENTRY_PLACEHOLDERS: Final = ", ".join("?" * (len(_COLUMNS) + 1))
"""Placeholders for the position in the run, and for each of the columns."""


class GradedEntry(NamedTuple):
    """A graded entry, with its record's status and hashes, but not the record itself."""

    entry: RunEntry
    record_id: int
    status: str
    key: str
    submission: str
    suite: str
    environment: str
    pattern: str


def entry_row(entry: RunEntry) -> tuple[object, ...]:
    """Return the values of `entry` for the columns in `ENTRY_COLUMNS`."""
    person, attempt = entry.person or Person(), entry.attempt or AttemptFacts()
    submitted = None if attempt.submitted is None else attempt.submitted.isoformat()
    members = (
        json.dumps([_member_fields(member) for member in person.members])
        if person.members
        else None
    )
    return (
        *(entry.exercise, entry.student, entry.stem),
        *(person.id, person.user, person.name, person.email, members),
        *(attempt.number, submitted, attempt.is_late, attempt.deadline),
    )


def _member_fields(member: Person) -> dict[str, str]:
    return {key: value for key, value in asdict(member).items() if value}


def parse_entry_row(row: Sequence[Any]) -> RunEntry:
    """Return the entry in `row`, from `entry_row`, or raise `ValueError` if it is damaged."""
    exercise, student, stem, platform_id, user, name, email, members, *attempt = row
    person = {
        "id": platform_id,
        "user": user,
        "name": name,
        "email": email,
        "members": json.loads(members or "[]"),
    }
    facts = dict(zip(("number", "submitted", "is_late", "deadline"), attempt, strict=True))
    return entry_adapter().validate_python(
        {
            "exercise": exercise,
            "student": student,
            "stem": stem,
            "person": person if any(person.values()) else None,
            "attempt": facts if set(facts.values()) != {None} else None,
        }
    )
