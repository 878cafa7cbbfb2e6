"""Annotations and a summary for GitHub, beside a run of `grader check`.

Text of a submission is escaped, so that it cannot start a command of the runner; in the summary it
is in a fence that is longer than any in it.
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
from grader.values.foreign_text import for_log, one_line
from grader.verdict import Verdict

MAX_ANNOTATIONS: Final = 10
"""GitHub shows no more per step."""
_WIDTH: Final = 100
_MAX_CHARS: Final = 400_000
"""GitHub takes a summary of 1 MiB..."""
_MAX_OF_RELEASE: Final = 60_000
"""... and release notes of 125,000 characters."""
_FENCES: Final = re.compile(r"`{3,}")
_CALL: Final = re.compile(r"[^\W\d]\w*(?=\()")
_ESCAPES: Final = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_ESCAPES_OF_PROPERTIES: Final = {**_ESCAPES, ":": "%3A", ",": "%2C"}


def line_notes(record: Record, work: PurePath) -> list[str]:
    """Return at most ten commands that annotate lines of the files at `work`.

    `work` is a path in the repository: a file, or the folder with the files.
    """
    return [_command(path_in(work, file), line, text) for file, line, text in noted(record)]


def noted(record: Record) -> list[tuple[str, int, str]]:
    """Return file, line and text of at most ten notes on `record`, one per line."""
    notes: dict[tuple[str, int], str] = {}
    for file, line, text in _all_annotations(record):
        notes.setdefault((file, line), text)
    return [(*place, text) for place, text in list(notes.items())[:MAX_ANNOTATIONS]]


def _all_annotations(record: Record) -> Iterator[tuple[str, int, str]]:
    """Yield file, line and text of each note."""
    locale = Locale.of_record(record)
    for remark in record.remarks:
        parameters = dict(remark.parameters)
        if remark.key.startswith("ungradable.") and {"file", "line"} <= parameters.keys():
            yield str(parameters["file"]), int(str(parameters["line"])), locale.tell(remark)
    for group in visible_groups(record):
        for case in group.cases:
            view = case_view(case, record, locale)
            place = view.place or _definition_place(case, record.sources)
            if case.verdict is not Verdict.PASSED and place is not None:
                yield *place, f"{view.code}: {' '.join(view.explanation)}"


def _definition_place(case: CaseResult, sources: Sequence[SourceText]) -> tuple[str, int] | None:
    """Return file and line of the function that `case` calls, by default the first line."""
    for name in reversed(_CALL.findall(case.code)):
        heading = re.compile(rf"^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+{name}\b", re.MULTILINE)
        for source in sources:
            if (found := heading.search(source.text)) is not None:
                return source.name, source.text.count("\n", 0, found.start()) + 1
    return (sources[0].name, 1) if sources else None


def _command(file: str, line: int, text: str) -> str:
    path = _escaped(file, _ESCAPES_OF_PROPERTIES)
    return f"::error file={path},line={line}::{_escaped(for_log(one_line(text)), _ESCAPES)}"


def _escaped(text: str, escapes: dict[str, str]) -> str:
    return "".join(escapes.get(each, each) for each in text)


def summary(record: Record, max_chars: int = _MAX_CHARS) -> str:
    """Return the summary of `record` as Markdown, with boards as text.

    The folded part has at `max_chars` so many characters.
    """
    locale = Locale.of_record(record)
    full_text = _printed(record, is_full=True)
    if len(full_text) > max_chars:
        full_text = f"{full_text[:max_chars]}\n…"
    return (
        f"## {one_line(record.exercise)}: {score_text(record, locale)}\n\n"
        f"{_fenced(_printed(record, is_full=False))}\n"
        f"<details><summary>--all</summary>\n\n{_fenced(full_text)}\n</details>\n"
    )


MARKDOWN: Final = ResultFormat(written=lambda record, _: summary(record, _MAX_OF_RELEASE))


def _printed(record: Record, *, is_full: bool) -> str:
    text = StringIO()
    console = Console(file=text, width=_WIDTH, color_system=None, legacy_windows=False)
    if is_full:
        print_record(record, console)
    else:
        print_screen(record, console)
    return text.getvalue()


def _fenced(text: str) -> str:
    longest = max(map(len, _FENCES.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}text\n{text.rstrip()}\n{fence}\n"
