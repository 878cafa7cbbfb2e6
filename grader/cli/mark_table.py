"""Reads marks from a table, a CSV file with one line per decision."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from grader.cli.mark_input import MarkInput
from grader.errors import UsageError
from grader.values.foreign_text import one_line

if TYPE_CHECKING:
    from _csv import Reader

MAX_BYTES: Final = 4_000_000
_YES_WORDS: Final = frozenset({"yes", "y", "x", "1", "true"})
_NO_WORDS: Final = frozenset({"", "no", "n", "0", "false"})
_ESCAPED_FORMULA: Final = ("'=", "'+", "'-", "'@", "'\t")
"""Prefixes of cells that were escaped for a spreadsheet."""
_COLUMNS: Final = tuple(field.name for field in fields(MarkInput))
_SWITCHES: Final = ("total", "bonus", "undo")
_COLUMN_HELP: Final = f"write column names in the first line, chosen from: {', '.join(_COLUMNS)}"


def read_marks(path: Path) -> list[tuple[int, MarkInput]]:
    """Read the marks in the table at `path`, each with its line number.

    Raises `UsageError` if the table cannot be read or has a mistake.
    """
    shown_path = one_line(str(path))
    try:
        with path.open("rb") as file:
            # One more byte reveals that the file is too large, without reading all of it.
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(
            f"cannot read the table {shown_path}: {error.strerror}",
            help="check the path after --from, and that you may read the file",
        ) from error
    if len(data) > MAX_BYTES:
        raise UsageError(
            f"the table {shown_path} is larger than {MAX_BYTES // 1_000_000} MB",
            help="split it into several tables",
        )
    try:
        # Excel starts the file with a byte order mark.
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(
            f"the table {shown_path} is not encoded in UTF-8",
            help="save it as CSV in UTF-8, which is an option in spreadsheets",
        ) from None
    try:
        return list(_read_rows(text))
    except UsageError as error:
        raise UsageError(f"{shown_path}: {error.message}", help=error.help) from error


def _read_rows(text: str) -> Iterator[tuple[int, MarkInput]]:
    """Yield the marks in `text`, each with its line number.

    Raises `UsageError` if a column is unknown, repeated or missing, or if a line is invalid.
    """
    header = text.split("\n", 1)[0]
    # Spreadsheets choose the delimiter by country: it is the most frequent of these in the header.
    reader = csv.reader(io.StringIO(text), delimiter=max(",;\t", key=header.count), strict=True)
    try:
        yield from _parse_rows(reader)
    except csv.Error as error:
        raise UsageError(
            f"line {reader.line_num} is not valid CSV: {one_line(str(error))}",
            help="correct the quotation marks up to this line, or save the table as CSV again",
        ) from error


def _parse_rows(reader: Reader) -> Iterator[tuple[int, MarkInput]]:
    """Yield the marks in the rows of `reader`, each with its line number.

    Raises `UsageError` if a column is unknown, repeated or missing, or if a line is invalid, and
    `csv.Error` if a row is malformed.
    """
    columns = [name.strip().lower() for name in next(reader, [])]
    for number, name in enumerate(columns, start=1):
        if not name:
            raise UsageError(f"column {number} has no name", help=_COLUMN_HELP)
        if name not in _COLUMNS:
            similar = get_close_matches(name, _COLUMNS, 1)
            guess = f" (did you mean {similar[0]}?)" if similar else ""
            raise UsageError(f"unknown column {one_line(name, 40)!r}{guess}", help=_COLUMN_HELP)
    if "student" not in columns:
        raise UsageError("the column 'student' is missing", help=_COLUMN_HELP)
    for name in columns:
        if columns.count(name) > 1:
            raise UsageError(f"the column {name!r} occurs more than once", help="keep one of them")
    line = reader.line_num + 1  # a cell may span lines, so counting rows is not enough
    for row in reader:
        cells = [_unescape_cell(cell) for cell in row]
        if any(cells):
            if len(cells) > len(columns):
                raise UsageError(
                    f"line {line} has {len(cells)} cells, but the header has {len(columns)}",
                    help="put quotation marks around a text that contains the delimiter",
                )
            yield line, _build_mark(dict(zip(columns, cells, strict=False)), line)
        line = reader.line_num + 1


def _unescape_cell(text: str) -> str:
    """Return `text` without surrounding spaces, and without the escape before a formula."""
    return (text[1:] if text.startswith(_ESCAPED_FORMULA) else text).strip()


def _build_mark(cells: Mapping[str, str], line: int) -> MarkInput:
    """Return the mark in `cells`, keyed by column; raises `UsageError` if a switch is invalid."""
    switches = {name: cells.get(name, "").lower() for name in _SWITCHES}
    for name, text in switches.items():
        if text not in _YES_WORDS | _NO_WORDS:
            raise UsageError(
                f"line {line}: {name} must be yes or no, not {one_line(text, 40)!r}",
                help="write yes or no, or leave the cell empty",
            )
    values: dict[str, Any] = {
        **cells,
        **{name: text in _YES_WORDS for name, text in switches.items()},
    }
    return MarkInput(**values)
