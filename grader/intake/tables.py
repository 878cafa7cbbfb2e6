"""Reads tables exported by spreadsheets and platforms, with any encoding and delimiter."""

from __future__ import annotations

import codecs
import csv
import io
import re
import unicodedata
from collections.abc import Sequence
from typing import Final, NamedTuple

from grader.intake.files import SubmissionError

MAX_TABLE_BYTES: Final = 16 * 1024 * 1024
_MAX_ROWS: Final = 200_000
_MAX_HEAD_CHARS: Final = 100_000
"""How much of a table is searched for its delimiter."""
_DELIMITERS: Final = (",", ";", "\t")
_BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is a prefix of this one
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED_DELIMITER: Final = re.compile(r"\Asep=(.)(?:\r\n|\r|\n)", re.IGNORECASE)
"""A first line that declares the delimiter to Excel."""


class DecodedText(NamedTuple):
    """The decoded text of a file; `mark` plus the encoded text gives the original bytes."""

    text: str
    encoding: str
    mark: bytes = b""


def decode_text(data: bytes) -> DecodedText:
    """Detect the encoding of `data` and decode it; raises `ValueError` if it is not text."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return _decode_with(data, (encoding,), mark)
    if b"\0" in data[:2]:  # UTF-16 without a mark: one of the two bytes of an ASCII character is 0
        return _decode_with(data, ("utf-16-le" if data[1:2] == b"\0" else "utf-16-be",))
    return _decode_with(data, ("utf-8", "cp1252", "latin-1"))  # latin-1 last: it decodes anything


def _decode_with(data: bytes, encodings: Sequence[str], mark: bytes = b"") -> DecodedText:
    """Decode what follows `mark` in `data`, with the first of `encodings` that gives valid text.

    Raises `ValueError` if none of them does. Text with a NUL is not valid: no table contains one,
    but most binary files do.
    """
    for encoding in encodings:
        try:
            text = data[len(mark) :].decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return DecodedText(text, encoding, mark)
    raise ValueError("the file is not text")


def delimiter_of(text: str) -> str:
    """Return the declared delimiter, or else the most frequent one in the first line that has any.

    The default is a comma.
    """
    if declared := _DECLARED_DELIMITER.match(text):
        return declared[1]
    for line in text[:_MAX_HEAD_CHARS].splitlines():
        unquoted = re.sub(r'"[^"]*"?', "", line)  # quoted cells can contain any delimiter
        counts = {delimiter: unquoted.count(delimiter) for delimiter in _DELIMITERS}
        if any(counts.values()):
            return max(counts, key=lambda delimiter: counts[delimiter])
    return ","


def read_table(data: bytes) -> list[list[str]]:
    """Return the non-empty rows in `data`, with whitespace stripped from the cells.

    Raises `ValueError` if `data` is not a table.
    """
    return [cells for _, cells in numbered_rows(data)]


def numbered_rows(data: bytes) -> list[tuple[int, list[str]]]:
    """Return the same rows as `read_table`, each preceded by the number of its last line.

    Raises `ValueError` if `data` is not a table.
    """
    text = unicodedata.normalize("NFC", decode_text(data).text)
    rows: list[tuple[int, list[str]]] = []
    try:
        reader = csv.reader(
            # Replace the declaration with an empty line to keep the line numbers.
            io.StringIO(_DECLARED_DELIMITER.sub("\n", text, count=1), newline=""),
            delimiter=delimiter_of(text),
        )
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells):
                rows.append((reader.line_num, cells))
            if len(rows) > _MAX_ROWS:
                raise ValueError(f"the table has more than {_MAX_ROWS:,} rows")
    except csv.Error as error:
        raise ValueError(f"the file is not a table: {error}") from error
    return rows


def unreadable_reason(error: SubmissionError | OSError) -> str:
    """Return why the file of a table could not be read, from the `error`."""
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    if error.reason.key == "refused.large":
        return f"it is larger than {MAX_TABLE_BYTES // 1024**2} MiB"
    return str(dict(error.reason.parameters).get("reason", "it is not a regular file"))
