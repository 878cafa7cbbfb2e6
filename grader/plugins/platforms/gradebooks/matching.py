"""Matches the students in a run with the rows of a worksheet.

A wrong mark in a gradebook is worse than a missing one, so nothing is guessed. Ids, user names and
email addresses decide, and must all agree if present. A name counts only if nothing better can be
compared, and nobody else on either side has the same name. Doubts are reported for the user to
resolve.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from grader.intake.roster import Key
from grader.plugins.platforms.gradebooks.identities import UNIQUE_KEYS, Identity, identities_of
from grader.plugins.platforms.gradebooks.marks import Mark


class Match(NamedTuple):
    """A mark and the row that it belongs to."""

    mark: Mark
    row: int
    by: Key
    """The key that matches."""
    is_loose: bool
    """Whether the ids match only without leading zeros, which spreadsheets drop."""
    student_name: str
    """The student's name in the run."""
    other_name: str | None = None
    """The name in the row, if it shares no word with the student's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """The result of matching a run with a worksheet."""

    found: Sequence[Match]
    doubtful: Sequence[str]
    """Students whose row is in doubt, with the reason."""
    without_row: Sequence[str]
    """Students in the run without a row."""
    without_mark: Sequence[str]
    """Students in the worksheet without a mark in the run."""


def match_students(
    marks: Sequence[Mark],
    people: Mapping[int, Identity],
    keys: frozenset[Key],
    *,
    names_may_differ: bool = False,
) -> Matches:
    """Match `marks` with the `people` in each row, comparing them by `keys`.

    Each member of a group gets the group's mark. Unless `names_may_differ`, a match is doubtful if
    the student's name shares no word with the name in the row.
    """
    groups = [(mark, _submitter_and_members(mark)) for mark in marks]
    run_students = (student for _, group in groups for student in group)
    index = _Index(people, keys, run_students, names_may_differ=names_may_differ)
    findings = [
        (mark, student, index.find(student))
        for mark, group in groups
        for student in index.recipients(group)
    ]
    claims = Counter(finding.row for _, _, finding in findings)
    matches: list[Match] = []
    doubtful: list[str] = []
    without_row: list[str] = []
    for mark, student, finding in findings:
        if finding.doubt is not None:
            doubtful.append(f"{student.display_name}: {finding.doubt}")
        elif finding.row is None:
            without_row.append(student.display_name)
        # If two marks match the same row, neither is filled in.
        elif claims[finding.row] > 1:
            doubtful.append(
                f"{student.display_name}: row {finding.row + 1} matches somebody else too"
            )
        else:
            details = finding.key, finding.is_loose, student.display_name, finding.other_name
            matches.append(Match(mark, finding.row, *details))
    return Matches(
        found=matches,
        doubtful=doubtful,
        without_row=without_row,
        without_mark=list(_find_without_mark(people, claims)),
    )


def _find_without_mark(
    people: Mapping[int, Identity], claims: Container[int | None]
) -> Iterator[str]:
    """Yield the students in unclaimed rows, with the row number if a name is not unique."""
    name_counts = Counter(student.display_name for student in people.values())
    for row, student in people.items():
        if row not in claims:
            name = student.display_name
            yield name if name_counts[name] == 1 else f"{name} (row {row + 1})"


def _submitter_and_members(mark: Mark) -> tuple[Identity, ...]:
    """Return the student or group that handed in, followed by the members of a group."""
    submitter, *members = identities_of(mark.person, mark.student)
    if mark.unique_name is not None:
        submitter = replace(submitter, display_name=mark.unique_name)
    return submitter, *members


class _Finding(NamedTuple):
    """The row of a student, or the doubt about it; None for both if there is no row."""

    row: int | None
    key: Key = Key.ID
    is_loose: bool = False
    doubt: str | None = None
    other_name: str | None = None


class _Index:
    """The people in a worksheet, indexed by key."""

    def __init__(
        self,
        people: Mapping[int, Identity],
        keys: frozenset[Key],
        run_students: Iterable[Identity],
        *,
        names_may_differ: bool,
    ) -> None:
        """Index `people` by `keys`; `run_students` decide which keys are comparable."""
        self._people: Final = people
        self._names_may_differ: Final = names_may_differ
        self._rows_by_key: Final[dict[Key, dict[str, set[int]]]] = {
            key: defaultdict(set) for key in Key
        }
        self._rows_without_zeros: Final[dict[str, set[int]]] = defaultdict(set)
        for row, person in people.items():
            for key in keys:
                for text in person.values(key):
                    self._rows_by_key[key][text].add(row)
        for text, rows in self._rows_by_key[Key.ID].items():
            self._rows_without_zeros[text.lstrip("0")] |= rows
        self._name_counts: Final[Counter[str]] = Counter()
        self._comparable_keys: Final[set[Key]] = set()
        """Keys that match for at least one student in the run; with other keys, the run and the
        worksheet might use different kinds of ids."""
        for student in run_students:
            self._name_counts.update(student.values(Key.NAME))
            self._comparable_keys.update(key for key in UNIQUE_KEYS if self._rows(student, key))

    def recipients(self, group: tuple[Identity, ...]) -> Sequence[Identity]:
        """Return who gets the mark of `group`: its members, or the group if no member is found.

        A single student counts as a group without members.
        """
        submitter, *members = group
        return members if any(map(self._is_in_worksheet, members)) else [submitter]

    def _is_in_worksheet(self, student: Identity) -> bool:
        """Return whether `student` has a row, or might have one."""
        finding = self.find(student)
        return finding.row is not None or finding.doubt is not None

    def find(self, student: Identity) -> _Finding:
        """Return the row of `student`, or a doubt about it, or neither if there is no row."""
        by_key = {key: rows for key in UNIQUE_KEYS if (rows := self._rows(student, key))}
        rows = set[int]().union(*by_key.values())
        # Keys that match different rows contradict each other.
        if len(rows) > 1:
            return _Finding(None, doubt=f"rows {_format_rows(rows)} all match")
        if rows:
            return self._check_name(student, rows.pop(), next(iter(by_key)))
        loose_rows = self._rows_ignoring_zeros(student)
        if len(loose_rows) == 1:
            return self._check_name(student, loose_rows.pop(), Key.ID, is_loose=True)
        return self._find_by_name(student)

    def _rows(self, student: Identity, key: Key) -> set[int]:
        """Return the rows in which `key` has any of the student's values."""
        return set[int]().union(
            *(self._rows_by_key[key].get(text, ()) for text in student.values(key))
        )

    def _rows_ignoring_zeros(self, student: Identity) -> set[int]:
        """Return the rows with an id of `student`, apart from leading zeros."""
        # Spreadsheets drop only the leading zeros of numbers.
        numbers = (text.lstrip("0") for text in student.values(Key.ID) if text.isdecimal())
        return set[int]().union(*(self._rows_without_zeros.get(text, ()) for text in numbers))

    def _check_name(
        self, student: Identity, row: int, key: Key, *, is_loose: bool = False
    ) -> _Finding:
        """Return `row` as the finding, or a doubt if the names on both sides share no word.

        If names may differ, return the finding with the name in the row instead of a doubt.
        """
        person = self._people[row]
        if student.might_be(person):
            return _Finding(row, key, is_loose)
        if self._names_may_differ:
            return _Finding(row, key, is_loose, other_name=person.display_name)
        return _Finding(
            None, doubt=f"row {row + 1} has the same {key}, but the name {person.display_name}"
        )

    def _find_by_name(self, student: Identity) -> _Finding:
        """Return the row of `student`, found by name, or a doubt about it.

        Return neither if there is no row, or if a comparable key shows that there is none.
        """
        # A comparable key matches for other students, so if it does not match, there is no row.
        if not student.is_label and any(student.values(key) for key in self._comparable_keys):
            return _Finding(None)
        rows = self._rows(student, Key.NAME)
        if len(rows) > 1:
            return _Finding(None, doubt=f"rows {_format_rows(rows)} have this name")
        if rows and any(self._name_counts[name] > 1 for name in student.values(Key.NAME)):
            return _Finding(None, doubt="somebody else in the run has this name too")
        return _Finding(rows.pop() if rows else None, Key.NAME)


def _format_rows(rows: Iterable[int]) -> str:
    return ", ".join(str(row + 1) for row in sorted(rows))
