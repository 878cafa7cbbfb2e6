"""The links by which a student asks a person to look again."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest
from record_samples import HOSTILE_TEXTS, case, group, record

from grader.judging.record import Record
from grader.reporting.asking import ask_address
from grader.reporting.student_page import student_page
from grader.values.foreign_text import one_line
from grader.verdict import Status, Verdict

MAIL = "prof+cs@school.example"
GIVEN = replace(
    record(
        group("f", case("f/1"), case("f/2", Verdict.WRONG), title="First part"),
        group("g", case("g/1"), title="Second part"),
        id="an",
        student="an",
    ),
    contact=MAIL,
)


def mails(given: Record) -> list[tuple[str, str, list[str]]]:
    """Return the mails that the page of `given` begins: to whom, the subject, and the lines."""
    found = []
    for link in re.findall(r'href="(mailto:[^"]*)"', student_page(given)):
        address = urlsplit(html.unescape(link))
        told = parse_qs(address.query, strict_parsing=True)
        assert {"subject", "body"} == told.keys()
        found.append((address.path, told["subject"][0], told["body"][0].split("\r\n")))
    return found


def test_page_begins_a_mail_below_the_result_and_in_each_failing_part() -> None:
    """It says whose work it is and what it is about, and leaves room for the reason."""
    (to, subject, whole), (_, _, part) = mails(GIVEN)
    assert ("prof%2Bcs@school.example", "yinyang: an") == (to, subject)
    assert ["student: an", "exercise: yinyang", ""] == whole[:3]
    assert ["student: an", "exercise: yinyang", "part: First part", ""] == part[:4]
    assert ["Please look at this again, because:", "", ""] == whole[3:] == part[4:]


def test_who_cannot_be_run_may_ask_too() -> None:
    """The file may be right, and the grader wrong."""
    assert 1 == len(mails(replace(GIVEN, status=Status.UNGRADABLE)))


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_hostile_name_stays_a_name(name: str) -> None:
    """It adds no markup, no line and no other field of the mail."""
    text = HOSTILE_TEXTS[name]
    (_, subject, whole), _ = mails(replace(GIVEN, student=text))
    shown = one_line(text, 120)
    assert f"yinyang: {shown}" == subject
    assert ["student: " + shown, "exercise: yinyang", ""] == whole[:3]
    assert 6 == len(whole)
    assert text not in str(ask_address(replace(GIVEN, student=text)))


def test_course_without_an_address_is_asked_nothing() -> None:
    """Where the suite has no `contact` there is no link."""
    assert [] == mails(replace(GIVEN, contact=""))
