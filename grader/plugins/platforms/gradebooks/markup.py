"""Parses the XML of a workbook, with the byte positions of elements.

XML with a document type is refused, since entities, and entity bombs, need one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol
from xml.parsers import expat

from grader.errors import UsageError
from grader.values.foreign_text import plain

OPENED: Final = re.compile(
    rb"(?P<name><[\w:.-]+)(?P<attributes>(?:[^>\"']|\"[^\"]*\"|'[^']*')*?)/?>"
)
"""A start tag."""
_MAX_TAGS: Final = 100_000


class Reader(Protocol):
    """Receives the parts of a document: names without namespace, positions in bytes."""

    def start(self, name: str, attributes: dict[str, str], at: int) -> None:
        """Handle an element with its start tag at `at`."""

    def end(self, name: str, at: int, after: int) -> None:
        """Handle the end of an element: its end tag spans `at` to `after`.

        An empty element has only one tag, which is both.
        """

    def text(self, text: str) -> None:
        """Handle some text."""


class Tag(NamedTuple):
    """A start tag and its position."""

    name: str
    attributes: dict[str, str]
    start: int


def parse(data: bytes, reader: Reader) -> None:
    """Parse the document `data` with `reader`; raises `UsageError` if it cannot be read."""
    if b"\0" in data[:4]:  # UTF-16 or UTF-32; tags are searched for as ASCII bytes
        raise unreadable("its XML is not in UTF-8")
    parser = expat.ParserCreate()
    parser.buffer_text = True
    starts: list[int] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        starts.append(parser.CurrentByteIndex)
        reader.start(_local(name), attributes, starts[-1])

    def end(name: str) -> None:
        at, begun = parser.CurrentByteIndex, starts.pop()
        if _is_empty_tag(data, begun, at):  # expat then reports the position after the tag
            reader.end(_local(name), begun, at)
        else:
            reader.end(_local(name), at, data.index(b">", at) + 1)

    def refuse(*_: object) -> None:
        raise unreadable("its XML has a document type, which no spreadsheet writes")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = reader.text
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(data, True)  # noqa: FBT003 - expat has no keyword for it
    except expat.ExpatError as error:
        raise unreadable(str(error)) from None


def tags(data: bytes) -> Sequence[Tag]:
    """Return the start tags in the document `data`."""
    reader = _Tags()
    parse(data, reader)
    return reader.found


def unreadable(why: str) -> UsageError:
    """Return the error for a workbook that cannot be read."""
    return UsageError(
        f"the workbook cannot be read: {plain(why)}",
        help="open it in a spreadsheet, and save it again as .xlsx or as CSV",
    )


@dataclass(slots=True)
class _Tags:
    found: list[Tag] = field(default_factory=list)

    def start(self, name: str, attributes: dict[str, str], at: int) -> None:
        if len(self.found) >= _MAX_TAGS:
            raise unreadable("it has too many elements")
        self.found.append(Tag(name, attributes, at))

    def end(self, name: str, at: int, after: int) -> None:
        pass

    def text(self, text: str) -> None:
        pass


def _is_empty_tag(data: bytes, start: int, end: int) -> bool:
    if data[end - 2 : end] != b"/>":
        return False
    opened = OPENED.match(data, start)
    return opened is not None and opened.end() == end


def _local(name: str) -> str:
    return name.rpartition(":")[2]
