"""Pseudonyms for a run, so that its reports can be shown to people outside the staff.

Each student gets a random number, a new one in every run that does not continue an earlier one; the
table of who is who goes into one file that is not shown. Before anything is written about a record,
the name of its student is replaced wherever it occurs: in names of files and folders, in remarks,
in messages, in code. In a text only the full name is replaced, with its parts in any order and
joined in any way; in a file name also each part by itself. A nickname, or half of the name in a
comment, stays.
"""

from __future__ import annotations

import csv
import io
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from itertools import count, islice, permutations
from pathlib import Path
from random import SystemRandom
from typing import Any, Final

from grader.errors import OutputError, UsageError
from grader.intake.people import Person
from grader.judging.record import Record
from grader.messages import Message
from grader.reporting.writing import replacing
from grader.store.store import STORE_NAME, Store
from grader.values.foreign_text import one_line

_MIN_DIGITS: Final = 3
_MIN_PART_CHARS: Final = 2
_MAX_ORDERED_PARTS: Final = 3
"""Names with more parts are matched as they are and reversed, not in every order."""
_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t")
"""Characters that make a spreadsheet calculate a cell."""
_PART: Final = re.compile(r"(?:[^\W_][\u0300-\u036f]*)+")
_JOINT: Final = r"[\W_]{0,3}"
_BEFORE: Final = r"(?<![^\W_])"
_AFTER: Final = r"(?![^\W_])"
_FILE_FIELDS: Final = frozenset({"file", "files", "folder", "name"})
"""Fields, and parameters of messages, that hold names of files."""

_HOME_FOLDER: Final = re.compile(
    r"""(\b(?:users|home)[\\/]+)(?:[^\\/\n'"]+(?=[\\/])|[^\\/\s'"]+)""", re.IGNORECASE
)
"""The folder of a user in a path, on any system; it seldom has the name of the hand-in."""
_KEPT_FIELDS: Final = frozenset(
    (
        *("also_in", "code", "conditions", "exercise", "expected", "group", "id", "language"),
        *("contact", "note"),
        *("site_url", "spec", "spec_url", "title"),
        *("kind", "x", "y"),  # of pictures
    )
)
"""Fields that come from the suite, or from this machine, and cannot name a student."""
_NUMBER: Final = re.compile(r" \(\d+\)$")
"""The number that tells hand-ins with equal names apart; it is in no file and no text."""


