"""Reads tables written by spreadsheets and platforms, in any encoding and with any delimiter."""

from __future__ import annotations

import codecs
import csv
import io
import re
import unicodedata
from collections.abc import Sequence
from typing import Final, NamedTuple

MAX_TABLE_BYTES: Final = 16 * 1024 * 1024
_MAX_ROWS: Final = 200_000
_MAX_HEAD_CHARS: Final = 100_000
_DELIMITERS: Final = (",", ";", "\t")
_BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, because it starts with the mark of that
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED_DELIMITER: Final = re.compile(r"\Asep=(.)(?:\r\n|\r|\n)", re.IGNORECASE)
"""A first line that sets the delimiter for Excel."""


class Decoded(NamedTuple):
    """Decoded text of a file; `mark` plus the encoded text are the original bytes."""

    text: str
    encoding: str
    mark: bytes = b""


def decoded(data: bytes) -> Decoded:
    """Return the text in `data`, whatever its encoding; raises `ValueError` if it is not text."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return _decoded(data, (encoding,), mark)
    if b"\0" in data[:2]:  # UTF-16 without a mark: one byte of each ASCII character is 0
        return _decoded(data, ("utf-16-le" if data[1:2] == b"\0" else "utf-16-be",))
    return _decoded(data, ("utf-8", "cp1252", "latin-1"))  # latin-1 last: it decodes anything


def _decoded(data: bytes, encodings: Sequence[str], mark: bytes = b"") -> Decoded:
    for encoding in encodings:
        try:
            text = data[len(mark) :].decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return Decoded(text, encoding, mark)
    raise ValueError("it is not text")


def delimiter_of(text: str) -> str:
    """Return the declared delimiter, or else the most frequent one in the first line with any."""
    if declared := _DECLARED_DELIMITER.match(text):
        return declared[1]
    for line in text[:_MAX_HEAD_CHARS].splitlines():
        unquoted = re.sub(r'"[^"]*"?', "", line)  # quoted cells may contain any delimiter
        counts = {each: unquoted.count(each) for each in _DELIMITERS}
        if any(counts.values()):
            return max(counts, key=lambda each: counts[each])
    return ","


def read_table(data: bytes) -> list[list[str]]:
    """Return the rows in `data` without blank ones, with stripped cells.

    Raises `ValueError` if it is not a table.
    """
    return [cells for _, cells in numbered_rows(data)]


def numbered_rows(data: bytes) -> list[tuple[int, list[str]]]:
    """Return the rows as `read_table` does, each with the line of the file in which it ends."""
    text = unicodedata.normalize("NFC", decoded(data).text)
    rows: list[tuple[int, list[str]]] = []
    try:
        reader = csv.reader(
            # The declaration becomes a blank line, so that lines keep their numbers.
            io.StringIO(_DECLARED_DELIMITER.sub("\n", text, count=1), newline=""),
            delimiter=delimiter_of(text),
        )
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells):
                rows.append((reader.line_num, cells))
            if len(rows) > _MAX_ROWS:
                raise ValueError(f"it has more than {_MAX_ROWS:,} rows")
    except csv.Error as error:
        raise ValueError(f"it is not a table: {error}") from error
    return rows
