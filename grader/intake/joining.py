"""Joins the people in several downloads to each other and to the course roster.

A wrong join gives a mark to somebody else. So each join needs evidence, and is reported if the
evidence is weaker than a platform's data.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from grader.errors import UsageError
from grader.intake.layouts.recognition import Recognition
from grader.intake.people import Attempt, Person
from grader.intake.roster import Roster, RosterLine, fill_from_roster

_MAX_LISTED: Final = 20


@dataclass(slots=True, eq=False)
class KnownPerson:
    """A person, combined from all sources so far."""

    person: Person
    attempts: list[Attempt]
    layout: str
    """The layout of the first download that the person is in."""
    has_own_ids: bool = False
    """Whether the ids in that download identify hand-ins rather than people."""
    roster_line: RosterLine | None = None
    """The roster line of the person, if one was found."""
    member_lines: tuple[RosterLine, ...] = ()
    """The roster lines of a group's members, as far as they were found."""

    @property
    def deadline(self) -> str | None:
        """The person's own deadline, if any; for a group, the deadline of its members.

        Raises `UsageError` if the members' deadlines differ.
        """
        lines = [line for line in (self.roster_line, *self.member_lines) if line is not None]
        member_by_deadline = {
            line.deadline: line.person.short_name for line in lines if line.deadline is not None
        }
        if len(member_by_deadline) > 1:
            raise UsageError(
                f"the roster has several deadlines for the group {self.person.short_name}: "
                + ", ".join(
                    f"{member_by_deadline[text]} has {text}" for text in sorted(member_by_deadline)
                ),
                help="give all members of the group the same deadline",
            )
        return next(iter(member_by_deadline), None)


