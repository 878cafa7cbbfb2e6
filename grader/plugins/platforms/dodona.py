"""Exports of Dodona: `info.csv` names the owner of each file, however they are arranged.

Names come from `full_name`, since exports of early 2025 have first and last names swapped. An empty
file means that the student handed in nothing. Exports of a series or a course have several
exercises.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from grader.intake.files import SubmissionError
from grader.intake.layouts.recognition import (
    AttemptBuilder,
    KnownExercise,
    LeftOut,
    Name,
    Recognition,
    names_of,
)
from grader.intake.names import squeeze
from grader.intake.people import Attempt, Person
from grader.intake.sources import Source
from grader.intake.tables import MAX_TABLE_BYTES, read_table
from grader.plugins.platforms.dates import iso_time
from grader.plugins.platforms.gradebooks.dialects import Dialect, Words
from grader.plugins.platforms.platform import Platform
from grader.values.foreign_text import one_line

_INFO: Final = "info.csv"
_WHO: Final = ("full_name", "username", "email", "id")
_MAX_TABLES: Final = 100


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of the table, which describes a file."""

    path: str
    cells: Mapping[str, str]

    @property
    def person(self) -> Person:
        """The owner of the file."""
        return Person(
            name=self.cells.get("full_name") or None,
            user=self.cells.get("username") or None,
            id=self.cells.get("id") or None,
            email=self.cells.get("email") or None,
        )

    @property
    def exercises(self) -> frozenset[str]:
        """The names of the exercise in all languages, normalized by `squeeze`."""
        names = (self.cells.get(key, "") for key in ("name_en", "name_nl", "exercise_id"))
        return frozenset(squeeze(name) for name in names if name)


def _recognise(source: Source, known: KnownExercise) -> Recognition | None:
    names = names_of(source)
    tables = [name for name in names if name.parts[-1].lower() == _INFO][:_MAX_TABLES]
    rows = [row for table in tables for row in _rows(table)]
    files = {name.path: name for name in names}
    for table in tables:
        del files[table.path]
    if not any(row.path in files for row in rows):
        return None
    chosen, guesses = _of_exercise(rows, known)
    mine = {row.path for row in chosen}
    empty = {path for path in mine if path in files and _is_empty(files[path])}
    listed = {row.path for row in rows if row.path in files}
    others = [name for path, name in files.items() if path not in listed]
    return Recognition(
        layout="dodona",
        evidence=f"{len(listed)} of {len(files)} files are in the table {_INFO} of Dodona",
        fitting=frozenset(listed | {table.path for table in tables}),
        attempts=tuple(_attempts((row for row in chosen if row.path not in empty), files)),
        left_out=(
            *(
                LeftOut(path, "it belongs to another exercise", is_hand_in=False)
                for path in sorted(listed - mine)  # a set has any order
            ),
            *(LeftOut(name.path, f"it is not in {_INFO}") for name in others),
        ),
        guesses=(*guesses, *_without_file(chosen, files)),
        missing=tuple(row.person for row in chosen if row.path in empty),
    )


def _rows(table: Name) -> Iterable[_Row]:
    try:
        data = b"" if table.leaf is None else table.leaf.read(MAX_TABLE_BYTES)
        header, *rows = read_table(data) or [[]]
    except (SubmissionError, ValueError):
        return
    keys = [cell.lower() for cell in header]
    if "filename" not in keys or not set(_WHO) & set(keys):
        return
    for row in rows:
        # Rows may be shorter than the header.
        cells = dict(zip(keys, row, strict=False))
        path = PurePosixPath(*table.parts[:-1], *_parts(cells["filename"]))
        yield _Row(str(path), cells)


def _parts(name: str) -> list[str]:
    # Names come from the export, and must not lead out of its folder.
    return [part for part in name.replace("\\", "/").split("/") if part not in {"", ".", ".."}]


def _of_exercise(rows: Sequence[_Row], known: KnownExercise) -> tuple[list[_Row], list[str]]:
    """Return the rows of the wanted exercise, or a guess with the names if none matches."""
    all_of_them = {row.exercises for row in rows}
    if len(all_of_them) == 1:
        return list(rows), []
    asked = {squeeze(name) for name in (known.exercise or "", *known.modules) if name}
    chosen = [row for row in rows if row.exercises & asked]
    names = sorted({row.cells.get("name_en") or row.cells.get("name_nl", "") for row in rows})
    shown = ", ".join(one_line(name, 40) for name in names[:10])
    # The name must fit exactly one exercise.
    if len({row.exercises for row in chosen}) == 1:
        return chosen, []
    return [], [f"it has {len(all_of_them)} exercises, but not one with that name: {shown}"]


def _attempts(rows: Iterable[_Row], files: Mapping[str, Name]) -> Iterable[Attempt]:
    for row in rows:
        name, cells, pile = files.get(row.path), row.cells, AttemptBuilder()
        if name is not None:
            pile.add_file(name, name.parts[-1])
        yield pile.attempt(row.person, submitted=iso_time(cells.get("created_at", "")))


def _is_empty(name: Name) -> bool:
    """Return whether the file is empty, which means that the student handed in nothing."""
    return name.leaf is not None and name.leaf.size_bytes == 0


def _without_file(rows: Iterable[_Row], files: Container[str]) -> Iterable[str]:
    for row in rows:
        if row.path not in files:
            who = one_line(row.person.name or row.person.user or row.path, 60)
            yield f"{who}: the file named in {_INFO} is missing"


DODONA: Final = Platform(
    name="dodona",
    recognise=_recognise,
    gradebooks=(
        Dialect(
            name="Dodona evaluation",
            languages=(Words("en", "email, total score, total max", maxima="{item} max"),),
            mark=r"(?P<item>.+) score",
            trusts_names=False,
        ),
    ),
)
