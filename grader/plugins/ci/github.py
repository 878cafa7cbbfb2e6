"""Annotations and a summary for GitHub, printed in addition to the output of `grader check`.

Text of a submission is escaped, so that it cannot start a command of the runner. In the summary, it
is in a code fence that is longer than any fence in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import PurePath
from typing import Final

from rich.console import Console

from grader.judging.record import CaseResult, Record, SourceText
from grader.reporting.case_view import case_view
from grader.reporting.screen import print_screen
from grader.reporting.shown_results import ResultFormat, path_in
from grader.reporting.terminal import print_record
from grader.reporting.visibility import visible_groups
from grader.reporting.wording import Locale, score_text
from grader.values.foreign_text import log_safe, one_line
from grader.verdict import Verdict

MAX_ANNOTATIONS: Final = 10
"""GitHub shows no more annotations per step."""
_WIDTH: Final = 100
_MAX_SUMMARY_CHARS: Final = 400_000
"""The limit on the full report in a summary. GitHub accepts summaries of 1 MiB."""
_MAX_RELEASE_CHARS: Final = 60_000
"""The limit on the full report in release notes. GitHub accepts notes of 125,000 characters."""
_FENCES: Final = re.compile(r"`{3,}")
_CALL: Final = re.compile(r"[^\W\d]\w*(?=\()")
_ESCAPES: Final = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY_ESCAPES: Final = {**_ESCAPES, ":": "%3A", ",": "%2C"}


def annotation_commands(record: Record, work: PurePath) -> list[str]:
    """Return at most ten GitHub commands that annotate lines of the student's files.

    `work` is the path of the file, or of the folder with the files, in the repository.
    """
    return [
        _command(path_in(work, file), line, text) for file, line, text in line_annotations(record)
    ]


def line_annotations(record: Record) -> list[tuple[str, int, str]]:
    """Return file, line and text of at most ten annotations for `record`, at most one per line."""
    text_by_line: dict[tuple[str, int], str] = {}
    for file, line, text in _all_annotations(record):
        text_by_line.setdefault((file, line), text)
    return [(*location, text) for location, text in list(text_by_line.items())[:MAX_ANNOTATIONS]]


def _all_annotations(record: Record) -> Iterator[tuple[str, int, str]]:
    """Yield file, line and text of each annotation.

    The annotations are for reasons why the work is ungradable, and for visible cases that did not
    pass.
    """
    locale = Locale.for_record(record)
    for remark in record.remarks:
        parameters = dict(remark.parameters)
        if remark.key.startswith("ungradable.") and {"file", "line"} <= parameters.keys():
            yield str(parameters["file"]), int(str(parameters["line"])), locale.sentence(remark)
    for group in visible_groups(record):
        for case in group.cases:
            view = case_view(case, record, locale)
            location = view.place or _definition_location(case, record.sources)
            if case.verdict is not Verdict.PASSED and location is not None:
                yield *location, f"{view.code}: {' '.join(view.explanation)}"


def _definition_location(case: CaseResult, sources: Sequence[SourceText]) -> tuple[str, int] | None:
    """Return file and line of the function that `case` calls.

    If it calls several, the last one that is defined counts. If none is defined, return the first
    line of the first source. Return None if there are no sources.
    """
    for name in reversed(_CALL.findall(case.code)):
        header = re.compile(rf"^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+{name}\b", re.MULTILINE)
        for source in sources:
            if (match := header.search(source.text)) is not None:
                return source.name, source.text.count("\n", 0, match.start()) + 1
    return (sources[0].name, 1) if sources else None


def _command(file: str, line: int, text: str) -> str:
    """Return the GitHub command that annotates a line."""
    path = _escape(file, _PROPERTY_ESCAPES)
    return f"::error file={path},line={line}::{_escape(log_safe(one_line(text)), _ESCAPES)}"


def _escape(text: str, escapes: dict[str, str]) -> str:
    return "".join(escapes.get(character, character) for character in text)


def summary(record: Record, max_chars: int = _MAX_SUMMARY_CHARS) -> str:
    """Return a summary of `record` as Markdown, with boards as text.

    Its folded part, the full report, has at most `max_chars` characters.
    """
    locale = Locale.for_record(record)
    full_text = _screen_text(record, is_full=True)
    if len(full_text) > max_chars:
        full_text = f"{full_text[:max_chars]}\n…"
    return (
        f"## {one_line(record.exercise)}: {score_text(record, locale)}\n\n"
        f"{_fence(_screen_text(record, is_full=False))}\n"
        f"<details><summary>--all</summary>\n\n{_fence(full_text)}\n</details>\n"
    )


MARKDOWN: Final = ResultFormat(format_record=lambda record, _: summary(record, _MAX_RELEASE_CHARS))


def _screen_text(record: Record, *, is_full: bool) -> str:
    """Return the result as `grader check` prints it, or as `grader check --all` if `is_full`."""
    text = StringIO()
    console = Console(file=text, width=_WIDTH, color_system=None, legacy_windows=False)
    if is_full:
        print_record(record, console)
    else:
        print_screen(record, console)
    return text.getvalue()


def _fence(text: str) -> str:
    """Return `text` as a code block whose fence is longer than any fence in the text."""
    longest = max(map(len, _FENCES.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}text\n{text.rstrip()}\n{fence}\n"