class People:
    """Joins the people in several sources to each other and to a roster."""

    def __init__(self, roster: Roster | None) -> None:
        """Start without people; if `roster` is None, people are joined only to each other."""
        self.known: Final[list[KnownPerson]] = []
        self.guesses: list[str] = []
        """Sentences about decisions that the teacher should check."""
        self._not_in_roster: Final[dict[str, None]] = {}
        self._joined_by_name: Final[dict[str, None]] = {}
        self._kept_apart: Final[dict[str, None]] = {}
        self._roster: Final = roster
        self._doubtful_lines: Final[list[RosterLine]] = []
        """Lines that might be those of people who were not joined to the roster."""
        self._by_key: Final[dict[tuple[str, ...], dict[KnownPerson, None]]] = {}
        self._by_name: Final[dict[str, dict[KnownPerson, None]]] = {}

    def add(self, recognition: Recognition) -> int:
        """Add the people in one download, joined to the roster and to the people in earlier ones.

        Returns how many people the download has.
        """
        people = _collect_people(recognition)
        self._join_to_roster(people)
        name_counts = Counter(_fold_name(person.person.name) for person in people)
        shared_name_count = sum(name in self._by_name for name in name_counts)
        # A few names in common prove nothing: two classes can both have an Emma.
        is_same_class = (
            2 * shared_name_count >= min(len(name_counts), len(self._by_name))
            and shared_name_count > 1
        )
        pairs = [
            (person, self._find_earlier_person(person, name_counts, is_same_class=is_same_class))
            for person in people
        ]
        for person, earlier in pairs:
            if earlier is None:
                self.known.append(person)
            else:
                earlier.attempts += person.attempts
                earlier.person = _with_missing_details(earlier.person, person.person)
                earlier.roster_line = earlier.roster_line or person.roster_line
                earlier.member_lines = earlier.member_lines or person.member_lines
        # Indexed only now, so that people in one download are not joined to each other.
        for person, earlier in pairs:
            self._index(person, earlier or person)
        return len(people)

    def _index(self, newcomer: KnownPerson, known: KnownPerson) -> None:
        """Index `known` under the keys and name of `newcomer`, who is the same person."""
        for key in _identity_keys(newcomer):
            self._by_key.setdefault(key, {})[known] = None
        name = _fold_name(newcomer.person.name)
        if name:
            self._by_name.setdefault(name, {})[known] = None

    def _find_earlier_person(
        self, newcomer: KnownPerson, name_counts: Mapping[str, int], *, is_same_class: bool
    ) -> KnownPerson | None:
        """Return the person in an earlier download who is the same as `newcomer`, or None.

        People with the same name are joined, unless somebody else in a download has that name too,
        or other data shows that they are different people. If the name is a file name of one word,
        both downloads must also be of the same class. Each decision by name is recorded, so that it
        is reported. Groups with different members are not joined, because the members of one would
        get the mark of the other.
        """
        name = _fold_name(newcomer.person.name)
        by_key = [known for key in _identity_keys(newcomer) for known in self._by_key.get(key, ())]
        candidates = by_key or [*self._by_name.get(name, {})]
        if not candidates:
            return None
        likely_matches = [known for known in candidates if _may_have_same_members(newcomer, known)]
        if not likely_matches:
            self.guesses.append(
                f"{newcomer.person.short_name}: several downloads have this group, with different"
                " members; the groups are graded apart, so a student in both has two marks"
            )
            return None
        if by_key:
            return likely_matches[0]
        is_one_word = all(
            person.layout == "plain" and name.isalpha() for person in (newcomer, *likely_matches)
        )
        if (
            (is_one_word and not is_same_class)
            or (len(likely_matches) > 1 or name_counts[name] > 1)
            or _are_different(newcomer, likely_matches[0])
        ):
            self._kept_apart[newcomer.person.short_name] = None
            return None
        self._joined_by_name[newcomer.person.short_name] = None
        return likely_matches[0]

    def _join_to_roster(self, people: Sequence[KnownPerson]) -> None:
        """Join each of `people` to the roster, in place, or record why that is not done."""
        if self._roster is None:
            return
        matches = [self._roster.match(known.person) for known in people]
        # Counted by `id`, since two lines of a roster can be equal.
        sure_counts = Counter(id(match.line) for match in matches if match.is_sure)
        line_counts = Counter(id(match.line) for match in matches if match.line is not None)
        for known, match in zip(people, matches, strict=True):
            if known.person.members:
                self._join_members(known, self._roster)
            elif match.doubt is not None:
                self._doubtful_lines.extend(match.lines)
                self.guesses.append(f"{match.doubt}; {_not_joined_text(match.lines)}")
            elif match.line is None:
                self._not_in_roster[known.person.short_name] = None
            elif line_counts[id(match.line)] > 1 and not (
                match.is_sure and sure_counts[id(match.line)] == 1
            ):
                self._doubtful_lines.append(match.line)
                self.guesses.append(
                    f"{known.person.short_name}: several hand-ins match the same roster line,"
                    f" that of {match.line.person.short_name}; {_not_joined_text([match.line])}"
                )
            else:
                matched_person = fill_from_roster(known.person, match.line)
                roster_id = match.line.person.id
                if known.has_own_ids:  # no gradebook has the ids of hand-ins
                    matched_person = replace(matched_person, id=roster_id or matched_person.id)
                known.person = matched_person
                known.roster_line = match.line

    def report_lines(self) -> Iterator[str]:
        """Yield lines about people not in the roster, joined only by name, or kept apart."""
        for label, people in (
            ("not in the roster", self._not_in_roster),
            ("in several downloads, joined by name", self._joined_by_name),
            (
                "in several downloads, and kept apart because they might be different people",
                self._kept_apart,
            ),
        ):
            if people:
                more = len(people) - _MAX_LISTED
                listed = ", ".join(islice(people, _MAX_LISTED))
                yield f"{label}: {listed}" + (f" and {more} more" if more > 0 else "")

    def _join_members(self, group: KnownPerson, roster: Roster) -> None:
        """Join each member of `group` to the `roster`, in place, if a line matches that member."""
        matches = [(member, roster.match(member)) for member in group.person.members]
        members = tuple(
            fill_from_roster(member, match.line) if match.line is not None else member
            for member, match in matches
        )
        group.person = replace(group.person, members=members)
        group.member_lines = tuple(match.line for _, match in matches if match.line is not None)

    def contains(self, person: Person) -> bool:
        """Return whether a person with the user name, id or address of `person` handed in work."""
        keys = {text.casefold() for text in (person.user, person.id, person.email) if text}
        return any(
            (known.person.user or "").casefold() in keys
            or (known.person.email or "").casefold() in keys
            or (known.person.id or "").casefold() in keys
            for known in self.known
        )

    def missing(self, roster: Roster) -> tuple[Person, ...]:
        """Return the people in the `roster` who handed in nothing.

        People whose match with a hand-in is in doubt are left out, because that hand-in might be
        theirs.
        """
        lines = [line for known in self.known for line in (known.roster_line, *known.member_lines)]
        matched_lines = {id(line) for line in (*lines, *self._doubtful_lines)}
        return tuple(line.person for line in roster.lines if id(line) not in matched_lines)


