"""Joins the people of several downloads to each other, and to the roster of the course.

A wrong join gives a mark to somebody else, so each join needs evidence, and is reported if that
is weaker than a platform's data.
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

_MAX_NAMED: Final = 20


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
        """The deadline in place of the common one; that of one member is that of the group.

        Raises `UsageError` if members have several.
        """
        lines = [line for line in (self.line, *self.members) if line is not None]
        own = sorted({line.deadline for line in lines if line.deadline is not None})
        if len(own) > 1:
            raise UsageError(
                f"the roster has several deadlines for the group {self.person.shown}: "
                + ", ".join(own),
                help="give its members the same one",
            )
        return own[0] if own else None


class People:
    """Joins the people of sources to each other and to a roster."""

    def __init__(self, roster: Roster | None) -> None:
        self.known: Final[list[KnownPerson]] = []
        self.guesses: list[str] = []
        self._strangers: Final[dict[str, None]] = {}
        self._joined: Final[dict[str, None]] = {}
        self._parted: Final[dict[str, None]] = {}
        self._roster: Final = roster
        self._doubted: Final[list[RosterLine]] = []
        self._by_key: Final[dict[tuple[str, ...], KnownPerson]] = {}
        self._by_name: Final[dict[str, dict[KnownPerson, None]]] = {}

    def add(self, recognition: Recognition) -> int:
        """Add the people of one download; return how many there are."""
        here = _grouped(recognition)
        self._join_to_roster(here)
        named = Counter(_folded(each.person.name) for each in here)
        shared = sum(name in self._by_name for name in named)
        is_same_class = 2 * shared >= min(len(named), len(self._by_name)) and shared > 1
        pairs = [(each, self._same(each, named, is_same_class=is_same_class)) for each in here]
        for each, same in pairs:
            if same is None:
                self.known.append(each)
            else:
                same.attempts += each.attempts
                same.person = _filled(same.person, each.person)
                same.line = same.line or each.line
        # Only now: people of the same download must not be joined to each other.
        for each, same in pairs:
            self._index(each, same or each)
        return len(here)

    def _index(self, added: KnownPerson, known: KnownPerson) -> None:
        for key in _keys(added):
            self._by_key.setdefault(key, known)
        name = _folded(added.person.name)
        if name:
            self._by_name.setdefault(name, {})[known] = None

    def _same(
        self, each: KnownPerson, named: Mapping[str, int], *, is_same_class: bool
    ) -> KnownPerson | None:
        """Return the person of an earlier download who is the same as `each`, or None.

        A single name, taken from a file, counts only if the class is the same.
        """
        for key in _keys(each):
            if key in self._by_key:
                return self._by_key[key]
        name = _folded(each.person.name)
        others = list(self._by_name.get(name, ()))
        if not others:
            return None
        is_bare = all(one.layout == "plain" and name.isalpha() for one in (each, *others))
        if (
            (is_bare and not is_same_class)
            or (len(others) > 1 or named[name] > 1)
            or _differ(each, others[0])
        ):
            self._parted[each.person.shown] = None
            return None
        self._joined[each.person.shown] = None
        return others[0]

    def _join_to_roster(self, here: Sequence[KnownPerson]) -> None:
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
                self.guesses.append(f"{one.doubt}; {_joined_to_none(one.lines)}")
            elif one.line is None:
                self._strangers[each.person.shown] = None
            elif all_of[id(one.line)] > 1 and not (one.is_sure and sure[id(one.line)] == 1):
                self._doubted.append(one.line)
                self.guesses.append(
                    f"{each.person.shown}: several hand-ins fit the same line of the roster;"
                    f" {_joined_to_none([one.line])}"
                )
            else:
                person, of_roster = merged(each.person, one.line), one.line.person.id
                if each.has_own_ids:
                    person = replace(person, id=of_roster or person.id)
                each.person = person
                each.line = one.line

    def told(self) -> Iterator[str]:
        """Yield lines on who was joined by name only, who was not, and who is not in the roster."""
        for what, people in (
            ("not in the roster", self._strangers),
            ("in several downloads, joined by name", self._joined),
            ("in several downloads, with nothing that says that it is one person", self._parted),
        ):
            if people:
                more = len(people) - _MAX_NAMED
                shown = ", ".join(islice(people, _MAX_NAMED))
                yield f"{what}: {shown}" + (f" and {more} more" if more > 0 else "")

    def _join_members(self, group: KnownPerson, roster: Roster) -> None:
        found = [(member, roster.joined(member)) for member in group.person.members]
        members = tuple(
            merged(member, one.line) if one.line is not None else member for member, one in found
        )
        group.person = replace(group.person, members=members)
        group.members = tuple(one.line for _, one in found if one.line is not None)

    def knows(self, person: Person) -> bool:
        """Return whether `person` has handed in something, by user name, id or address."""
        mine = {text.casefold() for text in (person.user, person.id, person.email) if text}
        return any(
            (each.person.user or "").casefold() in mine
            or (each.person.email or "").casefold() in mine
            or (each.person.id or "").casefold() in mine
            for each in self.known
        )

    def missing(self, roster: Roster) -> tuple[Person, ...]:
        """Return the people of the `roster` who were not found; doubtful ones count as found."""
        lines = [line for each in self.known for line in (each.line, *each.members)]
        here = {id(line) for line in (*lines, *self._doubted)}
        return tuple(line.person for line in roster.lines if id(line) not in here)


def _joined_to_none(lines: Iterable[RosterLine]) -> str:
    lost = any(line.deadline is not None for line in lines)
    return "joined to none" + ", so the deadline there is not used" * lost


def _grouped(recognition: Recognition) -> list[KnownPerson]:
    """Return the people of a download, each with all attempts.

    If names are only those of files, the same name twice does not mean the same person.
    """
    layout = recognition.layout
    people: dict[object, KnownPerson] = {}
    for place, each in enumerate(recognition.attempts):
        person = each.person
        is_file = layout == "plain" and each.number is None
        key = place if is_file else person.id or (person.user or "").casefold() or person
        known = people.setdefault(key, KnownPerson(person, [], layout, recognition.has_own_ids))
        known.person = _filled(known.person, person)
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


def _differ(one: KnownPerson, other: KnownPerson) -> bool:
    """Return whether these two with the same name are known to be different people."""
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
