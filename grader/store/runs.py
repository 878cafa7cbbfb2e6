"""What was to be graded, and how: what reports tell besides the records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Annotated

from pydantic import StringConstraints, TypeAdapter

from grader import __version__
from grader.intake.people import Person

_Slug = Annotated[str, StringConstraints(pattern="^[a-z0-9_-]+$")]
"""What can be the name of a folder or of a file: no path leads out of the folder of the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptFacts:
    """Which attempt of a person is graded, as far as the platform tells."""

    number: int | None = None
    """As the platform counts, from 1 on."""
    submitted: datetime | None = None
    is_late: bool | None = None
    """As the platform has marked it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEntry:
    """One submission that was to be graded, and where its files are in the folder of the run."""

    exercise: _Slug
    student: str
    """By which the run knows her, also in a later run over the same hand-ins."""
    stem: _Slug
    person: Person | None = None
    """Not where students have pseudonyms."""
    attempt: AttemptFacts | None = None

    @property
    def name(self) -> tuple[str, str]:
        """By which it is known in every run: its exercise, and its student."""
        return self.exercise, self.student

    @property
    def called(self) -> str:
        """What she is called in reports."""
        return (self.person and self.person.name) or self.student

    @property
    def page(self) -> str:
        """Path of its page."""
        return f"{self.exercise}/{self.stem}.html"

    @property
    def sheet(self) -> str:
        """Path of its sheet."""
        return f"{self.exercise}/sheets/{self.stem}.html"


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What it costs to break a rule, as its suite says."""

    id: str
    group: str | None
    points: float | None
    cap: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteFacts:
    """What a run keeps of a suite."""

    sha256: str
    asks: str
    """Hash of what it asks, points aside."""
    title: str
    max_score: float
    prices: tuple[Price, ...] = ()
    """Of the rules that can cost points."""


@dataclass(frozen=True, slots=True)
class Shard:
    """The share of a run that is graded by itself: one submission in so many."""

    number: int
    """From 1 on."""
    count: int

    def positions(self, total: int) -> range:
        """Return the places of its submissions among `total`."""
        return range(self.number - 1, total, self.count)

    @property
    def folder(self) -> str:
        """Name of the folder where its store is."""
        return f"shard-{self.number}-of-{self.count}"

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How a run was graded."""

    language: str
    """Of the overview."""
    sheets: bool = False
    self_contained: bool = False
    """Whether each page has its own style and script in it."""
    public: bool = False
    seed: str | None = None
    keeps_hand_ins: bool = True
    """Not where students have pseudonyms: their files may name them."""
    least_isolation: int | None = None
    """The level that was asked for; each record has the one that was reached."""
    deadline: str | None = None
    late: str | None = None
    """What is taken from what comes after the deadline."""
    suites: Mapping[str, SuiteFacts] = field(default_factory=dict)
    """By exercise."""
    sources: tuple[str, ...] = ()
    """What was named, as paths from the root: names of a download are found in it again."""
    grader_version: str = __version__
    regrades: str | None = None
    """The name of the run whose hand-ins are graded again, if they are."""
    has_own_tests: bool = False
    """Whether tests of an instructor have graded, and no suite."""
    shard: Shard | None = None
    """What of the run is in this store, if not all: the entries are those of the whole run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What is to be graded, and how."""

    entries: tuple[RunEntry, ...]
    """In the order of the results."""
    manner: Manner


@cache
def manners() -> TypeAdapter[Manner]:
    """Return what reads and writes how a run was graded."""
    return TypeAdapter(Manner)


@cache
def entries() -> TypeAdapter[RunEntry]:
    """Return what reads entries."""
    return TypeAdapter(RunEntry)
