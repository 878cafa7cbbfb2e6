"""Matches the students of a run with the rows of a worksheet.

A wrong mark in a gradebook is worse than none, so nothing is guessed. The keys of platforms decide:
ids, user names and mail addresses, which must all agree if present. A name counts only if nothing
better can be compared, and nobody else on either side has it. Doubts are reported, for the user to
decide.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from grader.intake.roster import Key
from grader.plugins.platforms.gradebooks.identities import SURE, Identity, identities_of
from grader.plugins.platforms.gradebooks.marks import Mark


class Match(NamedTuple):
    """A mark and its row."""

    mark: Mark
    row: int
    by: Key
    is_loose: bool
    """Whether the id matches only without leading zeros, which spreadsheets drop."""
    shown: str
    """The student's name in the run."""
    other_name: str | None = None
    """The name in the row, if it has nothing in common with the student's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """The result of matching."""

    found: Sequence[Match]
    doubtful: Sequence[str]
    """Students whose row is in doubt, with the reason."""
    not_there: Sequence[str]
    """Students of the run without a row."""
    without_mark: Sequence[str]
    """Students in a row without a mark in the run."""


def matched(
    marks: Sequence[Mark],
    people: Mapping[int, Identity],
    keys: frozenset[Key],
    *,
    names_may_differ: bool = False,
) -> Matches:
    """Match `marks` with `people`, who are given by row, comparing them by `keys`.

    The mark of a group goes to each of its members. Unless `names_may_differ`, a match is in doubt
    if the student's name has nothing in common with the name in the row.
    """
    groups = [(mark, _who_has(mark)) for mark in marks]
    run = (who for _, group in groups for who in group)
    index = _Index(people, keys, run, names_may_differ=names_may_differ)
    findings = [
        (mark, who, index.find(who)) for mark, group in groups for who in index.members(group)
    ]
    claims = Counter(finding.row for _, _, finding in findings)
    found: list[Match] = []
    doubtful: list[str] = []
    not_there: list[str] = []
    for mark, who, finding in findings:
        if finding.doubt is not None:
            doubtful.append(f"{who.shown}: {finding.doubt}")
        elif finding.row is None:
            not_there.append(who.shown)
        # Two marks for one row: neither is written.
        elif claims[finding.row] > 1:
            doubtful.append(f"{who.shown}: row {finding.row + 1} matches somebody else too")
        else:
            facts = finding.by, finding.is_loose, who.shown, finding.other_name
            found.append(Match(mark, finding.row, *facts))
    return Matches(
        found=found,
        doubtful=doubtful,
        not_there=not_there,
        without_mark=list(_without_mark(people, claims)),
    )


def _without_mark(people: Mapping[int, Identity], claims: Container[int | None]) -> Iterator[str]:
    """Yield the students in unclaimed rows, with the row number if two have the same name."""
    called = Counter(who.shown for who in people.values())
    for row, who in people.items():
        if row not in claims:
            yield who.shown if called[who.shown] == 1 else f"{who.shown} (row {row + 1})"


def _who_has(mark: Mark) -> tuple[Identity, ...]:
    """Return the student or group that handed in, and the members of a group."""
    first, *members = identities_of(mark.person, mark.student)
    return (first if mark.called is None else replace(first, shown=mark.called), *members)


class _Finding(NamedTuple):
    row: int | None
    by: Key = Key.ID
    is_loose: bool = False
    doubt: str | None = None
    other_name: str | None = None


class _Index:
    """The people in a worksheet, indexed by their keys."""

    def __init__(
        self,
        people: Mapping[int, Identity],
        keys: frozenset[Key],
        run: Iterable[Identity],
        *,
        names_may_differ: bool,
    ) -> None:
        self._people: Final = people
        self._names_may_differ: Final = names_may_differ
        self._by: Final[dict[Key, dict[str, set[int]]]] = {key: defaultdict(set) for key in Key}
        self._shortened: Final[dict[str, set[int]]] = defaultdict(set)
        for row, who in people.items():
            for key in keys:
                for text in who.of(key):
                    self._by[key][text].add(row)
        for text, rows in self._by[Key.ID].items():
            self._shortened[text.lstrip("0")] |= rows
        self._names: Final[Counter[str]] = Counter()
        self._comparable: Final[set[Key]] = set()
        """Keys by which somebody of the run was found; other keys may be of different kinds."""
        for who in run:
            self._names.update(who.of(Key.NAME))
            self._comparable.update(key for key in SURE if self._rows(who, key))

    def members(self, group: tuple[Identity, ...]) -> Sequence[Identity]:
        """Return who gets the mark of `group`: its members, or itself if no member is found."""
        first, *members = group
        return members if any(map(self._is_there, members)) else [first]

    def _is_there(self, who: Identity) -> bool:
        found = self.find(who)
        return found.row is not None or found.doubt is not None

    def find(self, who: Identity) -> _Finding:
        """Return the row of `who`, or None, or a doubt."""
        by_key = {key: rows for key in SURE if (rows := self._rows(who, key))}
        rows = set[int]().union(*by_key.values())
        # Keys that lead to different rows contradict each other.
        if len(rows) > 1:
            return _Finding(None, doubt=f"rows {_listed(rows)} all match")
        if rows:
            return self._checked(who, rows.pop(), next(iter(by_key)))
        loose = self._loose(who)
        if len(loose) == 1:
            return self._checked(who, loose.pop(), Key.ID, is_loose=True)
        return self._by_name(who)

    def _rows(self, who: Identity, key: Key) -> set[int]:
        return set[int]().union(*(self._by[key].get(text, ()) for text in who.of(key)))

    def _loose(self, who: Identity) -> set[int]:
        # Spreadsheets drop leading zeros of numbers only.
        numbers = (text.lstrip("0") for text in who.of(Key.ID) if text.isdecimal())
        return set[int]().union(*(self._shortened.get(text, ()) for text in numbers))

    def _checked(self, who: Identity, row: int, by: Key, *, is_loose: bool = False) -> _Finding:
        """Return the finding; a doubt if both sides have names with nothing in common."""
        there = self._people[row]
        if who.may_be(there):
            return _Finding(row, by, is_loose)
        if self._names_may_differ:
            return _Finding(row, by, is_loose, other_name=there.shown)
        return _Finding(None, doubt=f"row {row + 1} has the same {by}, but names {there.shown}")

    def _by_name(self, who: Identity) -> _Finding:
        # The keys of other students match, so a student whose keys do not is not there.
        if not who.is_label and any(who.of(key) for key in self._comparable):
            return _Finding(None)
        rows = self._rows(who, Key.NAME)
        if len(rows) > 1:
            return _Finding(None, doubt=f"rows {_listed(rows)} have this name")
        if rows and any(self._names[form] > 1 for form in who.of(Key.NAME)):
            return _Finding(None, doubt="somebody else in the run has this name too")
        return _Finding(rows.pop() if rows else None, Key.NAME)


def _listed(rows: Iterable[int]) -> str:
    return ", ".join(str(row + 1) for row in sorted(rows))
