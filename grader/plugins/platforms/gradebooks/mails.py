"""Makes emails to students as files for any mail program, without sending them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.message import EmailMessage
from email.policy import SMTP
from typing import Final

from grader.judging.record import Record
from grader.plugins.platforms.gradebooks.marks import Mark
from grader.reporting.brief import summarise_result
from grader.reporting.student_page import student_page
from grader.reporting.wording import Locale, score_text
from grader.values.foreign_text import one_line

# RFC 5321 allows at most 64 octets before the `@`; a domain name has at most 253.
_ADDRESS: Final = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]{1,253}")
"""Matches exactly one address, so that nobody can add recipients or headers."""


def addresses(mark: Mark) -> Iterator[tuple[str, str | None]]:
    """Yield the name and the address of each student with `mark`.

    The address is None if it is missing or invalid.
    """
    submitter = mark.person
    for person in () if submitter is None else submitter.members or (submitter,):
        email = (person.email or "").strip()
        name = mark.display_name if person is submitter else person.name or mark.display_name
        yield name, email if _ADDRESS.fullmatch(email) else None
    if submitter is None:  # a hand-in's label can be an address
        yield mark.display_name, mark.student if _ADDRESS.fullmatch(mark.student) else None


def build_mail(record: Record, address: str) -> bytes:
    """Return a draft email to `address` about `record`, with the student's page attached."""
    locale = Locale.for_record(record)
    title = one_line(record.title)
    # Email files have CRLF line ends (RFC 5322), which this policy writes.
    message = EmailMessage(policy=SMTP)
    message["To"] = address
    message["Subject"] = title
    message["X-Unsent"] = "1"  # makes Outlook open the file as a draft
    paragraphs = (
        f"{title}: {score_text(record, locale)}",
        summarise_result(record),
        locale("mail_attached"),
    )
    message.set_content("\n\n".join(paragraphs) + "\n")
    message.add_attachment(
        student_page(record).encode(),
        maintype="text",
        subtype="html",
        filename=f"{record.exercise}.html",
    )
    return message.as_bytes()
