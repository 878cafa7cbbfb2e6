"""What keeps a submission from being run: the reason, the lines around the place, what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from grader.judging.record import Record, SourceText
from grader.messages import Message, Parameter, message
from grader.reporting.wording import Locale
from grader.values.foreign_text import one_line, shown_text

_AROUND: Final = 2
"""Lines shown before and after the place."""
_LINE_CHARS: Final = 120
_LEAD_CHARS: Final = 60
"""Characters shown in front of the place, so that it is in sight."""
_SHORT: Final = {"ungradable.syntax": "stop.syntax", "loading.error": "stop.error"}
"""Reasons that are told without their line of code, where the page shows that."""
_NO_FILE: Final = ("empty", "no_python", "no_python_only", "no_modules", "which_file")
_TO_DO: Final = {
    "ungradable.syntax": "stop.do_syntax",
    "ungradable.python2": "stop.do_python2",
    "ungradable.source": "stop.do_load",
    "loading.error": "stop.do_load",
    "loading.helper": "stop.do_load",
    **dict.fromkeys([f"ungradable.{each}" for each in _NO_FILE], "stop.do_file"),
}
"""What helps against a reason that does not say so itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeLine:
    """A line of code near the place where Python stopped."""

    number: str
    text: str
    caret: str | None
    """On the line itself: what stands below it, which is empty where no column is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemarkView:
    """A reason why nothing could be run."""

    said: str
    lines: tuple[CodeLine, ...]
    to_do: str | None


def stop_views(record: Record, locale: Locale) -> Iterator[RemarkView]:
    """Yield what is told of each remark on a `record` of which nothing could be run."""
    for remark in record.remarks:
        told = dict(remark.parameters)
        lines = tuple(_lines(told, record.sources))
        to_do = _TO_DO.get(remark.key)
        yield RemarkView(
            said=_said(remark, locale) if lines else locale.tell(remark),
            lines=lines,
            to_do=None if to_do is None else locale.tell(message(to_do)),
        )


def _said(remark: Message, locale: Locale) -> str:
    key = _SHORT.get(remark.key)
    return locale.tell(remark if key is None else replace(remark, key=key))


def _lines(told: dict[str, Parameter], sources: Iterable[SourceText]) -> Iterator[CodeLine]:
    """Yield the lines around the one that `told` names, if the record has it."""
    number = int(told.get("line", 0))
    file = next((each for each in sources if one_line(each.name) == told.get("file")), None)
    lines = [] if file is None else file.text.split("\n")
    if not 0 < number <= len(lines):
        return
    column = int(told.get("column", 0))
    first = max(1, number - _AROUND)
    shown = lines[first - 1 : number + _AROUND]
    margin = min((_indent(line) for line in shown if line.strip()), default=0)
    for at, line in enumerate(shown, start=first):
        if at == number:
            text, caret = _pointed(line, margin, column)
            yield CodeLine(number=str(at), text=text, caret=caret)
        else:
            text = shown_text(line[margin:], _LINE_CHARS)
            yield CodeLine(number=str(at), text=text, caret=None)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _pointed(line: str, margin: int, column: int) -> tuple[str, str]:
    """Return `line` from `margin` or from nearer to `column`, and the caret that stands below."""
    start = max(margin, column - 1 - _LEAD_CHARS) if column <= len(line) + 1 else margin
    cut = "…" if start > margin else ""
    text, before = line[start:], line[start : max(0, column - 1)]
    is_known = 0 < column <= len(line) + 1 and "\t" not in before
    caret = " " * len(cut + shown_text(before, _LINE_CHARS)) + "^" if is_known else ""
    return cut + shown_text(text, _LINE_CHARS), caret
