"""Reads a worksheet in its dialect: the students in its rows, and the mark columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Final

from grader.errors import UsageError
from grader.intake.roster import Column, Key
from grader.plugins.platforms.gradebooks.delimited import MAX_BYTES, DelimitedText
from grader.plugins.platforms.gradebooks.dialects import (
    HANDMADE,
    Dialect,
    Header,
    fold,
    recognise_header,
)
from grader.plugins.platforms.gradebooks.identities import (
    Identity,
    identities_of,
    identity_from_cells,
    normalize_key,
)
from grader.plugins.platforms.gradebooks.marks import Mark
from grader.plugins.platforms.gradebooks.scaling import parse_number
from grader.plugins.platforms.gradebooks.tables import CellPosition, Content, Table, cell_text
from grader.plugins.platforms.gradebooks.workbooks import Workbook, is_workbook
from grader.values.foreign_text import one_line

_MAX_NAMED: Final = 20
"""The largest number of headers named in a message."""
_LOCKED_WORDS: Final = frozenset({"no", "nee", "nein", "non", "false"})
"""The ways to write "no" in a column that says whether a mark can be changed."""
_READ_ONLY: Final = "(read only)"
_FOREIGN_KINDS: Final = {
    # Recognised by content, because Blackboard's `.xls` is text.
    b"\xd0\xcf\x11\xe0": "an old workbook (.xls)",
    b"<": "a web page with the file name of a workbook",
    b"%PDF": "a PDF file",
}
"""Kinds of files that are not worksheets, keyed by their first bytes."""


@dataclass(frozen=True, slots=True)
class Worksheet:
    """A worksheet in a known dialect."""

    table: Table
    header: Header
    people: Mapping[int, Identity]
    """The students, keyed by row."""

    @classmethod
    def read(cls, data: bytes, names: Sequence[str] = ()) -> Worksheet:
        """Read the first table in `data` that has a mark column, or a column with one of `names`.

        Raises `UsageError` if `data` cannot be read, or contains no such table.
        """
        rejected: list[Table] = []
        for table in _read_tables(data):
            header = recognise_header(table, names)
            if header is not None:
                return cls(table, header, dict(_find_people(table, header)))
            rejected.append(table)
        raise _no_header_error(rejected)

    @property
    def dialect(self) -> Dialect:
        """The dialect of the header."""
        return self.header.dialect

    def text(self, row: int, column: int) -> str:
        """Return the text of a cell without surrounding whitespace."""
        return cell_text(self.table, CellPosition(row, column)).strip()

    def column_for(self, marks: Sequence[Mark], requested: str | None) -> int:
        """Return the column for `marks`: the `requested` one, or else the only candidate.

        Columns named after the exercise are preferred, then those whose item is the exercise's
        name, then those whose item contains it. Raises `UsageError` if no column or several remain.
        """
        if requested is not None:
            return self._find_requested_column(requested)
        exercise_names = {fold(text) for mark in marks[:1] for text in mark.names}
        well_named = [
            column for column, name in enumerate(self.header.folded) if name in exercise_names
        ]
        candidates = well_named or [
            column for column in self.header.marks() if not self._is_read_only(column)
        ]
        # Headers such as `Assignment: Akari (Real)` contain the item.
        items = {column: self.item(column) for column in candidates}
        with_item = [column for column in candidates if items[column] in exercise_names] or [
            column for column in candidates if any(name in items[column] for name in exercise_names)
        ]
        chosen = with_item or candidates
        if len(chosen) == 1:
            return chosen[0]
        if chosen:
            headers = join_headers([self.header.names[column] for column in chosen])
            raise UsageError(
                "the worksheet has several possible columns for the marks",
                help=f"choose one with --column: {headers}",
            )
        raise UsageError(
            "the worksheet has no column that is recognised as one for marks",
            help="name the column with --column, or add one to the worksheet; the headers are: "
            + join_headers(self.header.names),
        )

    def detect_key_columns(self, marks: Sequence[Mark]) -> Worksheet:
        """Return the worksheet with key columns also recognised by their cells.

        In a handmade worksheet, a column with any header counts as a column of ids, user names or
        addresses if it contains those of at least half the students in the run.
        """
        # Platforms have fixed headers, so their cells need not be examined.
        if self.dialect is not HANDMADE:
            return self
        students = [
            student for mark in marks for student in identities_of(mark.person, mark.student)
        ]
        identity_columns = dict(self.header.identity_columns)
        for content in (Column.ID, Column.USER, Column.EMAIL):
            keys = {text for student in students for text in student.values(content.key)}
            if not keys or content in identity_columns.values():
                continue
            for column in range(len(self.header.names)):
                cells = {
                    normalize_key(self.text(row, column)) for row in range(len(self.table.rows))
                }
                if column not in identity_columns and 2 * len(cells & keys) >= len(keys):
                    identity_columns[column] = content
        header = self.header._replace(identity_columns=identity_columns)
        return Worksheet(self.table, header, dict(_find_people(self.table, header)))

    def _find_requested_column(self, requested: str) -> int:
        """Return the column with the `requested` header.

        Raises `UsageError` if there is no such column, if there are several, or if the column
        identifies students.
        """
        names, folded = self.header.names, self.header.folded
        columns = [column for column, name in enumerate(names) if name == requested]
        columns = columns or [
            column for column, name in enumerate(folded) if name == fold(requested)
        ]
        if len(columns) == 1 and columns[0] not in self.header.identity_columns:
            return columns[0]
        if len(columns) == 1:
            problem = f"the column {one_line(requested)} identifies students: it is not for marks"
        else:
            number = "several columns" if columns else "no column"
            problem = f"the worksheet has {number} with the header {one_line(requested)}"
        raise UsageError(
            problem,
            help=f"choose another column with --column; the headers are: {join_headers(names)}",
        )

    def item(self, column: int) -> str:
        """Return the item that is marked in `column`, or "" if the header does not name it."""
        match = self.header.marks().get(column)
        return "" if match is None else (match.groupdict().get("item") or "").strip()

    def maximum(self, column: int) -> Decimal | None:
        """Return the maximum mark in `column`, or None if it is unknown or differs by student."""
        match = self.header.marks().get(column)
        header_maximum = "" if match is None else match.groupdict().get("max") or ""
        if header_maximum:
            return parse_number(header_maximum)
        maximum_column = self.header.column("maxima", self.item(column))
        texts = (
            self._note_cells(column)
            if maximum_column is None
            else (self.text(row, maximum_column) for row in self.people)
        )
        maxima = {value for value in map(parse_number, texts) if value is not None}
        return maxima.pop() if len(maxima) == 1 else None

    def feedback_column(self, column: int) -> int | None:
        """Return the column for feedback on the marks in `column`, or None if there is none."""
        return self.header.column("feedback", self.item(column))

    def is_locked(self, position: CellPosition) -> bool:
        """Return whether the platform locks the mark at `position`, or a formula computes it."""
        column = self.header.column("locked")
        locks = column is not None and fold(self.text(position.row, column)) in _LOCKED_WORDS
        return locks or position in self.table.formulas

    def fill_cells(self, cells: Mapping[CellPosition, Content], column: int) -> bytes:
        """Return the worksheet with `cells` filled in, and numbers formatted as in `column`."""
        return self.table.fill_cells(cells, comma=self._uses_comma(column))

    def _uses_comma(self, column: int) -> bool:
        """Return whether to write marks in `column` with a decimal comma."""
        maximum_column = self.header.column("maxima", self.item(column))
        columns = {column, *self.header.marks()}
        if maximum_column is not None:
            columns.add(maximum_column)
        texts = [
            self.text(row, number_column)
            for row in range(self.header.row + 1, len(self.table.rows))
            for number_column in columns
        ]
        numbers = [text for text in texts if parse_number(text) is not None]
        has_comma = any("," in text for text in numbers)
        # If numbers are mixed or missing, the delimiter and the language decide.
        if has_comma != any("." in text for text in numbers):
            return has_comma
        return self.table.has_semicolons or self.header.has_commas

    def _is_read_only(self, column: int) -> bool:
        return any(fold(text) == _READ_ONLY for text in self._note_cells(column))

    def _note_cells(self, column: int) -> Iterator[str]:
        """Yield the cells of `column` in rows without a student, if the dialect has notes there."""
        for row in range(self.header.row + 1, len(self.table.rows)):
            if self.dialect.has_notes and row not in self.people:
                yield self.text(row, column)


def read_worksheet(path: Path) -> bytes:
    """Return the bytes of the worksheet at `path`; raises `UsageError` if it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)  # one byte more, so that a larger file is refused
    except OSError as error:
        raise UsageError(
            f"cannot read the worksheet {one_line(str(path))}: {error.strerror}",
            help="check the path after --into, and the permissions of the file",
        ) from error


