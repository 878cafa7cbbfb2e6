"""What is graded, and how: the facts that reports need besides the records."""

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
"""A safe name for a folder or file: no path leads out of the folder of the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptFacts:
    """Which attempt of a person is graded, as far as the platform says."""

    number: int | None = None
    """The platform's number, from 1."""
    submitted: datetime | None = None
    is_late: bool | None = None
    """Whether the platform marked it as late."""
    deadline: str | None = None
    """The student's own deadline, in place of the common one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEntry:
    """One submission to grade, and where its files are in the folder of the run."""

    exercise: _Slug
    student: str
    """The student's unique name, the same in a later run over the same hand-ins."""
    stem: _Slug
    person: Person | None = None
    """None if students have pseudonyms."""
    attempt: AttemptFacts | None = None

    @property
    def name(self) -> tuple[str, str]:
        """Its identity in every run: the exercise and the student."""
        return self.exercise, self.student

    @property
    def called(self) -> str:
        """The student's name in reports."""
        return (self.person and self.person.name) or self.student

    @property
    def page(self) -> str:
        """Path of its page."""
        return f"{self.exercise}/{self.stem}.html"

    @property
    def sheet(self) -> str:
        """Path of its sheet."""
        return f"{self.exercise}/sheets/{self.stem}.html"


def names_apart(entries: Sequence[RunEntry]) -> Mapping[tuple[str, str], str]:
    """Return a name for the student of each of `entries`, so that no two names are equal."""
    names = {entry.name: entry.called for entry in entries}
    students = _students_by_name(entries, names)
    for entry in entries:
        if len(students[entry.called.casefold()]) > 1:
            has_name = entry.student.casefold().startswith(entry.called.casefold())
            full_name = entry.student if has_name else f"{entry.called} ({entry.student})"
            names[entry.name] = full_name
    students = _students_by_name(entries, names)
    return {
        entry.name: name if len(students[name.casefold()]) == 1 else entry.student
        for entry in entries
        for name in (names[entry.name],)
    }


def _students_by_name(
    entries: Iterable[RunEntry], names: Mapping[tuple[str, str], str]
) -> Mapping[str, Collection[str]]:
    students: dict[str, set[str]] = {}
    for entry in entries:
        students.setdefault(names[entry.name].casefold(), set()).add(entry.student)
    return students


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What breaking a rule costs, as its suite says."""

    id: str
    group: str | None
    points: float | None
    cap: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteFacts:
    """What a run keeps of a suite."""

    sha256: str
    asks: str
    """Hash of its questions, without points."""
    title: str
    max_score: float
    prices: tuple[Price, ...] = ()
    """Of the rules that can cost points."""


@dataclass(frozen=True, slots=True)
class Shard:
    """The share of a run that is graded separately: every `count`-th submission."""

    number: int
    """From 1."""
    count: int

    def positions(self, total: int) -> range:
        """Return the indices of its submissions among `total`."""
        return range(self.number - 1, total, self.count)

    @property
    def folder(self) -> str:
        """Name of the folder with its store."""
        return f"shard-{self.number}-of-{self.count}"

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """How a run is graded: the same from the command line to the store."""

    pages: bool = True
    """Whether pages are written as submissions are graded; not kept."""
    sheets: bool = False
    self_contained: bool = False
    """Whether each page includes its style and script."""
    public: bool = False
    keeps_hand_ins: bool = True
    """False if students have pseudonyms: their files may name them."""
    least_isolation: int | None = None
    """The level below which nothing is graded; each record has the level that was reached."""
    deadline: str | None = None
    late: str | None = None
    """The terms for late hand-ins."""
    sources: tuple[str, ...] = ()
    """Absolute paths of the sources, in which a download's names are found again."""
    shard: Shard | None = None
    """Which part of the run is graded, if not all: the entries are those of the whole run."""

    @property
    def least_level(self) -> int:
        """The level of isolation below which nothing is graded."""
        return self.least_isolation or 0

    def for_store(self) -> RunSettings:
        """Return the settings that a store may keep: paths may name students."""
        return self if self.keeps_hand_ins else replace(self, sources=())


