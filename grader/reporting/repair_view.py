"""Puts repairs into words: staff are shown the edit, students only its line and kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from grader.judging.record import Record, Repair
from grader.reporting.wording import Locale
from grader.values.foreign_text import one_line

_MAX_SIDE_LINES: Final = 6
"""Lines shown of each side of an edit; further lines of a moved statement are not informative."""
_LINE_CHARS: Final = 100
_NAME_CHARS: Final = 60


def repair_of(group_id: str, record: Record) -> Repair | None:
    """Return the repair for the group `group_id`, or None if none is known."""
    return next((repair for repair in record.repairs if repair.group == group_id), None)


def repair_sentence(group_id: str, record: Record, locale: Locale) -> str | None:
    """Return the sentence for the student about the repair for the group `group_id`.

    Returns None if there is no repair, or if the student must not be told about it.
    """
    repair = repair_of(group_id, record)
    if repair is None or not repair.is_told:
        return None
    return locale(
        "repair_told", line=repair.line, kind=_kind_text(repair, locale), file=_file_name(repair)
    )


def repair_lines(group_id: str, record: Record) -> tuple[str, ...]:
    """Return the lines that the repair for the group removes, followed by the lines that it adds.

    Returns nothing if there is no repair for `group_id`.
    """
    repair = repair_of(group_id, record)
    if repair is None:
        return ()
    return (*_side_lines(repair, "-", repair.before), *_side_lines(repair, "+", repair.after))


def repair_notes(record: Record, locale: Locale) -> Iterator[str]:
    """Yield lines about each repair in `record`, for staff on a terminal."""
    titles = {group.id: group.title for group in record.groups}
    for repair in record.repairs:
        title = one_line(titles[repair.group], _NAME_CHARS)
        yield locale(
            "repair_proven", title=title, kind=_kind_text(repair, locale), file=_file_name(repair)
        )
        yield from repair_lines(repair.group, record)


def _kind_text(repair: Repair, locale: Locale) -> str:
    return locale(f"repair_{repair.kind}")


def _file_name(repair: Repair) -> str:
    return one_line(repair.file, _NAME_CHARS)


def _side_lines(repair: Repair, sign: str, text: str) -> Iterator[str]:
    lines = text.split("\n") if text else []
    for number, line in enumerate(lines[:_MAX_SIDE_LINES], start=repair.first):
        yield f"{sign} {number}: {one_line(line, _LINE_CHARS)}"
