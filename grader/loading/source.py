"""The text of a suite, line by line, and places in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from grader.loading.diagnostics import Diagnostic, InvalidSuite

MAX_BYTES: Final = 2 * 1024 * 1024
"""A longer suite is refused before it is parsed; the longest ones in use are a tenth of that."""

_LINE_BREAK: Final = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
"""What YAML 1.1 takes for the end of a line; marks count these."""
_NOT_YAML: Final = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)


@dataclass(frozen=True, slots=True)
class Place:
    """Some characters on one line; `line` and `column` count from 1."""

    line: int
    column: int
    width: int = 1


START: Final = Place(1, 1)


@dataclass(frozen=True, slots=True)
class Source:
    """A suite's text under the name that diagnostics show."""

    name: str
    text: str
    lines: tuple[str, ...]

    @classmethod
    def of(cls, name: str, text: str) -> Source:
        """Return `text` split into lines."""
        return cls(name, text, tuple(_LINE_BREAK.split(text)))

    def line(self, number: int) -> str:
        """Return line `number`, counted from 1; nothing for a line that is not there."""
        return self.lines[number - 1] if 1 <= number <= len(self.lines) else ""

    def diagnostic(self, place: Place, message: str, advice: str | None = None) -> Diagnostic:
        """Return the diagnostic that says `message` about `place`, with `advice` as its help."""
        return Diagnostic(
            file=self.name,
            line=place.line,
            column=place.column,
            message=message,
            help=advice,
            source=self.line(place.line),
            width=place.width,
        )


def read_source(data: bytes, name: str) -> Source:
    """Return the text of a suite from its bytes.

    Raises `InvalidSuite` when it is too long, is no UTF-8, or has characters that YAML forbids.
    """
    if len(data) > MAX_BYTES:
        problem = Source.of(name, "").diagnostic(
            START,
            f"the suite is larger than {MAX_BYTES // 1024**2} MB",
            "split it, or leave out generated sessions that find nothing new",
        )
        raise InvalidSuite(name, [problem])
    source = Source.of(name, _decoded(data, name))
    problems = list(_forbidden_characters(source))
    if problems:
        raise InvalidSuite(name, problems)
    return source


def _decoded(data: bytes, name: str) -> str:
    try:
        # Editors on Windows put a byte order mark at the start, which is no part of the text.
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = _LINE_BREAK.split(error.object[: error.start].decode("utf-8"))
        source = Source.of(name, error.object.decode("utf-8", errors="replace"))
        problem = source.diagnostic(
            Place(len(before), len(before[-1]) + 1),
            f"byte 0x{error.object[error.start]:02x} is not UTF-8",
            "save the file as UTF-8",
        )
        raise InvalidSuite(name, [problem]) from error


def _forbidden_characters(source: Source) -> Iterator[Diagnostic]:
    if not _NOT_YAML.search(source.text):
        return
    for number, line in enumerate(source.lines, start=1):
        for match in _NOT_YAML.finditer(line):
            code = ord(match[0])
            yield source.diagnostic(
                Place(number, match.start() + 1),
                f"the character U+{code:04X} is not allowed in YAML",
                f"write it as \\u{code:04x} between double quotes, or leave it out",
            )
