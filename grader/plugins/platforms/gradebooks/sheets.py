"""Parses the XML of one sheet in a workbook, with the positions of its cells, and edits it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final, NamedTuple

from grader.plugins.platforms.gradebooks.markup import START_TAG, parse, unreadable_workbook
from grader.plugins.platforms.gradebooks.tables import CellPosition

_MAX_ROWS: Final = 100_000
_MAX_COLUMNS: Final = 16_384
_MAX_CELLS: Final = 2_000_000
"""The limit on cells in a sheet, including empty cells between others."""
_MAX_EXACT: Final = 1e15
"""Larger numbers are not exact, because spreadsheets keep only 15 digits."""
_REFERENCE: Final = re.compile(r"([A-Z]{1,3})[1-9][0-9]{0,6}\Z")
_TYPE_ATTRIBUTE: Final = re.compile(rb"""\st\s*=\s*("[^"]*"|'[^']*')""")


class Edit(NamedTuple):
    """The new type and inner XML of the cell at `position`."""

    position: CellPosition
    kind: str
    inner: str


class _Cell(NamedTuple):
    """The text of a cell, and the byte offsets of its element."""

    text: str
    start: int
    end: int
    has_formula: bool


@dataclass(frozen=True, slots=True)
class _Row:
    """The byte offsets of a row, and its cells: the XML omits those without content and style."""

    start: int
    end_tag: int
    cells: Mapping[int, _Cell]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A parsed sheet."""

    data: bytes
    rows: Sequence[Sequence[str]]
    """The text of each cell, with empty cells filled in."""
    formulas: frozenset[CellPosition]
    by_row: Mapping[int, _Row]
    """The rows in the XML, keyed by row index; rows without cells can be missing."""


def parse_sheet(data: bytes, shared: bytes | None) -> Sheet:
    """Parse the sheet in `data`; `shared` is the XML of the shared strings.

    Raises `UsageError` if either cannot be read, or if a limit is exceeded.
    """
    texts = _SharedStringReader()
    if shared is not None:
        parse(shared, texts)
    reader = _RowReader(texts.strings)
    parse(data, reader)
    formulas = frozenset(
        CellPosition(row_index, column)
        for row_index, row in reader.rows.items()
        for column, cell in row.cells.items()
        if cell.has_formula
    )
    return Sheet(data, _fill_gaps(reader.rows), formulas, reader.rows)


def _fill_gaps(by_row: Mapping[int, _Row]) -> list[list[str]]:
    """Return the text of each cell, with empty cells filled in.

    Raises `UsageError` if there are too many cells.
    """
    # Checked before the gaps are filled: a single cell far to the right adds thousands.
    widths = {index: max(row.cells, default=-1) + 1 for index, row in by_row.items()}
    if sum(widths.values()) > _MAX_CELLS:
        raise unreadable_workbook(f"a sheet has more than {_MAX_CELLS:,} cells")
    rows: list[list[str]] = [[] for _ in range(max(by_row, default=-1) + 1)]
    for index, row in by_row.items():
        rows[index] = [""] * widths[index]
        for column, cell in row.cells.items():
            rows[index][column] = cell.text
    return rows


def splice(sheet: Sheet, edits: Iterable[Edit]) -> bytes:
    """Return the XML of `sheet` with `edits` applied, each in a row that has a cell."""
    pieces: list[bytes] = []
    copied_to = 0
    for start, end, _, new in sorted(_locate_edit(sheet, edit) for edit in edits):
        pieces += [sheet.data[copied_to:start], new]
        copied_to = end
    return b"".join([*pieces, sheet.data[copied_to:]])


def _locate_edit(sheet: Sheet, edit: Edit) -> tuple[int, int, int, bytes]:
    """Return the start and end of the XML to replace, the column, and the new XML.

    A new cell is inserted before the next one, because the cells of a row must be in order. Its tag
    is named like that of another cell. The column is used to sort insertions at the same offset.
    """
    row, column = sheet.by_row[edit.position.row], edit.position.column
    if column in row.cells:
        cell = row.cells[column]
        name, attributes = _parse_start_tag(sheet.data, cell.start)
        return (
            cell.start,
            cell.end,
            column,
            _cell_xml(name, _TYPE_ATTRIBUTE.sub(b"", attributes), edit),
        )
    name, _ = _parse_start_tag(sheet.data, next(iter(row.cells.values())).start)
    offset = min(
        (cell.start for index, cell in row.cells.items() if index > column), default=row.end_tag
    )
    reference = f' r="{_column_letters(column)}{edit.position.row + 1}"'
    return (offset, offset, column, _cell_xml(name, reference.encode("ascii"), edit))


def _parse_start_tag(data: bytes, offset: int) -> tuple[bytes, bytes]:
    """Return the name, preceded by `<`, and the attributes of the start tag at `offset`."""
    start_tag = START_TAG.match(data, offset)
    assert start_tag is not None, "cells start with a tag"
    return start_tag["name"], start_tag["attributes"].rstrip()


def _cell_xml(name: bytes, attributes: bytes, edit: Edit) -> bytes:
    """Return the XML of a cell; its children get the namespace prefix of `name`.

    `name` starts with `<`.
    """
    prefix = name[1:].rpartition(b":")[0]
    inner = edit.inner.encode("utf-8", "replace")
    if prefix:
        inner = re.sub(rb"<(/?)(?=(?:v|is|t)\b)", rb"<\1" + prefix + b":", inner)
    kind = b"" if edit.kind == "n" else f' t="{edit.kind}"'.encode("ascii")
    return name + attributes + kind + b">" + inner + b"</" + name[1:] + b">"


def _column_letters(column: int) -> str:
    letters, remaining = "", column + 1
    while remaining:
        remaining, letter = divmod(remaining - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1


@dataclass(slots=True)
class _SharedStringReader:
    """Collects the shared strings while their XML is parsed."""

    strings: list[str] = field(default_factory=list)
    _pieces: list[str] = field(default_factory=list)
    _is_text: bool = False
    _is_phonetic: bool = False
    """Whether the reader is in a phonetic guide such as furigana, which is not part of the text."""

    def start(self, name: str, attributes: dict[str, str], offset: int) -> None:
        if name == "si":
            self._pieces = []
        self._is_phonetic |= name == "rPh"
        self._is_text = name == "t" and not self._is_phonetic

    def end(self, name: str, offset: int, end_offset: int) -> None:
        if name == "si":
            self.strings.append("".join(self._pieces))
        self._is_phonetic &= name != "rPh"
        self._is_text = False

    def text(self, text: str) -> None:
        if self._is_text:
            self._pieces.append(text)


@dataclass(slots=True)
class _RowReader:
    """Collects the rows of a sheet while its XML is parsed."""

    shared: Sequence[str]
    rows: dict[int, _Row] = field(default_factory=dict)
    _row: int = -1
    _row_start: int = 0
    _cells: dict[int, _Cell] = field(default_factory=dict)
    _count: int = 0
    _column: int = -1
    _start: int = 0
    _kind: str = "n"
    _value: list[str] = field(default_factory=list)
    _has_formula: bool = False
    _inside: str = ""

    def start(self, name: str, attributes: dict[str, str], offset: int) -> None:
        """Start a row or a cell; raises `UsageError` if a limit is exceeded."""
        self._inside = name
        if name == "row":
            # Row numbers and cell references are optional, and default to the next one.
            row = attributes.get("r", "")
            # Longer numbers are over the limit anyway, and slow to convert.
            self._row = int(row) - 1 if row.isdecimal() and len(row) < 8 else self._row + 1
            self._row_start, self._cells, self._column = offset, {}, -1
            if self._row < 0:
                raise unreadable_workbook("a row of a sheet has the number 0")
            if self._row >= _MAX_ROWS:
                raise unreadable_workbook(f"a sheet has more than {_MAX_ROWS:,} rows")
        elif name == "c":
            match = _REFERENCE.match(attributes.get("r", ""))
            self._column = self._column + 1 if match is None else _column_number(match[1])
            self._start, self._kind = offset, attributes.get("t", "n")
            self._value, self._has_formula = [], False
            self._count += 1
            if self._column >= _MAX_COLUMNS or self._count > _MAX_CELLS:
                raise unreadable_workbook(
                    f"a sheet has too many cells: more than {_MAX_COLUMNS:,} columns,"
                    f" or {_MAX_CELLS:,} cells"
                )
        elif name == "f":
            self._has_formula = True

    def end(self, name: str, offset: int, end_offset: int) -> None:
        """Store the cell or row that ends."""
        self._inside = ""
        if name == "c":
            text = self._cell_text("".join(self._value))
            self._cells[self._column] = _Cell(text, self._start, end_offset, self._has_formula)
        elif name == "row":
            self.rows[self._row] = _Row(self._row_start, offset, self._cells)

    def text(self, text: str) -> None:
        if self._inside in {"v", "t"}:
            self._value.append(text)

    def _cell_text(self, value: str) -> str:
        """Return the text of the current cell, whose XML contains `value`."""
        if self._kind == "s":
            # Longer numbers cannot be an index, and are slow to convert.
            index = int(value) if value.isdecimal() and len(value) < 10 else len(self.shared)
            return self.shared[index] if index < len(self.shared) else ""
        return _without_exponent(value) if self._kind == "n" else value


def _without_exponent(value: str) -> str:
    """Return `value` without an exponent or `.0`, because `1.23456E5` might be an id.

    Return it unchanged if it is not a number, or too large to be exact.
    """
    try:
        number = float(value)
    except ValueError:
        return value
    if not abs(number) < _MAX_EXACT:  # also true for `nan`
        return value
    return f"{Decimal(repr(number)):f}".removesuffix(".0")
