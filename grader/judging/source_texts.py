"""The code of a submission as its record keeps it, as far as there is room."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from grader.intake.submission import SourceFile
from grader.judging.record import SourceText
from grader.values.foreign_text import one_line

MAX_SOURCE_CHARS: Final = 60_000
"""Characters that a record holds of the code in one file."""
MAX_SOURCES_CHARS: Final = 200_000
"""Characters of code of all files together."""


def source_texts(files: Iterable[SourceFile]) -> Iterator[SourceText]:
    """Yield the code in `files`, as far as there is room, in whole lines."""
    room = MAX_SOURCES_CHARS
    for file in files:
        text = _beginning(file.text, min(room, MAX_SOURCE_CHARS))
        room -= len(text)
        left_out = _line_count(file.text) - _line_count(text)
        yield SourceText(name=one_line(file.name), text=text, left_out=left_out)


def _beginning(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    beginning = text[:limit]
    return beginning[: beginning.rfind("\n") + 1] or beginning


def _line_count(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n") and text != "")
