"""Makes the `mailto:` link with which a student asks staff for a second look."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

from grader.judging.record import Record
from grader.reporting.wording import Locale
from grader.values.foreign_text import one_line

_CHARS: Final = 120


def ask_address(record: Record, part: str = "") -> str | None:
    """Return a `mailto:` link to ask about `record`, or about one `part` of it.

    The first lines of the email begin with the column names of the table that the desk reads.
    Returns None if the record has no contact address.
    """
    if not record.contact:
        return None
    student, exercise = one_line(record.student, _CHARS), one_line(record.exercise, _CHARS)
    lines = [f"student: {student}", f"exercise: {exercise}"]
    lines += [f"part: {one_line(part, _CHARS)}"] * bool(part)
    locale = Locale.for_record(record)
    # RFC 6068: line breaks in a mailto link are CR LF, escaped.
    body = "\r\n".join((*lines, "", locale("ask_reason"), "", ""))
    subject = quote(f"{exercise}: {student}", safe="")  # an & would start another field
    return f"mailto:{quote(record.contact, safe='@')}?subject={subject}&body={quote(body, safe='')}"
