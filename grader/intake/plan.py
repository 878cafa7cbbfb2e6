"""The plan: who is graded on which files, and what was left out and why.

A plan is made from names and small tables; no hand-in is read for it. No guess is silent:
decisions with weaker evidence than a platform's data are listed in its guesses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import takewhile
from typing import Final

from grader.intake.joining import KnownPerson, People
from grader.intake.layouts import hidden_hand_ins, recognised
from grader.intake.layouts.recognition import LeftOut, Recognition, Wanted
from grader.intake.people import Attempt, Person, in_order
from grader.intake.roster import Roster
from grader.intake.sources import Source
from grader.intake.submissions import HandIn, collected_from, student_name, with_numbers
from grader.intake.together import with_hand_ins_together, with_parts_together
from grader.messages import Message

_MAX_GUESSES: Final = 200


class Choice(StrEnum):
    """Which of several attempts is graded."""

    LATEST = "latest"
    FIRST = "first"
    BEST = "best"
    """Known only after all are graded; until then it is the latest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions:
    """A teacher's options for reading the sources."""

    wanted: Wanted = field(default_factory=Wanted)
    layout: str | None = None
    pattern: str | None = None
    roster: Roster | None = None
    choice: Choice = Choice.LATEST


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanEntry:
    """A person who is graded on one attempt, of which there may be several."""

    student: str
    """The person's name in the run, which is unique."""
    person: Person
    attempts: tuple[Attempt, ...]
    """All attempts, oldest first."""
    attempt: Attempt
    """The attempt that is graded."""
    remarks: tuple[Message, ...] = ()
    deadline: str | None = None
    """The person's own deadline in the roster, in place of the common one."""

    def hand_in(self) -> HandIn:
        """Read the attempt that is graded."""
        return collected_from(
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
    people: int
    """How many people were found in it."""
    has_python: bool
    """Whether a file in it is named like Python."""
    left_out: tuple[LeftOut, ...] = ()
    lost: tuple[str, ...] = ()
    """Folders and files left out that may be a student's work."""

    @property
    def is_half_lost(self) -> bool:
        """Whether at least half of the people who handed in may be missing."""
        return bool(self.lost) and len(self.lost) >= self.people


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Who would be graded on which files."""

    sources: tuple[PlanSource, ...]
    entries: tuple[PlanEntry, ...]
    missing: tuple[Person, ...] | None = None
    """People who handed in nothing; None if neither a roster nor a platform lists them."""
    has_roster: bool = False
    """Whether `missing` is from a roster, rather than a platform."""
    guesses: tuple[str, ...] = ()


def plan_of(sources: Sequence[Source], options: PlanOptions) -> Plan:
    """Return the plan for grading `sources`."""
    plan_sources: list[PlanSource] = []
    people = People(options.roster)
    missing: list[Person] = []
    joined = with_parts_together(sources, people.guesses)
    recognise = _cached_recognition(options)
    if options.layout is None and options.pattern is None:
        joined = with_hand_ins_together(joined, recognise)
    for source in joined:
        recognitions = recognise(source)
        counts = [people.add(recognition) for recognition in recognitions]
        plan_sources.append(_plan_source(source, recognitions, sum(counts)))
        for recognition in recognitions:
            missing += recognition.missing
            people.guesses += [f"{source.name}: {guess}" for guess in recognition.guesses]
    absent = tuple(person for person in missing if not people.knows(person))
    entries = [_entry(known, options.choice, people.guesses) for known in people.known]
    return Plan(
        sources=tuple(plan_sources),
        entries=tuple(_with_unique_names(entries)),
        missing=people.missing(options.roster) if options.roster else absent or None,
        has_roster=options.roster is not None,
        guesses=(*people.report_lines(), *people.guesses[:_MAX_GUESSES]),
    )


def _cached_recognition(options: PlanOptions) -> Callable[[Source], Sequence[Recognition]]:
    """Return a function that recognises the layouts of a source, cached by source."""
    cache: list[tuple[Source, Sequence[Recognition]]] = []

    def recognise(source: Source) -> Sequence[Recognition]:
        for each, found in cache:
            if each is source:  # a source has no hash, because it holds dictionaries
                return found
        found = recognised(source, options.wanted, layout=options.layout, pattern=options.pattern)
        cache.append((source, found))
        return found

    return recognise


def _entry(known: KnownPerson, choice: Choice, guesses: list[str]) -> PlanEntry:
    """Return the entry for `known`; add to `guesses` if the order of attempts is a guess."""
    attempts, is_sure = in_order(known.attempts)
    if not is_sure:
        guesses.append(
            f"no times tell which of {len(attempts)} attempts of {known.person.shown} came"
            " last: told by the times of its files, or else by the order in which they were named"
        )
    return PlanEntry(
        student=known.person.called,
        person=known.person,
        attempts=tuple(attempts),
        attempt=attempts[0 if choice is Choice.FIRST else -1],
        deadline=known.deadline,
    )


def _plan_source(source: Source, recognitions: Sequence[Recognition], people: int) -> PlanSource:
    """Return how `source` was understood, with everything left out of it."""
    left_out = [
        LeftOut(path, reason) for path, reason in source.refusals if not path or not recognitions
    ]
    left_out += [each for recognition in recognitions for each in recognition.left_out]
    left_out += hidden_hand_ins(source, recognitions)
    return PlanSource(
        name=source.name,
        layouts=tuple(recognition.layout for recognition in recognitions),
        evidence=tuple(recognition.evidence for recognition in recognitions),
        people=people,
        has_python=any(leaf.path.lower().endswith(".py") for leaf in source.leaves),
        left_out=tuple(dict.fromkeys(left_out)),
        lost=_possible_hand_ins(recognitions, left_out),
    )


def _possible_hand_ins(
    recognitions: Sequence[Recognition], left_out: Sequence[LeftOut]
) -> tuple[str, ...]:
    """Return the paths in `left_out` that may be hand-ins, or the folder of several."""
    paths = [each.path for each in left_out if each.may_be_hand_in]
    attempts = (attempt for recognition in recognitions for attempt in recognition.attempts)
    in_attempts = [leaf.path for attempt in attempts for leaf in attempt.leaves.values()]
    folders = [path.split("/")[:-1] for path in (*in_attempts, *paths)]
    # A prefix that the first and the last share, all between them share.
    first, last = min(folders, default=[]), max(folders, default=[])
    pairs = zip(first, last, strict=False)
    depth = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return tuple(dict.fromkeys("/".join(path.split("/")[: depth + 1]) for path in paths))


# Names


def _with_unique_names(entries: Sequence[PlanEntry]) -> Iterable[PlanEntry]:
    """Yield `entries` with unique names; equal names get a user name or an id added."""
    names = [student_name(each.student) for each in entries]
    counts = Counter(name.casefold() for name in names)
    longer_names = [
        name if counts[name.casefold()] == 1 else _with_user_or_id(name, each.person)
        for name, each in zip(names, entries, strict=True)
    ]
    for each, (student, remarks) in zip(entries, with_numbers(longer_names), strict=True):
        yield replace(each, student=student, remarks=remarks)


def _with_user_or_id(name: str, person: Person) -> str:
    addition = person.user or person.id or person.email
    return student_name(f"{name[:80]} ({addition})") if addition and addition != name else name
