"""Joins the people of several downloads to each other, and to the roster of the course.

A wrong join gives a mark to somebody else, so each join needs evidence, and is reported if its
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
from grader.intake.roster import Roster, RosterLine, merged

_MAX_LISTED: Final = 20


@dataclass(slots=True, eq=False)
class KnownPerson:
    """A person, as known from all sources so far."""

    person: Person
    attempts: list[Attempt]
    layout: str
    has_own_ids: bool = False
    line: RosterLine | None = None
    members: tuple[RosterLine, ...] = ()

    @property
    def deadline(self) -> str | None:
        """The deadline in place of the common one; a group has that of its members.

        Raises `UsageError` if these differ.
        """
        lines = [line for line in (self.line, *self.members) if line is not None]
        deadlines = sorted({line.deadline for line in lines if line.deadline is not None})
        if len(deadlines) > 1:
            raise UsageError(
                f"the roster has several deadlines for the group {self.person.shown}: "
                + ", ".join(deadlines),
                help="give its members the same one",
            )
        return deadlines[0] if deadlines else None


class People:
    """Joins the people of sources to each other and to a roster."""

    def __init__(self, roster: Roster | None) -> None:
        self.known: Final[list[KnownPerson]] = []
        self.guesses: list[str] = []
        self._not_in_roster: Final[dict[str, None]] = {}
        self._joined: Final[dict[str, None]] = {}
        self._separate: Final[dict[str, None]] = {}
        self._roster: Final = roster
        self._doubtful_lines: Final[list[RosterLine]] = []
        self._by_key: Final[dict[tuple[str, ...], KnownPerson]] = {}
        self._by_name: Final[dict[str, dict[KnownPerson, None]]] = {}

    def add(self, recognition: Recognition) -> int:
        """Add the people of one download; return the number of people."""
        people = _people_in(recognition)
        self._join_to_roster(people)
        name_counts = Counter(_folded(each.person.name) for each in people)
        shared = sum(name in self._by_name for name in name_counts)
        is_same_class = 2 * shared >= min(len(name_counts), len(self._by_name)) and shared > 1
        pairs = [
            (each, self._earlier_person(each, name_counts, is_same_class=is_same_class))
            for each in people
        ]
        for each, same in pairs:
            if same is None:
                self.known.append(each)
            else:
                same.attempts += each.attempts
                same.person = _with_facts_of(same.person, each.person)
                same.line = same.line or each.line
        # After the loop above: people of one download must not be joined to each other.
        for each, same in pairs:
            self._index(each, same or each)
        return len(people)

    def _index(self, added: KnownPerson, known: KnownPerson) -> None:
        for key in _keys(added):
            self._by_key.setdefault(key, known)
        name = _folded(added.person.name)
        if name:
            self._by_name.setdefault(name, {})[known] = None

    def _earlier_person(
        self, each: KnownPerson, name_counts: Mapping[str, int], *, is_same_class: bool
    ) -> KnownPerson | None:
        """Return the person of an earlier download who is the same as `each`, or None.

        A single word as name, from a file, counts only if the class is the same.
        Records in `_separate` or `_joined` what was decided by name.
        """
        for key in _keys(each):
            if key in self._by_key:
                return self._by_key[key]
        name = _folded(each.person.name)
        others = list(self._by_name.get(name, ()))
        if not others:
            return None
        is_one_word = all(person.layout == "plain" and name.isalpha() for person in (each, *others))
        if (
            (is_one_word and not is_same_class)
            or (len(others) > 1 or name_counts[name] > 1)
            or _are_different(each, others[0])
        ):
            self._separate[each.person.shown] = None
            return None
        self._joined[each.person.shown] = None
        return others[0]

    def _join_to_roster(self, people: Sequence[KnownPerson]) -> None:
        """Set line and person of each of `people` from the roster; record doubts and strangers."""
        if self._roster is None:
            return
        matches = [self._roster.match(each.person) for each in people]
        sure_counts = Counter(id(match.line) for match in matches if match.is_sure)
        line_counts = Counter(id(match.line) for match in matches if match.line is not None)
        for each, match in zip(people, matches, strict=True):
            if each.person.members:
                self._join_members(each, self._roster)
            elif match.doubt is not None:
                self._doubtful_lines.extend(match.lines)
                self.guesses.append(f"{match.doubt}; {_not_joined_text(match.lines)}")
            elif match.line is None:
                self._not_in_roster[each.person.shown] = None
            elif line_counts[id(match.line)] > 1 and not (
                match.is_sure and sure_counts[id(match.line)] == 1
            ):
                self._doubtful_lines.append(match.line)
                self.guesses.append(
                    f"{each.person.shown}: several hand-ins fit the same line of the roster;"
                    f" {_not_joined_text([match.line])}"
                )
            else:
                person, roster_id = merged(each.person, match.line), match.line.person.id
                if each.has_own_ids:
                    person = replace(person, id=roster_id or person.id)
                each.person = person
                each.line = match.line

    def report_lines(self) -> Iterator[str]:
        """Yield lines on who was joined only by name, who was not, and who is not in the roster."""
        for label, people in (
            ("not in the roster", self._not_in_roster),
            ("in several downloads, joined by name", self._joined),
            ("in several downloads, with nothing that says that it is one person", self._separate),
        ):
            if people:
                more = len(people) - _MAX_LISTED
                shown = ", ".join(islice(people, _MAX_LISTED))
                yield f"{label}: {shown}" + (f" and {more} more" if more > 0 else "")

    def _join_members(self, group: KnownPerson, roster: Roster) -> None:
        matches = [(member, roster.match(member)) for member in group.person.members]
        members = tuple(
            merged(member, match.line) if match.line is not None else member
            for member, match in matches
        )
        group.person = replace(group.person, members=members)
        group.members = tuple(match.line for _, match in matches if match.line is not None)

    def knows(self, person: Person) -> bool:
        """Return whether `person` has handed in something, by user name, id or address."""
        keys = {text.casefold() for text in (person.user, person.id, person.email) if text}
        return any(
            (each.person.user or "").casefold() in keys
            or (each.person.email or "").casefold() in keys
            or (each.person.id or "").casefold() in keys
            for each in self.known
        )

    def missing(self, roster: Roster) -> tuple[Person, ...]:
        """Return the people of the `roster` who were not found; people in doubt count as found."""
        lines = [line for each in self.known for line in (each.line, *each.members)]
        found = {id(line) for line in (*lines, *self._doubtful_lines)}
        return tuple(line.person for line in roster.lines if id(line) not in found)


def _not_joined_text(lines: Iterable[RosterLine]) -> str:
    has_deadline = any(line.deadline is not None for line in lines)
    return "joined to none" + ", so the deadline there is not used" * has_deadline


def _people_in(recognition: Recognition) -> list[KnownPerson]:
    """Return the people of a download, each with all attempts.

    If names are only those of files, the same name twice does not mean the same person.
    """
    layout = recognition.layout
    people: dict[object, KnownPerson] = {}
    for index, each in enumerate(recognition.attempts):
        person = each.person
        is_file = layout == "plain" and each.number is None
        key = index if is_file else person.id or (person.user or "").casefold() or person
        known = people.setdefault(key, KnownPerson(person, [], layout, recognition.has_own_ids))
        known.person = _with_facts_of(known.person, person)
        known.attempts.append(each)
    return list(people.values())


def _keys(known: KnownPerson) -> list[tuple[str, ...]]:
    person, line = known.person, known.line
    return [
        *([("line", str(id(line)))] if line is not None else []),
        *([("id", known.layout, person.id)] if person.id else []),
        *([("user", person.user.casefold())] if person.user else []),
        *([("email", person.email.casefold())] if person.email else []),
    ]


def _are_different(one: KnownPerson, other: KnownPerson) -> bool:
    """Return whether these two with the same name are known to be different people."""
    if one.layout == other.layout and one.person.id and other.person.id:
        return True  # the ids differ, or they would have been joined by id
    return bool(one.person.user and other.person.user)


def _with_facts_of(person: Person, other: Person) -> Person:
    """Return `person` with missing facts from `other`."""
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
