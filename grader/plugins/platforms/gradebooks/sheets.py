"""Parses the XML of one sheet of a workbook, with the positions of its cells, and edits it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final, NamedTuple

from grader.plugins.platforms.gradebooks.markup import OPENED, parse, unreadable
from grader.plugins.platforms.gradebooks.tables import Place

_MAX_ROWS: Final = 100_000
_MAX_COLUMNS: Final = 16_384
_MAX_CELLS: Final = 2_000_000
"""Empty cells between others included."""
_MAX_EXACT: Final = 1e15
"""Spreadsheets keep 15 digits, so larger numbers are not exact."""
_REFERENCE: Final = re.compile(r"([A-Z]{1,3})[1-9][0-9]{0,6}\Z")
_TYPE: Final = re.compile(rb"""\st\s*=\s*("[^"]*"|'[^']*')""")


class Edit(NamedTuple):
    """The new type and inner XML of a cell."""

    place: Place
    kind: str
    inner: str


class _Cell(NamedTuple):
    text: str
    start: int
    end: int
    has_formula: bool


@dataclass(frozen=True, slots=True)
class _Row:
    """A row in the XML, with only the cells that have content or a style."""

    start: int
    end_tag: int
    cells: Mapping[int, _Cell]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A parsed sheet."""

    data: bytes
    rows: Sequence[Sequence[str]]
    """The text of each cell."""
    formulas: frozenset[Place]
    by_row: Mapping[int, _Row]


def sheet_of(data: bytes, shared: bytes | None) -> Sheet:
    """Return the sheet in `data`; `shared` is the XML of the shared strings."""
    texts = _Texts()
    if shared is not None:
        parse(shared, texts)
    reader = _Rows(texts.found)
    parse(data, reader)
    formulas = frozenset(
        Place(at, column)
        for at, row in reader.rows.items()
        for column, cell in row.cells.items()
        if cell.has_formula
    )
    return Sheet(data, _dense(reader.rows), formulas, reader.rows)


def _dense(by_row: Mapping[int, _Row]) -> list[list[str]]:
    widths = {at: max(row.cells, default=-1) + 1 for at, row in by_row.items()}
    if sum(widths.values()) > _MAX_CELLS:
        raise unreadable(f"a sheet has more than {_MAX_CELLS:,} cells")
    rows: list[list[str]] = [[] for _ in range(max(by_row, default=-1) + 1)]
    for at, row in by_row.items():
        rows[at] = [""] * widths[at]
        for column, cell in row.cells.items():
            rows[at][column] = cell.text
    return rows


def spliced(sheet: Sheet, edits: Iterable[Edit]) -> bytes:
    """Return the XML of `sheet` with `edits`, which must be in rows with cells."""
    pieces: list[bytes] = []
    done = 0
    for start, end, _, new in sorted(_change(sheet, each) for each in edits):
        pieces += [sheet.data[done:start], new]
        done = end
    return b"".join([*pieces, sheet.data[done:]])


def _change(sheet: Sheet, edit: Edit) -> tuple[int, int, int, bytes]:
    """Return the edit as start, end, column and new XML; the column orders inserts at one place."""
    row, column = sheet.by_row[edit.place.row], edit.place.column
    if column in row.cells:
        cell = row.cells[column]
        name, attributes = _opened(sheet.data, cell.start)
        return (cell.start, cell.end, column, _xml(name, _TYPE.sub(b"", attributes), edit))
    name, _ = _opened(sheet.data, next(iter(row.cells.values())).start)
    at = min((cell.start for at, cell in row.cells.items() if at > column), default=row.end_tag)
    reference = f' r="{_letters(column)}{edit.place.row + 1}"'
    return (at, at, column, _xml(name, reference.encode("ascii"), edit))


def _opened(data: bytes, at: int) -> tuple[bytes, bytes]:
    """Return the name and the attributes of the start tag at `at`."""
    opened = OPENED.match(data, at)
    assert opened is not None, "a tag begins here"
    return opened["name"], opened["attributes"].rstrip()


def _xml(name: bytes, attributes: bytes, edit: Edit) -> bytes:
    """Return the XML of a cell, with the namespace prefix of `name` on its children."""
    prefix = name[1:].rpartition(b":")[0]
    inner = edit.inner.encode("utf-8", "replace")
    if prefix:
        inner = re.sub(rb"<(/?)(?=(?:v|is|t)\b)", rb"<\1" + prefix + b":", inner)
    kind = b"" if edit.kind == "n" else f' t="{edit.kind}"'.encode("ascii")
    return name + attributes + kind + b">" + inner + b"</" + name[1:] + b">"


def _letters(column: int) -> str:
    letters, left = "", column + 1
    while left:
        left, letter = divmod(left - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters


def _number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1


@dataclass(slots=True)
class _Texts:
    """Reads the shared strings."""

    found: list[str] = field(default_factory=list)
    _pieces: list[str] = field(default_factory=list)
    _is_text: bool = False
    _is_reading_aid: bool = False
    """Inside a phonetic guide, such as furigana, which is not part of the text."""

    def start(self, name: str, attributes: dict[str, str], at: int) -> None:
        if name == "si":
            self._pieces = []
        self._is_reading_aid |= name == "rPh"
        self._is_text = name == "t" and not self._is_reading_aid

    def end(self, name: str, at: int, after: int) -> None:
        if name == "si":
            self.found.append("".join(self._pieces))
        self._is_reading_aid &= name != "rPh"
        self._is_text = False

    def text(self, text: str) -> None:
        if self._is_text:
            self._pieces.append(text)


@dataclass(slots=True)
class _Rows:
    """Reads the rows of a sheet."""

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

    def start(self, name: str, attributes: dict[str, str], at: int) -> None:
        self._inside = name
        if name == "row":
            # Numbers of rows and references of cells are optional: the default is the next one.
            row = attributes.get("r", "")
            # Longer numbers are beyond the limit, and slow to convert.
            self._row = int(row) - 1 if row.isdecimal() and len(row) < 8 else self._row + 1
            self._row_start, self._cells, self._column = at, {}, -1
            if not 0 <= self._row < _MAX_ROWS:
                raise unreadable(f"a sheet has more than {_MAX_ROWS:,} rows")
        elif name == "c":
            found = _REFERENCE.match(attributes.get("r", ""))
            self._column = self._column + 1 if found is None else _number(found[1])
            self._start, self._kind = at, attributes.get("t", "n")
            self._value, self._has_formula = [], False
            self._count += 1
            if self._column >= _MAX_COLUMNS or self._count > _MAX_CELLS:
                raise unreadable("a sheet has too many cells")
        elif name == "f":
            self._has_formula = True

    def end(self, name: str, at: int, after: int) -> None:
        self._inside = ""
        if name == "c":
            text = self._text("".join(self._value))
            self._cells[self._column] = _Cell(text, self._start, after, self._has_formula)
        elif name == "row":
            self.rows[self._row] = _Row(self._row_start, at, self._cells)

    def text(self, text: str) -> None:
        if self._inside in {"v", "t"}:
            self._value.append(text)

    def _text(self, value: str) -> str:
        if self._kind == "s":
            # Longer numbers are no index, and slow to convert.
            at = int(value) if value.isdecimal() and len(value) < 10 else len(self.shared)
            return self.shared[at] if at < len(self.shared) else ""
        return _shown(value) if self._kind == "n" else value


def _shown(value: str) -> str:
    """Return a number without an exponent: an id may be stored as `123456.0` or `1.23456E5`."""
    try:
        number = float(value)
    except ValueError:
        return value
    if not abs(number) < _MAX_EXACT:  # also true of `nan`
        return value
    return f"{Decimal(repr(number)):f}".removesuffix(".0")
