"""Makes the `mailto:` link with which a student asks staff for a second look."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

from grader.judging.record import Record
from grader.reporting.wording import Locale
from grader.values.foreign_text import one_line

_FIELD_CHARS: Final = 120


def ask_address(record: Record, part: str = "") -> str | None:
    """Return a `mailto:` link to ask about `record`, or about one `part` of it.

    Return None if the record has no contact address. The first lines of the email begin with the
    column names of the table of requests that `grader desk` reads.
    """
    if not record.contact:
        return None
    student, exercise = (one_line(name, _FIELD_CHARS) for name in (record.student, record.exercise))
    lines = [f"student: {student}", f"exercise: {exercise}"]
    if part:
        lines.append(f"part: {one_line(part, _FIELD_CHARS)}")
    locale = Locale.for_record(record)
    # RFC 6068: line breaks in a mailto link are CR LF, escaped.
    body = "\r\n".join((*lines, "", locale("ask_reason"), "", ""))
    subject = quote(f"{exercise}: {student}", safe="")  # an & would start another field
    return f"mailto:{quote(record.contact, safe='@')}?subject={subject}&body={quote(body, safe='')}"
