"""Lists the files of a submission, and truncates their code, as a record stores them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Final

from grader.intake.submission import SourceFile, Submission
from grader.judging.record import SourceText, SubmissionFile
from grader.values.foreign_text import one_line

MAX_SOURCE_CHARS: Final = 60_000
"""How many characters of code a record stores per file."""
MAX_SOURCES_CHARS: Final = 200_000
"""How many characters of code a record stores of all files together."""


def submission_files(submission: Submission) -> tuple[SubmissionFile, ...]:
    """Return the entries of the files of `submission` for the record, sorted by name."""
    encodings = {file.name: file.encoding for file in submission.modules.values()}
    return tuple(
        SubmissionFile(
            name=name,
            size_bytes=len(data),
            sha256=hashlib.sha256(data).hexdigest(),
            encoding=encodings.get(PurePosixPath(name).name),
        )
        for name, data in sorted(submission.raw.items())  # the order in archives is arbitrary
    )


def source_texts(files: Iterable[SourceFile]) -> Iterator[SourceText]:
    """Yield the code of each of `files`, truncated to whole lines if it exceeds a limit."""
    chars_left = MAX_SOURCES_CHARS
    for file in files:
        text = _truncate(file.text, min(chars_left, MAX_SOURCE_CHARS))
        chars_left -= len(text)
        left_out = _line_count(file.text) - _line_count(text)
        yield SourceText(name=one_line(file.name), text=text, left_out=left_out)


def _truncate(text: str, limit: int) -> str:
    """Return the beginning of `text`, at most `limit` characters and without a partial line."""
    if len(text) <= limit:
        return text
    beginning = text[:limit]
    # If even the first line exceeds the limit, it is cut, because nothing would be left otherwise.
    return beginning[: beginning.rfind("\n") + 1] or beginning


def _line_count(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n") and text != "")