def _read_tables(data: bytes) -> Iterator[Table]:
    """Yield the tables in a workbook or CSV file; raises `UsageError` for other files."""
    for first_bytes, kind in _FOREIGN_KINDS.items():
        if data.lstrip().startswith(first_bytes):  # web pages can start with whitespace
            raise UsageError(
                f"the worksheet is {kind}",
                help="open the file in a spreadsheet, and save it as .xlsx or CSV",
            )
    if is_workbook(data):
        yield from Workbook.read(data).tables()
    else:
        yield DelimitedText.read(data)


def _find_people(table: Table, header: Header) -> Iterator[tuple[int, Identity]]:
    """Yield each row below `header` that contains a student, with the student."""
    for row in range(header.row + 1, len(table.rows)):
        texts = (
            (content, cell_text(table, CellPosition(row, column)).strip())
            for column, content in header.identity_columns.items()
        )
        cells = [(content, text) for content, text in texts if text]
        # A note has its label in the name column, and no id.
        is_note = header.dialect.has_notes and all(content.key is Key.NAME for content, _ in cells)
        if cells and not is_note:
            yield row, identity_from_cells(cells)


def _no_header_error(tables: Sequence[Table]) -> UsageError:
    """Return the error for a worksheet without a header row in `tables`, or without cells."""
    rows = (row for table in tables for row in table.rows if any(row))
    first_row = join_headers(next(rows, ()))
    if not first_row:
        return UsageError(
            "the worksheet is empty", help="export the worksheet from the platform again"
        )
    return UsageError(
        "the worksheet has no header row with columns for students and marks",
        help=f"name the column of the marks with --column; the first row is: {first_row}",
    )


def join_headers(headers: Sequence[str]) -> str:
    """Return the first `headers` that are not empty, joined with commas for a message."""
    text = ", ".join(one_line(header, 60) for header in headers[:_MAX_NAMED] if header)
    return f"{text} ..." if len(headers) > _MAX_NAMED else text
