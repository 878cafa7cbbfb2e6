"""Parses the XML in a workbook, with the byte offsets of elements.

XML with a document type is refused, because entities, and entity bombs, need one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol
from xml.parsers import expat

from grader.errors import UsageError
from grader.values.foreign_text import escape_controls

START_TAG: Final = re.compile(
    rb"(?P<name><[\w:.-]+)(?P<attributes>(?:[^>\"']|\"[^\"]*\"|'[^']*')*?)/?>"
)
"""Matches a start tag, in whose quoted values `>` can occur."""
_MAX_TAGS: Final = 100_000


class Reader(Protocol):
    """Receives the parts of a document, with local names and byte offsets."""

    def start(self, name: str, attributes: dict[str, str], offset: int) -> None:
        """Handle the start of an element, whose start tag is at `offset`."""

    def end(self, name: str, offset: int, end_offset: int) -> None:
        """Handle the end of an element, whose end tag extends from `offset` to `end_offset`.

        An empty element has a single tag, which is both its start and end tag.
        """

    def text(self, text: str) -> None:
        """Handle a piece of text."""


class Tag(NamedTuple):
    """A start tag and its byte offset."""

    name: str
    attributes: dict[str, str]
    start: int


def parse(data: bytes, reader: Reader) -> None:
    """Parse the document `data` and pass its parts to `reader`.

    Raises `UsageError` if the document cannot be read.
    """
    if b"\0" in data[:4]:  # UTF-16 or UTF-32: tags could not be found as ASCII bytes
        raise unreadable_workbook("its XML is not encoded in UTF-8")
    parser = expat.ParserCreate()
    parser.buffer_text = True
    starts: list[int] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        starts.append(parser.CurrentByteIndex)
        reader.start(_local_name(name), attributes, starts[-1])

    def end(name: str) -> None:
        offset, element_start = parser.CurrentByteIndex, starts.pop()
        if _is_empty_tag(data, element_start, offset):  # expat then reports where the tag ends
            reader.end(_local_name(name), element_start, offset)
        else:
            reader.end(_local_name(name), offset, data.index(b">", offset) + 1)

    def refuse(*_: object) -> None:
        raise unreadable_workbook("its XML has a document type declaration")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = reader.text
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(data, True)  # noqa: FBT003 - expat takes no keyword arguments
    except expat.ExpatError as error:
        raise unreadable_workbook(str(error)) from None


def tags(data: bytes) -> Sequence[Tag]:
    """Return the start tags in the document `data`.

    Raises `UsageError` if the document cannot be read, or has too many elements.
    """
    reader = _TagCollector()
    parse(data, reader)
    return reader.collected


def unreadable_workbook(reason: str) -> UsageError:
    """Return the error for a workbook that cannot be read, with the `reason`."""
    return UsageError(
        f"the workbook cannot be read: {escape_controls(reason)}",
        help="open it in a spreadsheet, and save it again as .xlsx or CSV",
    )


@dataclass(slots=True)
class _TagCollector:
    """Collects the start tags of a document."""

    collected: list[Tag] = field(default_factory=list)

    def start(self, name: str, attributes: dict[str, str], offset: int) -> None:
        if len(self.collected) >= _MAX_TAGS:
            raise unreadable_workbook(f"a document in it has more than {_MAX_TAGS:,} elements")
        self.collected.append(Tag(name, attributes, offset))

    def end(self, name: str, offset: int, end_offset: int) -> None:
        pass

    def text(self, text: str) -> None:
        pass


def _is_empty_tag(data: bytes, start: int, end: int) -> bool:
    if data[end - 2 : end] != b"/>":
        return False
    # The `/>` might be that of a child, directly before the end tag.
    start_tag = START_TAG.match(data, start)
    return start_tag is not None and start_tag.end() == end


def _local_name(name: str) -> str:
    return name.rpartition(":")[2]
