"""Assigns pseudonyms to students, so that reports can be shown to people outside the staff.

Each student gets a random number, a new one in every run that does not continue an earlier run. The
table of who is who is written to one file that is not shown. Before anything about a record is
written, the name of its student is replaced wherever it occurs: in names of files and folders, in
remarks, in messages, in code. In text only the full name is replaced, with its parts in any order
and joined in any way; in a file name, each part is also replaced by itself. Nicknames, and parts
of the name in a comment, remain.
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
from grader.reporting.writing import output_error, replacing
from grader.store.store import STORE_NAME, Store
from grader.values.foreign_text import one_line

_MIN_DIGITS: Final = 3
_MIN_PART_CHARS: Final = 2
"""Initials by themselves are not replaced, because any file name might contain them."""
_MAX_ORDERED_PARTS: Final = 3
"""Names with more parts are matched as they are and in reverse: they have too many orders."""
_COLUMNS: Final = ("pseudonym", "student")
_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t")
"""Characters that make a spreadsheet treat a cell as a formula."""
# Accents that follow their letter as separate characters belong to the part.
_NAME_PART: Final = re.compile(r"(?:[^\W_][\u0300-\u036f]*)+")
# Zero characters are allowed, because user names often join the parts without a separator.
_SEPARATOR: Final = r"[\W_]{0,3}"
_WORD_START: Final = r"(?<![^\W_])"
_WORD_END: Final = r"(?![^\W_])"
_FILE_FIELDS: Final = frozenset({"file", "files", "folder", "name"})
"""Fields, and message parameters, that contain file names."""

_HOME_FOLDER: Final = re.compile(
    r"""(\b(?:users|home)[\\/]+)(?:[^\\/\n'"]+(?=[\\/])|[^\\/\s'"]+)""", re.IGNORECASE
)
"""Matches a user's home folder in a path, because its name often differs from the student's."""
_KEPT_FIELDS: Final = frozenset(
    (
        *("also_in", "code", "conditions", "exercise", "expected", "group", "id", "language"),
        *("contact", "note"),
        *("site_url", "spec", "spec_url", "title"),
        *("kind", "x", "y"),  # of pictures
    )
)
"""Fields that come from the suite or from this machine, and so cannot name a student."""
_ADDED_NUMBER: Final = re.compile(r" \(\d+\)$")
"""The number added to distinguish hand-ins with equal names; no file and no text contains it."""


@dataclass(frozen=True, slots=True)
class Pseudonyms:
    """The pseudonyms of the students in one run."""

    by_student: Mapping[str, str]
    persons: Mapping[str, Person] = field(default_factory=dict)
    """Further names of students from the platform, keyed by student."""

    @classmethod
    def draw(
        cls,
        students: Iterable[str],
        persons: Mapping[str, Person] | None = None,
        known: Mapping[str, str] | None = None,
    ) -> Pseudonyms:
        """Draw a pseudonym for each of `students`, such as `student-017`.

        Students whose name is in the table `known` keep their pseudonyms, including students who
        have left the course. Students whose names look the same in the table get new pseudonyms.
        """
        names, known = sorted(set(students)), dict(known or {})
        # The table has names on one line, where different names might look the same.
        table_names = Counter(map(one_line, names))
        kept_pseudonyms = {name: known[one_line(name)] for name in names if one_line(name) in known}
        kept_pseudonyms = {
            name: pseudonym
            for name, pseudonym in kept_pseudonyms.items()
            if table_names[one_line(name)] == 1
        }
        departed_pseudonyms = {
            name: pseudonym for name, pseudonym in known.items() if not table_names[name]
        }
        new_names = [name for name in names if name not in kept_pseudonyms]
        digits = max(_MIN_DIGITS, len(str(len(names) + len(departed_pseudonyms))))
        used = {*known.values()}  # including those of students who have left
        candidates = (f"student-{number:0{digits}}" for number in count(1))
        drawn = list(islice((name for name in candidates if name not in used), len(new_names)))
        # Shuffled with system randomness, so that neither the alphabet nor a seed reveals names.
        SystemRandom().shuffle(drawn)
        return cls(
            departed_pseudonyms | kept_pseudonyms | dict(zip(new_names, drawn, strict=True)),
            persons or {},
        )

    def only(self, students: Iterable[str]) -> Pseudonyms:
        """Return only the pseudonyms of `students`; raise `KeyError` if one of them has none."""
        chosen = {*students}
        return Pseudonyms(
            {student: self.pseudonym_of(student) for student in chosen},
            {student: person for student, person in self.persons.items() if student in chosen},
        )

    def pseudonym_of(self, student: str) -> str:
        """Return the pseudonym of `student`; raise `KeyError` if there is none."""
        return self.by_student[student]

    def hide(self, record: Record) -> Record:
        """Return `record` with the student's names and the record's id replaced with the pseudonym.

        Raises `KeyError` if the student has no pseudonym.
        """
        person = self.persons.get(record.student, Person())
        mask = _Mask([record.student, *_names(person)], self.pseudonym_of(record.student))
        pseudonym = mask.pseudonym
        return replace(mask.mask_record(record), id=pseudonym, student=pseudonym)

    def table(self) -> str:
        """Return the table of who is who as CSV, sorted by pseudonym."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(_COLUMNS)
        for student, pseudonym in sorted(self.by_student.items(), key=lambda pair: pair[1]):
            name = one_line(student)
            # An apostrophe prevents a spreadsheet from treating a name as a formula.
            writer.writerow((pseudonym, f"'{name}" if name.startswith(_FORMULA_STARTS) else name))
        return text.getvalue()


def _parse_table(table: str) -> dict[str, str]:
    """Return the pseudonyms keyed by the names in `table`; raise `ValueError` if malformed."""
    rows = csv.reader(io.StringIO(table, newline=""))
    if next(rows, None) is None:
        raise ValueError("it is empty")
    quoted_starts = tuple(f"'{start}" for start in _FORMULA_STARTS)
    pseudonyms: dict[str, str] = {}
    for row in rows:
        if len(row) != len(_COLUMNS):
            raise ValueError(f"line {rows.line_num} does not consist of a pseudonym and a student")
        pseudonym, name = row
        pseudonyms[name[1:] if name.startswith(quoted_starts) else name] = pseudonym
    return pseudonyms


def _names(person: Person) -> Iterator[str]:
    """Yield the names, user names, ids and addresses of `person` and, for a group, its members."""
    names = (person.name, person.user, person.id, person.email, (person.email or "").split("@")[0])
    yield from filter(None, names)
    for member in person.members:
        yield from _names(member)


class _Mask:
    """Replaces the names of one student with a pseudonym."""

    def __init__(self, names: Iterable[str], pseudonym: str) -> None:
        """Build the patterns that match any of `names`, which are those of one student."""
        self.pseudonym: Final = pseudonym
        variants = [
            variant
            for name in names
            for spelling in _spellings(name)
            for variant in (spelling, _ADDED_NUMBER.sub("", spelling))
        ]
        full_names = [pattern for variant in variants for pattern in _name_patterns(variant)]
        name_parts = [
            re.escape(part)
            for variant in variants
            for part in _NAME_PART.findall(variant)
            if len(part) >= _MIN_PART_CHARS
        ]
        self._in_text: Final = _pattern_for(full_names)
        self._in_names: Final = _pattern_for([*full_names, *name_parts])

    def mask_record(self, record: Record) -> Record:
        """Return `record` with names replaced in all text that is not from the suite."""
        masked: Record = self._mask_fields(record)
        return masked

    def _mask_value(self, value: Any, *, is_file: bool) -> Any:
        """Return `value`, of any type that a record contains, with names replaced.

        `is_file` means that strings in it are file names.
        """
        match value:
            case Message():
                parameters = [
                    (name, self._mask_value(parameter, is_file=_contains_file_name(name)))
                    for name, parameter in value.parameters
                ]
                return Message(value.key, tuple(parameters))
            # Not `isinstance`: members of a `StrEnum` are strings too, but must remain members.
            case str() if type(value) is str:
                return self._mask_text(value, self._in_names if is_file else self._in_text)
            case tuple():
                return tuple(self._mask_value(item, is_file=is_file) for item in value)
            case _ if is_dataclass(value) and not isinstance(value, type):
                return self._mask_fields(value)
            case _:
                return value

    def _mask_text(self, text: str, names: re.Pattern[str]) -> str:
        """Return `text` with matches of `names`, and names of home folders, replaced."""
        # A name might span lines; its line breaks are kept, so that line numbers remain right.
        without_names = names.sub(lambda match: self.pseudonym + "\n" * match[0].count("\n"), text)
        return _HOME_FOLDER.sub(lambda match: match[1] + self.pseudonym, without_names)

    def _mask_fields(self, value: Any) -> Any:
        """Return the dataclass instance `value` with names replaced in its fields."""
        field_names = [field.name for field in fields(value) if field.name not in _KEPT_FIELDS]
        return replace(
            value,
            **{
                name: self._mask_value(getattr(value, name), is_file=_contains_file_name(name))
                for name in field_names
            },
        )


def _contains_file_name(field_name: str) -> bool:
    return field_name in _FILE_FIELDS


def _spellings(name: str) -> Iterator[str]:
    """Yield `name` as it is, as pages show it, and with its accents decomposed or removed."""
    decomposed = unicodedata.normalize("NFD", name)
    yield from (name, one_line(name), decomposed)
    yield "".join(char for char in decomposed if not unicodedata.combining(char))


def _name_patterns(name: str) -> Iterator[str]:
    """Yield patterns that match `name` as it is, and with its parts in every order.

    A name with many parts is matched in two orders only; see `_MAX_ORDERED_PARTS`.
    """
    yield re.escape(name)
    parts = _NAME_PART.findall(name)
    if len(parts) > 1:
        orderings = (
            permutations(parts) if len(parts) <= _MAX_ORDERED_PARTS else (parts, parts[::-1])
        )
        yield from (_SEPARATOR.join(map(re.escape, ordering)) for ordering in orderings)


def _pattern_for(patterns: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that matches any of `patterns` as a whole word."""
    # Alternatives are tried in order, so the longest must come first: otherwise only a part of a
    # name would match.
    longest_first = sorted(dict.fromkeys(patterns), key=len, reverse=True)
    return re.compile(f"{_WORD_START}(?:{'|'.join(longest_first)}){_WORD_END}", re.IGNORECASE)


# A later run with pseudonyms continues the table of who is who.


PSEUDONYMS_NAME: Final = "pseudonyms.csv"


def load_pseudonyms(folder: Path) -> dict[str, str]:
    """Return the pseudonyms of the run in `folder`, keyed by the names in its table.

    Returns an empty dict if there is no table or no run. Raises `UsageError` if the table cannot be
    read, or if the run contains a student who is not one of these pseudonyms.
    """
    path = folder / PSEUDONYMS_NAME
    if not (path.is_file() and (folder / STORE_NAME).is_file()):
        return {}
    try:
        known = _parse_table(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, csv.Error) as error:
        problem = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        reason = getattr(error, "strerror", None) or problem
        raise UsageError(
            f"{one_line(str(path))} cannot be read: {one_line(reason)}",
            help="repair or restore the table, because without it nobody knows who is who; if you"
            " cannot, start again with --fresh",
        ) from error
    with Store.reading(folder) as store:
        if not store.students <= {*known.values()}:
            raise UsageError(
                f"{one_line(str(folder))} contains names of students, not only pseudonyms",
                help="choose a new folder with --out, or replace this run with --fresh",
            )
    return known


def write_pseudonyms(folder: Path, pseudonyms: Pseudonyms, *, continues: bool = False) -> None:
    """Write the table of who is who to `folder`, so that staff can tell whose page is whose.

    Unless the run `continues` an earlier run in `folder`, the folder must be empty: a page from
    another run would show a name, or could be mistaken for another student's. Raises `OutputError`
    if the folder is not empty, or if the table cannot be written.
    """
    path = folder / PSEUDONYMS_NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not continues and {*os.listdir(folder)} - {PSEUDONYMS_NAME}:
            raise OutputError(
                f"{one_line(str(folder))} is not empty",
                help="choose a new folder with --out, because this one may contain names",
            )
    except OSError as error:
        raise output_error(path, error) from error
    # Only the owner is allowed to read the table.
    with replacing(path, mode=0o600) as file:
        file.write(pseudonyms.table().encode("utf-8"))
