"""Exports from Dodona: `info.csv` names the owner of each file, however the files are arranged.

Names come from `full_name`, because exports from early 2025 have first and last names swapped. An
empty file means that the student handed in nothing. Exports of a series or a course contain several
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
from grader.plugins.platforms.dates import parse_iso_time
from grader.plugins.platforms.gradebooks.dialects import Dialect, Words
from grader.plugins.platforms.platform import Platform
from grader.values.foreign_text import one_line

_INFO: Final = "info.csv"
_IDENTITY_COLUMNS: Final = ("full_name", "username", "email", "id")
_MAX_TABLES: Final = 100


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of `info.csv`, which describes one file."""

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
        """The exercise's names in all languages, normalized with `squeeze`."""
        names = (self.cells.get(key, "") for key in ("name_en", "name_nl", "exercise_id"))
        return frozenset(squeeze(name) for name in names if name)


def _recognise(source: Source, known: KnownExercise) -> Recognition | None:
    """Return the hand-ins that a table in `source` lists, or None if no listed file exists."""
    names = names_of(source)
    tables = [name for name in names if name.parts[-1].lower() == _INFO][:_MAX_TABLES]
    rows = [row for table in tables for row in _read_rows(table)]
    files = {name.path: name for name in names}
    for table in tables:
        del files[table.path]
    if not any(row.path in files for row in rows):
        return None
    chosen_rows, guesses = _choose_rows(rows, known)
    chosen_paths = {row.path for row in chosen_rows}
    empty = {path for path in chosen_paths if path in files and _is_empty(files[path])}
    listed_paths = {row.path for row in rows if row.path in files}
    unlisted = [name for path, name in files.items() if path not in listed_paths]
    return Recognition(
        layout="dodona",
        evidence=f"{len(listed_paths)} of {len(files)} files are listed in Dodona's {_INFO}",
        fitting=frozenset(listed_paths | {table.path for table in tables}),
        attempts=tuple(
            _build_attempts((row for row in chosen_rows if row.path not in empty), files)
        ),
        left_out=(
            *(
                LeftOut(path, "it belongs to another exercise", is_hand_in=False)
                for path in sorted(listed_paths - chosen_paths)  # sets have no order
            ),
            *(LeftOut(name.path, f"it is not listed in {_INFO}") for name in unlisted),
        ),
        guesses=(*guesses, *_guess_missing_files(chosen_rows, files)),
        missing=tuple(row.person for row in chosen_rows if row.path in empty),
    )


def _read_rows(table: Name) -> Iterable[_Row]:
    """Yield the rows of `table`; yield nothing if it is another kind of table."""
    try:
        data = b"" if table.leaf is None else table.leaf.read(MAX_TABLE_BYTES)
        header, *rows = read_table(data) or [[]]
    except (SubmissionError, ValueError):
        return
    keys = [cell.lower() for cell in header]
    if "filename" not in keys or not set(_IDENTITY_COLUMNS) & set(keys):
        return
    for row in rows:
        # Rows can be shorter than the header, even without a file name.
        cells = dict(zip(keys, row, strict=False))
        if "filename" in cells:
            path = PurePosixPath(*table.parts[:-1], *_safe_parts(cells["filename"]))
            yield _Row(str(path), cells)


def _safe_parts(name: str) -> list[str]:
    # The export is hostile input: its names must not lead out of its folder.
    return [part for part in name.replace("\\", "/").split("/") if part not in {"", ".", ".."}]


def _choose_rows(rows: Sequence[_Row], known: KnownExercise) -> tuple[list[_Row], list[str]]:
    """Return the rows of the known exercise, and the guesses to report.

    If there is only one exercise, all rows are returned, whatever its name. Otherwise, exactly one
    exercise has to match: if none or several do, no rows are returned, and a guess reports that.
    """
    exercises = {row.exercises for row in rows}
    if len(exercises) == 1:
        return list(rows), []
    expected = {squeeze(name) for name in (known.exercise or "", *known.modules) if name}
    chosen_rows = [row for row in rows if row.exercises & expected]
    exercise_names = sorted(
        {row.cells.get("name_en") or row.cells.get("name_nl", "") for row in rows}
    )
    listed_exercises = ", ".join(one_line(name, 40) for name in exercise_names[:10])
    # If several exercises match, choosing one of them could grade the wrong files.
    if len({row.exercises for row in chosen_rows}) == 1:
        return chosen_rows, []
    guess = (
        f"none of the {len(exercises)} exercises is clearly the requested one: {listed_exercises};"
        " export only that exercise from Dodona"
    )
    return [], [guess]


def _build_attempts(rows: Iterable[_Row], files: Mapping[str, Name]) -> Iterable[Attempt]:
    for row in rows:
        name, cells, builder = files.get(row.path), row.cells, AttemptBuilder()
        if name is not None:
            builder.add_file(name, name.parts[-1])
        yield builder.attempt(row.person, submitted=parse_iso_time(cells.get("created_at", "")))


def _is_empty(name: Name) -> bool:
    """Return whether the file is empty, which means that the student handed in nothing."""
    return name.leaf is not None and name.leaf.size_bytes == 0


def _guess_missing_files(rows: Iterable[_Row], files: Container[str]) -> Iterable[str]:
    for row in rows:
        if row.path not in files:
            student = one_line(row.person.name or row.person.user or row.path, 60)
            yield f"{student}: the file listed in {_INFO} is missing"


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
