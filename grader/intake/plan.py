"""The plan: who is graded on which files, and what was left out and why.

A plan is made from names and small tables, without reading any hand-in. Its guesses list every
decision with weaker evidence than a platform's data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import takewhile
from typing import Final

from grader.intake.joining import KnownPerson, People
from grader.intake.layouts import hidden_hand_ins, recognise_layouts
from grader.intake.layouts.recognition import KnownExercise, LeftOut, Recognition
from grader.intake.people import Attempt, Person, sort_attempts
from grader.intake.roster import Roster
from grader.intake.source_joining import join_download_parts, join_hand_ins
from grader.intake.sources import Source
from grader.intake.submissions import HandIn, number_duplicates, read_hand_in, student_name
from grader.messages import Message

_MAX_GUESSES: Final = 200


class Choice(StrEnum):
    """Which of several attempts is graded."""

    LATEST = "latest"
    FIRST = "first"
    BEST = "best"
    """The best attempt is known only after grading them all; until then it is the latest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions:
    """A teacher's options for reading the sources."""

    known_exercise: KnownExercise = field(default_factory=KnownExercise)
    layout: str | None = None
    pattern: str | None = None
    roster: Roster | None = None
    choice: Choice = Choice.LATEST


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanEntry:
    """A person, and the one of her attempts that is graded."""

    student: str
    """The person's name in the run, which is unique."""
    person: Person
    attempts: tuple[Attempt, ...]
    """All attempts, oldest first."""
    attempt: Attempt
    """The attempt that is graded."""
    remarks: tuple[Message, ...] = ()
    deadline: str | None = None
    """The person's own deadline in the roster, which overrides the common one."""

    def hand_in(self) -> HandIn:
        """Return the hand-in of the attempt that is graded; reads its files."""
        return read_hand_in(
            self.student,
            self.attempt.leaves,
            remarks=(*self.remarks, *self.attempt.remarks),
            refusals=self.attempt.refusals,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanSource:
    """How a source was understood."""

    name: str
    layouts: tuple[str, ...]
    evidence: tuple[str, ...]
    """A sentence for each layout."""
    person_count: int
    """How many people were found in the source."""
    has_python: bool
    """Whether the source contains a file with a Python suffix."""
    left_out: tuple[LeftOut, ...] = ()
    lost_paths: tuple[str, ...] = ()
    """Omitted folders and files that might be a student's work."""

    @property
    def is_half_lost(self) -> bool:
        """Whether at least half of the people who handed in might be missing."""
        return bool(self.lost_paths) and len(self.lost_paths) >= self.person_count


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Who would be graded on which files."""

    sources: tuple[PlanSource, ...]
    entries: tuple[PlanEntry, ...]
    missing: tuple[Person, ...] | None = None
    """People who handed in nothing; None if there is no roster, and no platform lists any."""
    has_roster: bool = False
    """Whether `missing` comes from a roster rather than a platform."""
    guesses: tuple[str, ...] = ()


def make_plan(sources: Sequence[Source], options: PlanOptions) -> Plan:
    """Return the plan for grading `sources`.

    Raises `UsageError` if the roster has different deadlines for the members of one group.
    """
    plan_sources: list[PlanSource] = []
    people = People(options.roster)
    missing: list[Person] = []
    joined_sources = join_download_parts(sources, people.guesses)
    recognise = _caching_recogniser(options)
    if options.layout is None and options.pattern is None:
        joined_sources = join_hand_ins(joined_sources, recognise)
    for source in joined_sources:
        recognitions = recognise(source)
        counts = [people.add(recognition) for recognition in recognitions]
        plan_sources.append(_plan_source(source, recognitions, sum(counts)))
        for recognition in recognitions:
            missing += recognition.missing
            people.guesses += [f"{source.name}: {guess}" for guess in recognition.guesses]
    # Determined only now: somebody who is missing from one source might be in a later one.
    absent = tuple(person for person in missing if not people.contains(person))
    entries = [_plan_entry(known, options.choice, people.guesses) for known in people.known]
    return Plan(
        sources=tuple(plan_sources),
        entries=tuple(_make_names_unique(entries)),
        missing=people.missing(options.roster) if options.roster else absent or None,
        has_roster=options.roster is not None,
        guesses=(*people.report_lines(), *people.guesses[:_MAX_GUESSES]),
    )


def _caching_recogniser(options: PlanOptions) -> Callable[[Source], Sequence[Recognition]]:
    """Return a function that recognises the layouts of a source and caches the result.

    Each source is needed twice: to find hand-ins that belong together, and for the plan itself.
    """
    cache: list[tuple[Source, Sequence[Recognition]]] = []

    def recognise(source: Source) -> Sequence[Recognition]:
        """Return the layouts of `source`, from the cache if possible."""
        for known_source, recognitions in cache:
            if known_source is source:  # a source contains dictionaries, so it is not hashable
                return recognitions
        recognitions = recognise_layouts(
            source, options.known_exercise, layout=options.layout, pattern=options.pattern
        )
        cache.append((source, recognitions))
        return recognitions

    return recognise


def _plan_entry(known: KnownPerson, choice: Choice, guesses: list[str]) -> PlanEntry:
    """Return the entry for `known`; append to `guesses` if the order of attempts is a guess."""
    attempts, is_sure = sort_attempts(known.attempts)
    if not is_sure:
        graded = "first" if choice is Choice.FIRST else "last"
        guesses.append(
            f"{known.person.short_name}: it is uncertain which of {len(attempts)} attempts came"
            f" {graded}; they were sorted by the times of their files, or else kept in source order"
        )
    return PlanEntry(
        student=known.person.display_name,
        person=known.person,
        attempts=tuple(attempts),
        attempt=attempts[0 if choice is Choice.FIRST else -1],
        deadline=known.deadline,
    )


def _plan_source(
    source: Source, recognitions: Sequence[Recognition], person_count: int
) -> PlanSource:
    """Return how `source` was understood, and everything that was left out."""
    left_out = [
        LeftOut(path, reason) for path, reason in source.refusals if not path or not recognitions
    ]
    left_out += [path for recognition in recognitions for path in recognition.left_out]
    left_out += hidden_hand_ins(source, recognitions)
    return PlanSource(
        name=source.name,
        layouts=tuple(recognition.layout for recognition in recognitions),
        evidence=tuple(recognition.evidence for recognition in recognitions),
        person_count=person_count,
        has_python=any(leaf.path.lower().endswith(".py") for leaf in source.leaves),
        left_out=tuple(dict.fromkeys(left_out)),
        lost_paths=_possible_hand_ins(recognitions, left_out),
    )


def _possible_hand_ins(
    recognitions: Sequence[Recognition], left_out: Sequence[LeftOut]
) -> tuple[str, ...]:
    """Return the omitted paths that might be hand-ins, shortened to the students' folders."""
    omitted_paths = [omitted.path for omitted in left_out if omitted.may_be_hand_in]
    attempts = (attempt for recognition in recognitions for attempt in recognition.attempts)
    in_attempts = [leaf.path for attempt in attempts for leaf in attempt.leaves.values()]
    folders = [path.split("/")[:-1] for path in (*in_attempts, *omitted_paths)]
    # In sorted order, a prefix shared by the first and last folder is shared by all.
    first, last = min(folders, default=[]), max(folders, default=[])
    pairs = zip(first, last, strict=False)
    depth = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return tuple(dict.fromkeys("/".join(path.split("/")[: depth + 1]) for path in omitted_paths))


# Names


def _make_names_unique(entries: Sequence[PlanEntry]) -> Iterable[PlanEntry]:
    """Yield `entries` with unique names: to equal ones, a user name, id, email or number is added.

    An entry that gets a number has a remark on it.
    """
    names = [student_name(entry.student) for entry in entries]
    counts = Counter(name.casefold() for name in names)
    longer_names = [
        name if counts[name.casefold()] == 1 else _with_identifier(name, entry.person)
        for name, entry in zip(names, entries, strict=True)
    ]
    for entry, (student, remarks) in zip(entries, number_duplicates(longer_names), strict=True):
        yield replace(entry, student=student, remarks=remarks)


def _with_identifier(name: str, person: Person) -> str:
    identifier = person.user or person.id or person.email
    if not identifier or identifier == name:
        return name
    return student_name(f"{name[:80]} ({identifier})")  # shortened to leave room for the identifier