@dataclass(frozen=True, slots=True)
class Pseudonyms:
    """Who has which pseudonym in one run."""

    by_student: Mapping[str, str]
    persons: Mapping[str, Person] = field(default_factory=dict)
    """Further names of students, if the platform has any."""

    @classmethod
    def drawn(
        cls,
        students: Iterable[str],
        persons: Mapping[str, Person] | None = None,
        known: Mapping[str, str] | None = None,
    ) -> Pseudonyms:
        """Draw a pseudonym for each of `students`, such as `student-017`.

        Students `known` by their name in the table keep their pseudonyms, and so do students who
        have left. Students whom the table cannot tell apart get new ones.
        """
        names, known = sorted(set(students)), dict(known or {})
        shown = Counter(map(one_line, names))
        kept = {name: known[one_line(name)] for name in names if one_line(name) in known}
        kept = {name: pseudonym for name, pseudonym in kept.items() if shown[one_line(name)] == 1}
        former = {name: pseudonym for name, pseudonym in known.items() if not shown[name]}
        new = [name for name in names if name not in kept]
        digits = max(_MIN_DIGITS, len(str(len(names) + len(former))))
        used = {*known.values()}  # also by those who have left
        candidates = (f"student-{number:0{digits}}" for number in count(1))
        numbers = list(islice((each for each in candidates if each not in used), len(new)))
        # Shuffled by the system's random source: no alphabet or seed gives names away.
        SystemRandom().shuffle(numbers)
        return cls(former | kept | dict(zip(new, numbers, strict=True)), persons or {})

    def only(self, students: Iterable[str]) -> Pseudonyms:
        """Return the pseudonyms of these `students` only."""
        chosen = {*students}
        return Pseudonyms(
            {each: self.of(each) for each in chosen},
            {each: person for each, person in self.persons.items() if each in chosen},
        )

    def of(self, student: str) -> str:
        """Return the pseudonym of `student`."""
        return self.by_student[student]

    def hide(self, record: Record) -> Record:
        """Return `record` with the pseudonym of its student in place of the name."""
        person = self.persons.get(record.student, Person())
        mask = _Mask([record.student, *_names(person)], self.of(record.student))
        pseudonym = mask.pseudonym
        return replace(mask.masked_record(record), id=pseudonym, student=pseudonym)

    def table(self) -> str:
        """Return the table of who is who, as CSV, sorted by pseudonym."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(("pseudonym", "student"))
        for student, pseudonym in sorted(self.by_student.items(), key=lambda pair: pair[1]):
            shown = one_line(student)
            # An apostrophe keeps a spreadsheet from calculating a name.
            writer.writerow(
                (pseudonym, f"'{shown}" if shown.startswith(_FORMULA_STARTS) else shown)
            )
        return text.getvalue()


def _names_in_table(table: str) -> dict[str, str]:
    """Return the pseudonyms by the names in `table`; raises `ValueError` if it is malformed."""
    _, *rows = csv.reader(io.StringIO(table, newline=""))
    return {
        name[1:]
        if name.startswith(tuple(f"'{each}" for each in _FORMULA_STARTS))
        else name: pseudonym
        for pseudonym, name in rows
    }


def _names(person: Person) -> Iterator[str]:
    """Yield all names of `person` and, for a group, of its members."""
    names = (person.name, person.user, person.id, person.email, (person.email or "").split("@")[0])
    yield from filter(None, names)
    for member in person.members:
        yield from _names(member)


class _Mask:
    """Replaces the names of one student by a pseudonym."""

    def __init__(self, students: Iterable[str], pseudonym: str) -> None:
        """Build the patterns that match the names of `students`."""
        self.pseudonym: Final = pseudonym
        names = [
            name
            for student in students
            for each in _spellings(student)
            for name in (each, _NUMBER.sub("", each))
        ]
        whole = [pattern for name in names for pattern in _orderings(name)]
        words = [
            re.escape(part)
            for name in names
            for part in _PART.findall(name)
            if len(part) >= _MIN_PART_CHARS
        ]
        self._in_text: Final = _pattern_for(whole)
        self._in_names: Final = _pattern_for([*whole, *words])

    def masked_record(self, record: Record) -> Record:
        """Return `record` with names replaced in all text that is not from the suite."""
        masked: Record = self._masked_fields(record)
        return masked

    def _masked(self, value: Any, *, is_file: bool) -> Any:
        """Return `value`, of any type that a record contains, with names replaced."""
        match value:
            case Message():
                parameters = [
                    (k, self._masked(v, is_file=_names_file(k))) for k, v in value.parameters
                ]
                return Message(value.key, tuple(parameters))
            # Not `isinstance`: members of a `StrEnum` are strings too, but must stay members.
            case str() if type(value) is str:
                return self._masked_text(value, self._in_names if is_file else self._in_text)
            case tuple():
                return tuple(self._masked(each, is_file=is_file) for each in value)
            case _ if is_dataclass(value) and not isinstance(value, type):
                return self._masked_fields(value)
            case _:
                return value

    def _masked_text(self, text: str, names: re.Pattern[str]) -> str:
        # A name may span lines: keep its line breaks, so that line numbers stay right.
        without_names = names.sub(lambda match: self.pseudonym + "\n" * match[0].count("\n"), text)
        return _HOME_FOLDER.sub(lambda match: match[1] + self.pseudonym, without_names)

    def _masked_fields(self, value: Any) -> Any:
        names = [each.name for each in fields(value) if each.name not in _KEPT_FIELDS]
        return replace(
            value,
            **{
                name: self._masked(getattr(value, name), is_file=_names_file(name))
                for name in names
            },
        )


def _names_file(name: str) -> bool:
    return name in _FILE_FIELDS


def _spellings(student: str) -> Iterator[str]:
    """Yield the name as it is, as pages show it, and with its accents decomposed or dropped."""
    decomposed = unicodedata.normalize("NFD", student)
    yield from (student, one_line(student), decomposed)
    yield "".join(each for each in decomposed if not unicodedata.combining(each))


def _orderings(name: str) -> Iterator[str]:
    """Yield patterns for a name: as it is, and with its parts in every order."""
    yield re.escape(name)
    parts = _PART.findall(name)
    if len(parts) > 1:
        orderings = (
            permutations(parts) if len(parts) <= _MAX_ORDERED_PARTS else (parts, parts[::-1])
        )
        yield from (_JOINT.join(map(re.escape, ordering)) for ordering in orderings)


def _pattern_for(patterns: Iterable[str]) -> re.Pattern[str]:
    # Alternatives are tried in order: the longest first, or a part wins over the whole.
    longest_first = sorted(dict.fromkeys(patterns), key=len, reverse=True)
    return re.compile(f"{_BEFORE}(?:{'|'.join(longest_first)}){_AFTER}", re.IGNORECASE)


# The table of who is who, which a later run with pseudonyms continues.


PSEUDONYMS_NAME: Final = "pseudonyms.csv"


def known_pseudonyms(folder: Path) -> dict[str, str]:
    """Return the pseudonyms of the run in `folder`, by the names in its table, if it has one.

    Raises `UsageError` if that run also contains real names.
    """
    path = folder / PSEUDONYMS_NAME
    if not (path.is_file() and (folder / STORE_NAME).is_file()):
        return {}
    try:
        known = _names_in_table(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, csv.Error) as error:
        raise UsageError(
            f"{one_line(str(path))} cannot be read: {one_line(str(error))}",
            help="without it nobody knows who is who: start again with --fresh",
        ) from error
    with Store.reading(folder) as store:
        if not store.students <= {*known.values()}:
            raise UsageError(
                f"{one_line(str(folder))} has names that are not in its table",
                help="with --pseudonyms, name a new folder with --out, or start again with --fresh",
            )
    return known


def write_pseudonyms(folder: Path, pseudonyms: Pseudonyms, *, goes_on: bool = False) -> None:
    """Write the table of who is who into `folder`, which must be empty unless the run `goes_on`.

    Without the table nobody can tell whose page is whose. A page of an earlier run would show a
    name, or could be mistaken for somebody else's. Raises `OutputError` if it cannot be written.
    """
    path = folder / PSEUDONYMS_NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not goes_on and {*os.listdir(folder)} - {PSEUDONYMS_NAME}:
            raise OutputError(
                f"{one_line(str(folder))} is not empty",
                help="with --pseudonyms, name a new folder with --out: this one may have names",
            )
    except OSError as error:
        raise OutputError(f"cannot write {one_line(str(path))}: {error.strerror}") from error
    # Only the owner may read the table.
    with replacing(path, mode=0o600) as file:
        file.write(pseudonyms.table().encode("utf-8"))
