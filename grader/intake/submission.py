"""One student's files for one exercise, as bytes and decoded text; read-only.

Source files are decoded as their author intended. A remark warns about a file whose encoding Python
would reject.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from grader.intake.lateness import Lateness
from grader.messages import Message, message
from grader.values.foreign_text import one_line

_CODING_LINE: Final = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
"""A coding line (PEP 263), valid on the first two lines only."""
_WIDE_ENCODINGS: Final = (
    # UTF-32 comes first, because its little-endian mark starts with that of UTF-16.
    ((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE), "utf-32"),
    ((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE), "utf-16"),
)
"""Encodings recognised by their byte order marks."""
_ALLOWED_ENCODINGS: Final = frozenset(
    {"utf-8", "ascii", "iso8859-1", "iso8859-15", "cp1252", "utf-8-sig"}
)
"""Other codecs are not text encodings (`rot13`, `zlib`), or do not occur in courses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """One Python file of a submission, decoded."""

    name: str
    """The path relative to the main file's folder, for tracebacks and remarks."""
    text: str
    encoding: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """What one student handed in."""

    student: str
    modules: Mapping[str, SourceFile]
    """The Python files, keyed by the dotted name under which they can be imported."""
    data: Mapping[str, bytes]
    """The other files, keyed by their path relative to the modules' folder."""
    raw: Mapping[str, bytes]
    """All files as they were handed in, keyed by name."""
    parts: Mapping[str, str] = field(default_factory=dict)
    """The import name of each module of the exercise that was handed in, keyed by its name in the
    suite."""
    remarks: tuple[Message, ...] = ()
    ungradable: Message | None = None
    """Why nothing can be run, as a message to the student; None if something can."""
    lateness: Lateness | None = None


@dataclass(frozen=True, slots=True)
class _Decoded:
    """Source code as text with plain newlines, and a remark about its encoding."""

    text: str
    encoding: str
    remark: Message | None = None


def decode_source(data: bytes, name: str) -> _Decoded:
    """Decode `data`, the content of the source file `name`; never fails, whatever it contains.

    The result has a remark if the file is not in UTF-8, or declares another encoding.
    """
    for marks, encoding in _WIDE_ENCODINGS:
        if data.startswith(marks):
            text = _with_plain_newlines(data.decode(encoding, "replace"))
            remark = message("remark.wide", file=one_line(name), encoding=encoding.upper())
            return _Decoded(text, encoding, remark)
    declared = None if data.startswith(codecs.BOM_UTF8) else _declared_encoding(data)
    if declared is None or declared in {"utf-8", "ascii", "utf-8-sig"}:
        return _utf8_or_legacy(data, name)
    if declared not in _ALLOWED_ENCODINGS:
        decoded = _utf8_or_legacy(data, name)
        remark = message("remark.coding", file=one_line(name), encoding=one_line(declared, 40))
        return _Decoded(decoded.text, decoded.encoding, remark)
    try:
        remark = message("remark.legacy", file=one_line(name), encoding=declared)
        return _Decoded(_with_plain_newlines(data.decode(declared)), declared, remark)
    except UnicodeDecodeError:
        return _utf8_or_legacy(data, name)


def _declared_encoding(data: bytes) -> str | None:
    """Return the encoding that a coding line in `data` declares, or None if there is no such line.

    If Python knows the encoding, its canonical name is returned.
    """
    for line in data.split(b"\n", 2)[:2]:
        if match := _CODING_LINE.match(line):
            name = match[1].decode("ascii", "replace")
            try:
                return codecs.lookup(name).name
            except (LookupError, ValueError):
                return name
        # Like Python, ignore a coding line that comes after code.
        if line.strip() and not line.lstrip().startswith(b"#"):
            return None
    return None


def _utf8_or_legacy(data: bytes, name: str) -> _Decoded:
    """Decode `data` as UTF-8 or, failing that, with a remark, as cp1252 or latin-1."""
    try:
        encoding = "utf-8-sig" if data.startswith(codecs.BOM_UTF8) else "utf-8"
        return _Decoded(_with_plain_newlines(data.decode("utf-8-sig")), encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
    remark = message("remark.encoding", file=one_line(name), line=line)
    try:
        return _Decoded(_with_plain_newlines(data.decode("cp1252")), "cp1252", remark)
    except UnicodeDecodeError:  # cp1252 leaves five bytes undefined; latin-1 defines all
        return _Decoded(_with_plain_newlines(data.decode("latin-1")), "latin-1", remark)


def _with_plain_newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
