"""Who is graded on what: the people of all sources, their attempts, and what was left out and why.

A plan is made of names and of small tables; no hand-in is read for it. Nobody is guessed in
silence: what was decided on less than the word of a platform is in its guesses.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from grader.intake.attempts import in_order
from grader.intake.layouts import recognised
from grader.intake.layouts.recognition import (
    LeftOut,
    Recognition,
    Wanted,
    is_archive,
    without_suffix,
)
from grader.intake.people import Attempt, Person
from grader.intake.roster import Roster, RosterLine, merged
from grader.intake.sources import Source
from grader.intake.submissions import HandIn, collected_from, student_name, told_apart
from grader.messages import Message

_MAX_GUESSES: Final = 200
_MAX_NAMED: Final = 20


class Choice(StrEnum):
    """Which of several attempts is graded."""

    LATEST = "latest"
    FIRST = "first"
    BEST = "best"
    """Told by grading all of them; until then it is the latest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions:
    """What a teacher says about the sources."""

    wanted: Wanted = field(default_factory=Wanted)
    layout: str | None = None
    pattern: str | None = None
    roster: Roster | None = None
    choice: Choice = Choice.LATEST


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanEntry:
    """Somebody who is graded, on one attempt of perhaps several."""

    student: str
    """What she is called in the run: no two are called the same."""
    person: Person
    attempts: tuple[Attempt, ...]
    """All there are, the oldest first."""
    attempt: Attempt
    """The one that is graded."""
    remarks: tuple[Message, ...] = ()

    def hand_in(self) -> HandIn:
        """Read what is graded."""
        return collected_from(
            self.student,
            self.attempt.leaves,
            remarks=(*self.remarks, *self.attempt.remarks),
            refusals=self.attempt.refusals,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanSource:
    """What was made of a source."""

    name: str
    layouts: tuple[str, ...]
    evidence: tuple[str, ...]
    """A sentence for each layout."""
    people: int
    """How many were found in it."""
    has_python: bool
    """Whether there is a file in it that is called like one of Python."""
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What would be graded."""

    sources: tuple[PlanSource, ...]
    entries: tuple[PlanEntry, ...]
    missing: tuple[Person, ...] | None = None
    """Who of the roster has handed in nothing; None where there is no roster."""
    guesses: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class _Known:
    """Somebody, as far as all the sources tell so far."""

    person: Person
    attempts: list[Attempt]
    layout: str
    line: RosterLine | None = None
    members: tuple[RosterLine, ...] = ()


def plan_of(sources: Sequence[Source], options: PlanOptions) -> Plan:
    """Return who is graded on what of `sources`."""
    told: list[PlanSource] = []
    people = _People(options.roster)
    for source in _with_archives_together(sources, options):
        found = recognised(source, options.wanted, layout=options.layout, pattern=options.pattern)
        counts = [people.add(recognition) for recognition in found]
        told.append(_told(source, found, sum(counts)))
        for recognition in found:
            people.guesses += [f"{source.name}: {guess}" for guess in recognition.guesses]
    entries = [people.entry(known, options.choice) for known in people.known]
    return Plan(
        sources=tuple(told),
        entries=tuple(_labelled(entries)),
        missing=people.missing(),
        guesses=(*people.strangers(), *people.guesses[:_MAX_GUESSES]),
    )


def _with_archives_together(sources: Sequence[Source], options: PlanOptions) -> Sequence[Source]:
    """Return `sources`, with those archives as one that may each be the work of one student.

    Whoever names several of these means that each is named after its student.
    """
    if options.layout is not None or options.pattern is not None:
        return sources
    alone = [
        source
        for source in sources
        if is_archive(source.name) and source.leaves and not recognised(source, options.wanted)
    ]
    if len(alone) <= 1:
        return sources
    leaves = [
        replace(leaf, path=f"{without_suffix(source.name)}/{leaf.path}")
        for source in alone
        for leaf in source.leaves
    ]
    together = Source(name="archives", leaves=tuple(leaves))
    return [*(source for source in sources if source not in alone), together]


def _told(source: Source, found: Sequence[Recognition], people: int) -> PlanSource:
    left_out = [LeftOut(path, why) for path, why in source.refusals if not path or not found]
    left_out += [each for recognition in found for each in recognition.left_out]
    return PlanSource(
        name=source.name,
        layouts=tuple(recognition.layout for recognition in found),
        evidence=tuple(recognition.evidence for recognition in found),
        people=people,
        has_python=any(leaf.path.lower().endswith(".py") for leaf in source.leaves),
        left_out=tuple(dict.fromkeys(left_out)),
    )


class _People:
    """Joins the people of sources to each other and to a roster."""

    def __init__(self, roster: Roster | None) -> None:
        self.known: Final[list[_Known]] = []
        self.guesses: list[str] = []
        self._strangers: Final[list[str]] = []
        self._roster: Final = roster
        self._doubted: Final[list[RosterLine]] = []
        self._by_key: Final[dict[tuple[str, ...], _Known]] = {}
        self._by_name: Final[dict[str, dict[_Known, None]]] = {}

    def add(self, recognition: Recognition) -> int:
        """Add the people of one download; return how many they are."""
        here = _grouped(recognition)
        self._join_to_roster(here)
        named = Counter(_folded(each.person.name) for each in here)
        pairs = [(each, self._same(each, named)) for each in here]
        for each, same in pairs:
            if same is None:
                self.known.append(each)
            else:
                same.attempts += each.attempts
                same.person = _filled(same.person, each.person)
                same.line = same.line or each.line
        for each, same in pairs:
            self._index(each, same or each)
        return len(here)

    def _index(self, added: _Known, known: _Known) -> None:
        for key in _keys(added):
            self._by_key.setdefault(key, known)
        name = _folded(added.person.name)
        if name:
            self._by_name.setdefault(name, {})[known] = None

    def _same(self, each: _Known, named: Mapping[str, int]) -> _Known | None:
        """Return who of the earlier downloads `each` is."""
        for key in _keys(each):
            if key in self._by_key:
                return self._by_key[key]
        name = _folded(each.person.name)
        others = list(self._by_name.get(name, ()))
        if not others or (each.layout == "plain" and all(o.layout == "plain" for o in others)):
            return None
        shown = each.person.shown
        if len(others) > 1 or named[name] > 1 or _differ(each, others[0]):
            self.guesses.append(
                f"{shown} is in several downloads, with nothing that says that it is one person:"
                " taken for several"
            )
            return None
        self.guesses.append(f"{shown} is in several downloads: joined by name")
        return others[0]

    def _join_to_roster(self, here: Sequence[_Known]) -> None:
        if self._roster is None:
            return
        found = [self._roster.joined(each.person) for each in here]
        sure = Counter(id(one.line) for one in found if one.is_sure)
        all_of = Counter(id(one.line) for one in found if one.line is not None)
        for each, one in zip(here, found, strict=True):
            if each.person.members:
                self._join_members(each, self._roster)
            elif one.doubt is not None:
                self._doubted.extend(one.lines)
                self.guesses.append(f"{one.doubt}; joined to none")
            elif one.line is None:
                self._strangers.append(each.person.shown)
            elif all_of[id(one.line)] > 1 and not (one.is_sure and sure[id(one.line)] == 1):
                self._doubted.append(one.line)
                self.guesses.append(
                    f"{each.person.shown}: several hand-ins fit the same line of the roster;"
                    " joined to none"
                )
            else:
                person, of_roster = merged(each.person, one.line), one.line.person.id
                is_own = each.layout == "brightspace"  # its numbers are in no gradebook
                each.person = replace(person, id=of_roster or person.id) if is_own else person
                each.line = one.line

    def strangers(self) -> list[str]:
        """Return that some are not in the roster, if some are not."""
        if not self._strangers:
            return []
        shown = ", ".join(self._strangers[:_MAX_NAMED])
        more = len(self._strangers) - _MAX_NAMED
        return [f"not in the roster: {shown}" + (f" and {more} more" if more > 0 else "")]

    def _join_members(self, group: _Known, roster: Roster) -> None:
        found = [(member, roster.joined(member)) for member in group.person.members]
        members = tuple(
            merged(member, one.line) if one.line is not None else member for member, one in found
        )
        group.person = replace(group.person, members=members)
        group.members = tuple(one.line for _, one in found if one.line is not None)

    def missing(self) -> tuple[Person, ...] | None:
        """Return who of the roster is nobody that was found, for all that is known."""
        if self._roster is None:
            return None
        lines = [line for each in self.known for line in (each.line, *each.members)]
        here = {id(line) for line in (*lines, *self._doubted)}
        return tuple(line.person for line in self._roster.lines if id(line) not in here)

    def entry(self, known: _Known, choice: Choice) -> PlanEntry:
        """Return `known` with the attempt that is graded."""
        attempts, is_sure = in_order(known.attempts)
        if not is_sure:
            self.guesses.append(
                f"no times tell which of {len(attempts)} attempts of {known.person.shown} came"
                " last: told by the times of its files"
            )
        return PlanEntry(
            student=known.person.called,
            person=known.person,
            attempts=tuple(attempts),
            attempt=attempts[0 if choice is Choice.FIRST else -1],
        )


def _grouped(recognition: Recognition) -> list[_Known]:
    """Return the people of a download, each with all attempts.

    Where names are no more than those of files, the same name twice is no sign of one person.
    """
    layout = recognition.layout
    if layout == "plain":
        return [_Known(each.person, [each], layout) for each in recognition.attempts]
    people: dict[object, _Known] = {}
    for each in recognition.attempts:
        person = each.person
        known = people.setdefault(
            person.id or (person.user or "").casefold() or person, _Known(person, [], layout)
        )
        known.person = _filled(known.person, person)
        known.attempts.append(each)
    return list(people.values())


def _keys(known: _Known) -> list[tuple[str, ...]]:
    person, line = known.person, known.line
    return [
        *([("line", str(id(line)))] if line is not None else []),
        *([("id", known.layout, person.id)] if person.id else []),
        *([("user", person.user.casefold())] if person.user else []),
        *([("email", person.email.casefold())] if person.email else []),
    ]


def _differ(one: _Known, other: _Known) -> bool:
    """Return whether something says that these two of one name are two people."""
    if one.layout == other.layout and one.person.id and other.person.id:
        return True  # the ids differ, or they would have been joined by them
    return bool(one.person.user and other.person.user)


def _filled(person: Person, other: Person) -> Person:
    return replace(
        person,
        name=person.name or other.name,
        user=person.user or other.user,
        id=person.id or other.id,
        email=person.email or other.email,
        handle=person.handle or other.handle,
    )


def _folded(name: str | None) -> str:
    return unicodedata.normalize("NFC", name or "").casefold().strip()


# Names


def _labelled(entries: Sequence[PlanEntry]) -> Iterable[PlanEntry]:
    """Yield `entries` under names that differ, by user name or id where two are called the same."""
    names = [student_name(each.student) for each in entries]
    called = Counter(name.casefold() for name in names)
    full = [
        name if called[name.casefold()] == 1 else _with_more(name, each.person)
        for name, each in zip(names, entries, strict=True)
    ]
    for each, (student, remarks) in zip(entries, told_apart(full), strict=True):
        yield replace(each, student=student, remarks=remarks)


def _with_more(name: str, person: Person) -> str:
    more = person.user or person.id or person.email
    return student_name(f"{name[:80]} ({more})") if more and more != name else name
