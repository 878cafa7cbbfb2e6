"""Mails to students, as files that any mail program opens; nothing is ever sent from here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.message import EmailMessage
from email.policy import SMTP
from typing import Final

from grader.judging.record import Record
from grader.plugins.platforms.gradebooks.marks import Mark
from grader.reporting.brief import in_brief
from grader.reporting.student_page import student_page
from grader.reporting.wording import Locale, score_text
from grader.values.foreign_text import one_line

_ADDRESS: Final = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]{1,253}")
"""An address and nothing else: no second one, no other header."""


def addresses(mark: Mark) -> Iterator[tuple[str, str | None]]:
    """Yield for each who gets `mark` how she is called, and her address if it is one."""
    person = mark.person
    for each in () if person is None else person.members or (person,):
        told = (each.email or "").strip()
        name = mark.shown if each is person else each.name or mark.shown
        yield name, told if _ADDRESS.fullmatch(told) else None
    if person is None:
        yield mark.shown, mark.student if _ADDRESS.fullmatch(mark.student) else None


def mail(record: Record, address: str) -> bytes:
    """Return a mail to `address` with the result in `record` and its page, not sent yet."""
    locale = Locale.of_record(record)
    title = one_line(record.title)
    message = EmailMessage(policy=SMTP)
    message["To"] = address
    message["Subject"] = title
    message["X-Unsent"] = "1"  # programs open it to be looked at and sent
    told = (f"{title}: {score_text(record, locale)}", in_brief(record), locale("mail_attached"))
    message.set_content("\n\n".join(told) + "\n")
    message.add_attachment(
        student_page(record).encode(),
        maintype="text",
        subtype="html",
        filename=f"{record.exercise}.html",
    )
    return message.as_bytes()
