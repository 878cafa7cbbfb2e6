"""How a student asks a person to look again: a mail that she writes, begun for her."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

from grader.judging.record import Record
from grader.reporting.wording import Locale
from grader.values.foreign_text import one_line

_CHARS: Final = 120


def ask_address(record: Record, part: str = "") -> str | None:
    """Return the link that begins a mail about `record`, or a part of it, if its course wants one.

    The lines at the top are named as the columns of the table that a desk reads.
    """
    if not record.contact:
        return None
    who, exercise = one_line(record.student, _CHARS), one_line(record.exercise, _CHARS)
    lines = [f"student: {who}", f"exercise: {exercise}"]
    lines += [f"part: {one_line(part, _CHARS)}"] * bool(part)
    locale = Locale.of_record(record)
    body = "\r\n".join((*lines, "", locale("ask_reason"), "", ""))
    subject = quote(f"{exercise}: {who}", safe="")
    return f"mailto:{quote(record.contact, safe='@')}?subject={subject}&body={quote(body, safe='')}"