def _not_joined_text(lines: Iterable[RosterLine]) -> str:
    has_deadline = any(line.deadline is not None for line in lines)
    return "not joined to the roster" + ", whose deadline is not used" * has_deadline


def _collect_people(recognition: Recognition) -> list[KnownPerson]:
    """Return the people in a download, each with all of that person's attempts.

    If names come only from file names, each attempt counts as another person, because two people
    can have the same name.
    """
    layout = recognition.layout
    people: dict[object, KnownPerson] = {}
    for index, attempt in enumerate(recognition.attempts):
        person = attempt.person
        is_file = layout == "plain" and attempt.number is None
        key = index if is_file else person.id or (person.user or "").casefold() or person
        known = people.setdefault(key, KnownPerson(person, [], layout, recognition.has_own_ids))
        known.person = _with_missing_details(known.person, person)
        known.attempts.append(attempt)
    return list(people.values())


def _identity_keys(known: KnownPerson) -> list[tuple[str, ...]]:
    """Return keys that identify `known` across downloads, most reliable first.

    An id identifies a person only within downloads of the same layout.
    """
    person, line = known.person, known.roster_line
    return [
        *([("line", str(id(line)))] if line is not None else []),
        *([("id", known.layout, person.id)] if person.id else []),
        *([("user", person.user.casefold())] if person.user else []),
        *([("email", person.email.casefold())] if person.email else []),
    ]


def _are_different(first: KnownPerson, second: KnownPerson) -> bool:
    """Return whether data other than their common name shows that two people differ."""
    if first.layout == second.layout and first.person.id and second.person.id:
        return True  # the ids differ, or they would have been joined by id
    return bool(first.person.user and second.person.user)


def _may_have_same_members(first: KnownPerson, second: KnownPerson) -> bool:
    """Return whether two groups have the same members, or one of them has unknown members."""
    members, others = (
        [
            KnownPerson(member, [], group.layout, group.has_own_ids)
            for member in group.person.members
        ]
        for group in (first, second)
    )
    if not members or not others:
        return True
    return len(members) == len(others) and all(
        any(_is_same_member(member, other) for other in others) for member in members
    )


def _is_same_member(first: KnownPerson, second: KnownPerson) -> bool:
    """Return whether two members of groups are the same, as far as their data shows.

    Downloads can have the parts of a name in different orders, or only a name or a user name.
    """
    if not set(_identity_keys(first)).isdisjoint(_identity_keys(second)):
        return True
    words, other_words = (
        sorted(_fold_name(known.person.name).replace(",", " ").split()) for known in (first, second)
    )
    has_same_name = words == other_words or not words or not other_words
    return has_same_name and not _are_different(first, second)


def _with_missing_details(person: Person, source: Person) -> Person:
    """Return `person` with missing details filled in from `source`."""
    return replace(
        person,
        name=person.name or source.name,
        user=person.user or source.user,
        id=person.id or source.id,
        email=person.email or source.email,
        handle=person.handle or source.handle,
        members=person.members or source.members,
    )


def _fold_name(name: str | None) -> str:
    return unicodedata.normalize("NFC", name or "").casefold().strip()
