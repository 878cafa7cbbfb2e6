"""Reads a table as a spreadsheet or a platform has written it, whatever its encoding and marks."""

from __future__ import annotations

import codecs
import csv
import io
import unicodedata
from typing import Final

MAX_TABLE_BYTES: Final = 16 * 1024 * 1024
_MAX_ROWS: Final = 200_000
_DELIMITERS: Final = ",;\t|"
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, which begins alike
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read_table(data: bytes) -> list[list[str]]:
    """Return the rows in `data`, blank ones left out, each cell without blanks around it.

    Raises `ValueError` for what is no table.
    """
    text = unicodedata.normalize("NFC", _decoded(data))
    first, _, rest = text.partition("\n")
    if first.strip().lower().startswith("sep=") and len(first.strip()) == len("sep=,"):
        delimiter, text = first.strip()[-1], rest  # as Excel says it
    else:
        delimiter = _delimiter(text)
    rows: list[list[str]] = []
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            cells = [cell.strip() for cell in row]
            if any(cells):
                rows.append(cells)
            if len(rows) > _MAX_ROWS:
                raise ValueError(f"it has more than {_MAX_ROWS:,} rows")
    except csv.Error as error:
        raise ValueError(f"it is no table: {error}") from error
    return rows


def _decoded(data: bytes) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    beginning = data[:1000]
    if beginning.count(0) * 3 > len(beginning):  # each second byte of Latin text in UTF-16
        return data.decode("utf-16-be" if beginning[:1] == b"\0" else "utf-16-le", "replace")
    for encoding in ("utf-8", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            pass
    return data.decode("latin-1")


def _delimiter(text: str) -> str:
    """Return what parts the first line that is not blank into most cells."""
    line = next((line for line in text.splitlines() if line.strip()), "")

    def cells(delimiter: str) -> int:
        return len(next(csv.reader([line], delimiter=delimiter), []))

    try:
        return max(_DELIMITERS, key=cells)
    except csv.Error as error:
        raise ValueError(f"it is no table: {error}") from error
