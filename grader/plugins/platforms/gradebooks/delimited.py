"""Fills cells of delimited text, such as CSV, and keeps every other byte.

A platform must get back what it gave: encoding, byte order mark, delimiter, quotes, line ends,
blank lines and rows of odd lengths. So the file is not rewritten: it is split into cells with their
positions, and only filled cells are replaced.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, NamedTuple

from grader.errors import UsageError
from grader.intake.tables import DecodedText, decoded, delimiter_of
from grader.plugins.platforms.gradebooks.tables import Content, Place

MAX_BYTES: Final = 64 << 20
_FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r")
"""Prefixes of cells that a spreadsheet would evaluate."""


class _Span(NamedTuple):
    """A cell, and its position in the text, quotes included."""

    text: str
    start: int
    end: int
    is_quoted: bool


@dataclass(frozen=True, slots=True)
class DelimitedText:
    """A worksheet in delimited text."""

    rows: Sequence[Sequence[str]]
    _decoded: DecodedText
    _delimiter: str
    _spans: list[list[_Span]]
    _quotes_all: bool
    formulas: Collection[Place] = ()

    @classmethod
    def read(cls, data: bytes) -> DelimitedText:
        """Return the table in `data`; raises `UsageError` if it cannot be read."""
        if len(data) > MAX_BYTES:
            raise UsageError(f"the worksheet is larger than {MAX_BYTES >> 20} MiB")
        try:
            found = decoded(data)
        except ValueError:
            raise UsageError(
                "the worksheet is not text in a known encoding",
                help="export it from the platform again, as CSV or as .xlsx",
            ) from None
        delimiter = delimiter_of(found.text)
        spans = list(_rows(found.text, delimiter))
        rows = [[span.text for span in row] for row in spans]
        first = next((row for row in spans if len(row) > 1), [])
        quotes_all = bool(first) and all(span.is_quoted for span in first)
        return cls(rows, found, delimiter, spans, quotes_all)

    @property
    def has_semicolons(self) -> bool:
        """Whether semicolons separate cells."""
        return self._delimiter == ";"

    def filled(self, cells: Mapping[Place, Content], *, comma: bool) -> bytes:
        """Return the file with `cells` filled; marks have a decimal comma if `comma`.

        Characters that the encoding lacks become question marks.
        """
        pieces = (
            each.encode(self._decoded.encoding, "replace") for each in self._pieces(cells, comma)
        )
        return self._decoded.mark + b"".join(pieces)

    def _pieces(self, cells: Mapping[Place, Content], comma: bool) -> Iterator[str]:
        done = 0
        # By place only: a number and a text do not compare.
        for place, content in sorted(cells.items(), key=lambda pair: pair[0]):
            row = self._spans[place.row]
            if isinstance(content, Decimal):
                text = decimal_text(content, comma=comma)
            else:
                text = neutral(content)
            if place.column < len(row):
                span, before = row[place.column], ""
            else:  # the row is too short: add delimiters up to the column
                reached = max([len(row), *_columns_before(cells, place)])
                span = _Span("", row[-1].end, row[-1].end, is_quoted=False)
                before = self._delimiter * (place.column - reached + 1)
            yield self._decoded.text[done : span.start]
            yield before + self._cell(text, is_quoted=span.is_quoted)
            done = span.end
        yield self._decoded.text[done:]

    def _cell(self, text: str, *, is_quoted: bool) -> str:
        # Quotes also protect blanks at the ends, which some readers strip.
        if is_quoted or self._quotes_all or re.search(f'["\r\n{self._delimiter}]|^ | $', text):
            doubled = text.replace('"', '""')
            return f'"{doubled}"'
        return text


def neutral(text: str) -> str:
    """Return `text` with an apostrophe before it if a spreadsheet would evaluate it."""
    return f"'{text}" if text.startswith(_FORMULAS) else text


def decimal_text(value: Decimal, *, comma: bool = False) -> str:
    """Return `value` as text, without an exponent and trailing zeros."""
    text = f"{value:f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text.replace(".", ",") if comma else text


def _columns_before(cells: Mapping[Place, Content], place: Place) -> Iterator[int]:
    """Yield the length of the row of `place` after each earlier cell that is filled."""
    return (other.column + 1 for other in cells if other.row == place.row and other < place)


def _rows(text: str, delimiter: str) -> Iterator[list[_Span]]:
    """Yield the cells of each line, as the `csv` module of Python would read them."""
    # Possessive, so that a quote that is never closed takes linear time, not quadratic.
    pattern = re.compile(
        r'"(?P<quoted>[^"]*+(?:""[^"]*+)*+)"(?P<tail>[^D\r\n]*+)|(?P<bare>[^D\r\n]*+)'.replace(
            "D", re.escape(delimiter)
        )
    )
    row: list[_Span] = []
    at, line = 0, 1
    while True:
        found = pattern.match(text, at)
        assert found is not None, "an empty cell matches"
        row.append(_span(found, line))
        at = found.end()
        line += found[0].count("\n")
        if at < len(text) and text[at] == delimiter:
            at += 1
            continue
        yield row
        if at >= len(text):
            return
        at += 2 if text.startswith("\r\n", at) else 1
        line += 1
        # A line end at the end of the file begins no row.
        if at == len(text):
            return
        row = []


def _span(found: re.Match[str], line: int) -> _Span:
    quoted, start, end = found["quoted"], *found.span()
    if quoted is not None:
        return _Span(quoted.replace('""', '"') + found["tail"], start, end, is_quoted=True)
    if found["bare"].startswith('"'):
        raise UsageError(
            f"line {line} of the worksheet has a quote that is never closed",
            help="fix it in a text editor, or export the worksheet again",
        )
    return _Span(found["bare"], start, end, is_quoted=False)
