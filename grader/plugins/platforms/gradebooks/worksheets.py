"""Reads a worksheet in its dialect: the students in rows, and the columns of marks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from grader.errors import UsageError
from grader.intake.roster import Column, Key
from grader.plugins.platforms.gradebooks.delimited import DelimitedText
from grader.plugins.platforms.gradebooks.dialects import OWN, Dialect, Header, fold, recognised
from grader.plugins.platforms.gradebooks.identities import (
    Identity,
    identities_of,
    identity_in,
    plain,
)
from grader.plugins.platforms.gradebooks.marks import Mark
from grader.plugins.platforms.gradebooks.scaling import number
from grader.plugins.platforms.gradebooks.tables import Content, Place, Table, cell
from grader.plugins.platforms.gradebooks.workbooks import Workbook, is_workbook
from grader.values.foreign_text import one_line

_MAX_NAMED: Final = 20
_NO: Final = frozenset({"no", "nee", "nein", "non", "false"})
_READ_ONLY: Final = "(read only)"
_OTHERS: Final = {
    b"\xd0\xcf\x11\xe0": "an old workbook (.xls)",  # by content: the `.xls` of Blackboard is text
    b"<": "a web page with the name of a workbook",
    b"%PDF": "a PDF file",
}
"""Files that are not worksheets, by their first bytes."""


@dataclass(frozen=True, slots=True)
class Worksheet:
    """A worksheet of a known dialect."""

    table: Table
    header: Header
    people: Mapping[int, Identity]
    """The students, by row."""

    @classmethod
    def read(cls, data: bytes, names: Sequence[str] = ()) -> Worksheet:
        """Return the first table in `data` with a header of marks or of one of `names`.

        Raises `UsageError` without one.
        """
        seen: list[Table] = []
        for table in _tables(data):
            header = recognised(table, names)
            if header is not None:
                return cls(table, header, dict(_people(table, header)))
            seen.append(table)
        raise _no_header(seen)

    @property
    def dialect(self) -> Dialect:
        """The dialect of its header."""
        return self.header.dialect

    def text(self, row: int, column: int) -> str:
        """Return the text of a cell, stripped."""
        return cell(self.table, Place(row, column)).strip()

    def column_for(self, marks: Sequence[Mark], asked: str | None) -> int:
        """Return the column for `marks`: the one `asked` for, or the only candidate.

        Columns named after the exercise come first, then those whose item is, or contains, its
        name. Raises `UsageError` if several remain, or none.
        """
        if asked is not None:
            return self._asked(asked)
        wanted = {fold(text) for mark in marks[:1] for text in mark.names}
        named_so = [at for at, name in enumerate(self.header.folded) if name in wanted]
        candidates = named_so or [at for at in self.header.marks() if not self._is_read_only(at)]
        # Headers such as `Assignment: Akari (Real)` contain the item.
        items = {at: self.item(at) for at in candidates}
        called = [at for at in candidates if items[at] in wanted] or [
            at for at in candidates if any(each in items[at] for each in wanted)
        ]
        chosen = called or candidates
        if len(chosen) == 1:
            return chosen[0]
        shown = named([self.header.names[at] for at in chosen] or self.header.names)
        raise UsageError(
            "it is not clear which column is for the marks",
            help=f"name one with --column: {shown}",
        )

    def told_by_cells(self, marks: Sequence[Mark]) -> Worksheet:
        """Return the worksheet with columns of keys that only their cells reveal.

        In a handmade worksheet, such a column may have any header: it is one of ids, user names or
        addresses if it contains those of half the run.
        """
        # Platforms have fixed headers.
        if self.dialect is not OWN:
            return self
        known = [who for mark in marks for who in identities_of(mark.person, mark.student)]
        parts = dict(self.header.parts)
        for part in (Column.ID, Column.USER, Column.EMAIL):
            wanted = {text for who in known for text in who.of(part.key)}
            if not wanted or part in parts.values():
                continue
            for at in range(len(self.header.names)):
                cells = {plain(self.text(row, at)) for row in range(len(self.table.rows))}
                if at not in parts and 2 * len(cells & wanted) >= len(wanted):
                    parts[at] = part
        header = self.header._replace(parts=parts)
        return Worksheet(self.table, header, dict(_people(self.table, header)))

    def _asked(self, asked: str) -> int:
        names, folded = self.header.names, self.header.folded
        found = [at for at, name in enumerate(names) if name == asked]
        found = found or [at for at, name in enumerate(folded) if name == fold(asked)]
        if len(found) == 1 and found[0] not in self.header.parts:
            return found[0]
        what = "several columns" if len(found) > 1 else "no column of marks"
        raise UsageError(
            f"the worksheet has {what} called {one_line(asked)}", help=f"it has: {named(names)}"
        )

    def item(self, column: int) -> str:
        """Return the item that is marked in `column`, "" if the header does not name it."""
        found = self.header.marks().get(column)
        return "" if found is None else (found.groupdict().get("item") or "").strip()

    def maximum(self, column: int) -> Decimal | None:
        """Return the maximum of marks in `column`, None if unknown or not the same for all."""
        found = self.header.marks().get(column)
        in_header = "" if found is None else found.groupdict().get("max") or ""
        if in_header:
            return number(in_header)
        beside = self.header.column("maxima", self.item(column))
        texts = (
            self._notes(column)
            if beside is None
            else (self.text(row, beside) for row in self.people)
        )
        maxima = {value for value in map(number, texts) if value is not None}
        return maxima.pop() if len(maxima) == 1 else None

    def said_in(self, column: int) -> int | None:
        """Return the column for feedback on the marks in `column`, None without one."""
        return self.header.column("feedback", self.item(column))

    def is_locked(self, place: Place) -> bool:
        """Return whether the platform locks the mark, or a formula computes it."""
        column = self.header.column("locked")
        locks = column is not None and fold(self.text(place.row, column)) in _NO
        return locks or place in self.table.formulas

    def filled(self, cells: Mapping[Place, Content], column: int) -> bytes:
        """Return the worksheet with `cells` filled, numbers formatted as those in `column`."""
        return self.table.filled(cells, comma=self._has_comma(column))

    def _has_comma(self, column: int) -> bool:
        beside = self.header.column("maxima", self.item(column))
        columns = {column, *self.header.marks()} | ({beside} if beside is not None else set())
        texts = [
            self.text(row, at)
            for row in range(self.header.row + 1, len(self.table.rows))
            for at in columns
        ]
        numbers = [text for text in texts if number(text) is not None]
        has_comma = any("," in text for text in numbers)
        # Mixed or missing marks leave it to the delimiter and the language.
        if has_comma != any("." in text for text in numbers):
            return has_comma
        return self.table.has_semicolons or self.header.has_commas

    def _is_read_only(self, column: int) -> bool:
        return any(fold(text) == _READ_ONLY for text in self._notes(column))

    def _notes(self, column: int) -> Iterator[str]:
        """Yield the cells of `column` in rows without a student."""
        for row in range(self.header.row + 1, len(self.table.rows)):
            if self.dialect.has_notes and row not in self.people:
                yield self.text(row, column)


def _tables(data: bytes) -> Iterator[Table]:
    for beginning, kind in _OTHERS.items():
        if data.lstrip().startswith(beginning):  # web pages may begin with blanks
            raise UsageError(
                f"the worksheet is {kind}", help="save it as .xlsx or as CSV in a spreadsheet"
            )
    if is_workbook(data):
        yield from Workbook.read(data).tables()
    else:
        yield DelimitedText.read(data)


def _people(table: Table, header: Header) -> Iterator[tuple[int, Identity]]:
    """Yield the student in each row below `header`; rows without one are left out."""
    for row in range(header.row + 1, len(table.rows)):
        texts = ((part, cell(table, Place(row, at)).strip()) for at, part in header.parts.items())
        parts = [(part, text) for part, text in texts if text]
        is_note = header.dialect.has_notes and all(part.key is Key.NAME for part, _ in parts)
        if parts and not is_note:
            yield row, identity_in(parts)


def _no_header(tables: Sequence[Table]) -> UsageError:
    rows = (row for table in tables for row in table.rows if any(row))
    first = named(next(rows, ()))
    return UsageError(
        "the worksheet has no header row with columns for students and marks",
        help=f"name the column of the marks with --column; the first row is: {first}"
        if first
        else "it is empty: export it from the platform again",
    )


def named(headers: Sequence[str]) -> str:
    """Return the first headers, separated by commas."""
    shown = ", ".join(one_line(each, 60) for each in headers[:_MAX_NAMED] if each)
    return f"{shown} ..." if len(headers) > _MAX_NAMED else shown
