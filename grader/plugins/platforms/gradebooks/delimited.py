"""Fills cells of delimited text such as CSV, and preserves every other byte.

A platform must get back the file that it exported, with the same encoding, byte order mark,
delimiter, quotes, line ends, blank lines and odd row lengths. So the file is not rewritten: it is
split into cells with their positions, and only the filled cells are replaced.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, NamedTuple

from grader.errors import UsageError
from grader.intake.tables import DecodedText, decode_text, delimiter_of
from grader.plugins.platforms.gradebooks.tables import CellPosition, Content

MAX_BYTES: Final = 64 << 20
"""The limit on the size of a worksheet, because its cells are all kept in memory."""
_FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r")
"""Prefixes of cells that a spreadsheet would evaluate."""


class _Span(NamedTuple):
    """A cell, and its position in the text including quotes."""

    text: str
    start: int
    end: int
    is_quoted: bool


@dataclass(frozen=True, slots=True)
class DelimitedText:
    """A worksheet that is delimited text."""

    rows: Sequence[Sequence[str]]
    _decoded: DecodedText
    _delimiter: str
    _spans: list[list[_Span]]
    _quotes_all: bool
    formulas: Collection[CellPosition] = ()

    @classmethod
    def read(cls, data: bytes) -> DelimitedText:
        """Parse the table in `data`.

        Raises `UsageError` if it is too large, or has an unknown encoding or an unclosed quote.
        """
        if len(data) > MAX_BYTES:
            raise UsageError(
                f"the worksheet is larger than {MAX_BYTES >> 20} MiB",
                help="check that --into is the worksheet, and export it from the platform again",
            )
        try:
            text = decode_text(data)
        except ValueError:
            raise UsageError(
                "the worksheet is neither a workbook nor text in a known encoding",
                help="export the worksheet from the platform again, as CSV or as .xlsx",
            ) from None
        delimiter = delimiter_of(text.text)
        spans = list(_parse_rows(text.text, delimiter))
        rows = [[span.text for span in row] for row in spans]
        # A row with a single cell can be a blank line or a title.
        first_row = next((row for row in spans if len(row) > 1), [])
        quotes_all = bool(first_row) and all(span.is_quoted for span in first_row)
        return cls(rows, text, delimiter, spans, quotes_all)

    @property
    def has_semicolons(self) -> bool:
        """Whether cells are separated by semicolons."""
        return self._delimiter == ";"

    def fill_cells(self, cells: Mapping[CellPosition, Content], *, comma: bool) -> bytes:
        """Return the file with `cells` filled in, and with a decimal comma in marks if `comma`.

        Characters that the encoding lacks become question marks.
        """
        pieces = (
            piece.encode(self._decoded.encoding, "replace")
            for piece in self._iterate_pieces(cells, comma)
        )
        return self._decoded.mark + b"".join(pieces)

    def _iterate_pieces(self, cells: Mapping[CellPosition, Content], comma: bool) -> Iterator[str]:
        """Yield the text of the file in pieces: the filled cells, and the text between them."""
        copied_to = 0
        # Sort by position only, because numbers and texts cannot be compared.
        for position, content in sorted(cells.items(), key=lambda pair: pair[0]):
            row = self._spans[position.row]
            if isinstance(content, Decimal):
                text = decimal_text(content, comma=comma)
            else:
                text = neutralize_formula(content)
            if position.column < len(row):
                span, padding = row[position.column], ""
            else:  # the row is too short: add delimiters up to the column
                # Cells filled in before this one might have made the row longer.
                length = max([len(row), *_lengths_before(cells, position)])
                span = _Span("", row[-1].end, row[-1].end, is_quoted=False)
                padding = self._delimiter * (position.column - length + 1)
            yield self._decoded.text[copied_to : span.start]
            yield padding + self._quote_cell(text, is_quoted=span.is_quoted)
            copied_to = span.end
        yield self._decoded.text[copied_to:]

    def _quote_cell(self, text: str, *, is_quoted: bool) -> str:
        # Quotes also protect spaces at the ends, which some readers strip.
        if is_quoted or self._quotes_all or re.search(f'["\r\n{self._delimiter}]|^ | $', text):
            doubled = text.replace('"', '""')
            return f'"{doubled}"'
        return text


def neutralize_formula(text: str) -> str:
    """Return `text`, preceded by an apostrophe if a spreadsheet would evaluate it."""
    return f"'{text}" if text.startswith(_FORMULAS) else text


def decimal_text(value: Decimal, *, comma: bool = False) -> str:
    """Format `value` without an exponent or trailing zeros."""
    text = f"{value:f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text.replace(".", ",") if comma else text


def _lengths_before(cells: Mapping[CellPosition, Content], position: CellPosition) -> Iterator[int]:
    """Yield how long the row of `position` must be for each of `cells` that precedes `position`."""
    return (
        earlier.column + 1
        for earlier in cells
        if earlier.row == position.row and earlier < position
    )


def _parse_rows(text: str, delimiter: str) -> Iterator[list[_Span]]:
    """Yield the cells of each row, parsed as Python's `csv` module does.

    Raises `UsageError` if a quote is not closed.
    """
    # Possessive quantifiers, so that an unclosed quote takes linear instead of quadratic time.
    pattern = re.compile(
        r'"(?P<quoted>[^"]*+(?:""[^"]*+)*+)"(?P<tail>[^D\r\n]*+)|(?P<bare>[^D\r\n]*+)'.replace(
            "D", re.escape(delimiter)
        )
    )
    row: list[_Span] = []
    position, line = 0, 1
    while True:
        match = pattern.match(text, position)
        assert match is not None, "the pattern also matches an empty cell"
        row.append(_parse_cell(match, line))
        position = match.end()
        line += match[0].count("\n")
        if position < len(text) and text[position] == delimiter:
            position += 1
            continue
        yield row
        if position >= len(text):
            return
        position += 2 if text.startswith("\r\n", position) else 1
        line += 1
        # A line end at the end of the file does not start a row.
        if position == len(text):
            return
        row = []


def _parse_cell(match: re.Match[str], line: int) -> _Span:
    """Return the cell in `match`; raises `UsageError` if its quote is not closed."""
    quoted, start, end = match["quoted"], *match.span()
    if quoted is not None:
        return _Span(quoted.replace('""', '"') + match["tail"], start, end, is_quoted=True)
    if match["bare"].startswith('"'):
        raise UsageError(
            f"line {line} of the worksheet has an unclosed quote",
            help="close the quote in a text editor, or export the worksheet again",
        )
    return _Span(match["bare"], start, end, is_quoted=False)