@dataclass(frozen=True, slots=True)
class LeftOutPath:
    """A file or folder among the sources that was not graded, and why, in English."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What is to be graded, and how."""

    entries: tuple[RunEntry, ...]
    """In the order of the results."""
    language: str
    """Of the overview."""
    settings: RunSettings = field(default_factory=RunSettings)
    suites: Mapping[str, SuiteFacts] = field(default_factory=dict)
    """By exercise."""
    grader_version: str = __version__
    regrades: str | None = None
    """The name of the run whose hand-ins are graded again, if any."""
    has_own_tests: bool = False
    """Whether an instructor's own tests graded, instead of a suite."""
    left_out: tuple[LeftOutPath, ...] = ()
    """Files and folders among the sources that were not graded."""

    def to_json(self) -> dict[str, Any]:
        """Return everything except the entries, as a store keeps it."""
        left_out: Any = {"entries": True, "settings": {"pages"}}
        kept = replace(self, settings=self.settings.for_store())
        if not self.settings.keeps_hand_ins:
            kept = replace(kept, left_out=())  # they may be names
        facts: dict[str, Any] = _adapter().dump_python(kept, mode="json", exclude=left_out)
        return {**facts.pop("settings"), **facts}

    @classmethod
    def from_json(cls, form: Any, entries: tuple[RunEntry, ...]) -> Run:
        """Return the run that `to_json` turned into `form`; raises `ValueError` if malformed."""
        facts = {**form, "settings": form, "entries": entries} if isinstance(form, dict) else form
        return _adapter().validate_python(facts)


@cache
def _adapter() -> TypeAdapter[Run]:
    return TypeAdapter(Run)


@cache
def entries() -> TypeAdapter[RunEntry]:
    """Return the adapter that validates entries."""
    return TypeAdapter(RunEntry)


# The rows of the table of entries: the student of each submission, and the attempt.


_COLUMNS: Final = (
    *("exercise", "student", "stem"),
    *("platform_id", "user_name", "name", "email", "members"),
    *("attempt", "submitted", "is_late", "deadline"),
)
ENTRY_NAMES: Final = ", ".join(_COLUMNS)
"""The columns of an entry, without its position and its record."""
ENTRY: Final = ", ".join(f"entry.{name}" for name in _COLUMNS)
"""The same, for a selection."""
ENTRY_MARKS: Final = ", ".join("?" * (len(_COLUMNS) + 1))
"""One for its position in the run, and one for each column."""


class GradedEntry(NamedTuple):
    """The facts of one graded entry, without its record."""

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
    members = (
        json.dumps([_member_fields(each) for each in person.members]) if person.members else None
    )
    return (
        *(entry.exercise, entry.student, entry.stem),
        *(person.id, person.user, person.name, person.email, members),
        *(attempt.number, submitted, attempt.is_late, attempt.deadline),
    )


def _member_fields(member: Person) -> dict[str, str]:
    return {key: value for key, value in asdict(member).items() if value}


def entry_from(row: Sequence[Any]) -> RunEntry:
    """Return the entry with these columns; raises `ValueError` if it is damaged."""
    exercise, student, stem, platform_id, user, name, email, members, *attempt = row
    person = {
        "id": platform_id,
        "user": user,
        "name": name,
        "email": email,
        "members": json.loads(members or "[]"),
    }
    facts = dict(zip(("number", "submitted", "is_late", "deadline"), attempt, strict=True))
    return entries().validate_python(
        {
            "exercise": exercise,
            "student": student,
            "stem": stem,
            "person": person if any(person.values()) else None,
            "attempt": facts if set(facts.values()) != {None} else None,
        }
    )
