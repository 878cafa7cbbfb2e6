"""The link from the page of a student to a page that checks."""

from __future__ import annotations

import base64
import html
import json
import random
import re
import zlib
from dataclasses import replace
from typing import Any

import pytest
from record_samples import HOSTILE_TEXTS, yinyang_record

from grader.judging.record import CaseResult, Record, SourceText, SubmissionFile
from grader.plugins.site.linking import address
from grader.reporting.student_page import student_page
from grader.verdict import Status, Visibility

SITE = "https://course.example/check/"


def handed_in(*sources: SourceText) -> Record:
    """Return a record of a course that has a site, and of these files."""
    files = tuple(
        SubmissionFile(name=each.name, size_bytes=len(each.text), sha256="0", encoding="utf-8")
        for each in sources
    )
    return replace(yinyang_record(), site_url=SITE, sources=sources, files=files)


def told_by(link: str | None) -> dict[str, Any]:
    """Return what the page reads that is led to by `link`."""
    page, _, data = str(link).partition("#hand-in=")
    assert page == "https://course.example/check/yinyang.html"
    told: dict[str, Any] = json.loads(zlib.decompress(base64.urlsafe_b64decode(data)))
    return told


def case_of(record: Record, visibility: Visibility) -> CaseResult:
    """Return a case of `record` that has this `visibility`."""
    return replace(record.cases[0], visibility=visibility)


@pytest.mark.parametrize("name", ["script", "attribute", "controls", "surrogate", "bidi"])
def test_page_leads_on_with_the_code(name: str) -> None:
    """The address has all of the code, whatever it is made of, and the case to mend first."""
    given = handed_in(SourceText(name="yinyang.py", text=HOSTILE_TEXTS[name]))
    found = re.search(r'href="(https://course\.example/check/[^"]+)" target', student_page(given))
    assert found is not None
    assert told_by(html.unescape(found[1])) == {
        "files": {"yinyang.py": HOSTILE_TEXTS[name]},
        "case": "maak_wit/hoek",
    }


def test_who_cannot_be_run_is_led_on_too() -> None:
    """A slip in the syntax is where an editor helps most."""
    given = handed_in(SourceText(name="yinyang.py", text="def f(:\n"))
    page = student_page(replace(given, status=Status.UNGRADABLE))
    assert 1 == page.count("#hand-in=")


def test_page_of_another_course_leads_nowhere() -> None:
    """Where the suite has no `site_url` there is no link."""
    given = replace(handed_in(SourceText(name="yinyang.py", text="x = 1\n")), site_url="")
    assert "#hand-in=" not in student_page(given)


def test_hidden_case_is_not_told() -> None:
    """A page that checks knows public cases alone, so that no other is named in the address."""
    given = handed_in(SourceText(name="yinyang.py", text="x = 1\n"))
    assert told_by(address(given, case_of(given, Visibility.HIDDEN)))["case"] is None
    assert told_by(address(given, None))["case"] is None


def test_notebook_goes_on_as_a_module() -> None:
    """What a record has of a notebook is its code, which is no notebook any more."""
    given = handed_in(SourceText(name="work.ipynb", text="x = 1\n"))
    assert list(told_by(address(given, None))["files"]) == ["work.py"]


def test_part_of_the_code_is_no_code() -> None:
    """There is no link where lines or files are missing, or where it would be too long."""
    long = "".join(map(chr, random.Random(1).choices(range(33, 126), k=100_000)))
    whole = handed_in(SourceText(name="yinyang.py", text="x = 1\n"))
    data = SubmissionFile(name="data.csv", size_bytes=1, sha256="0", encoding=None)
    assert address(whole, None) is not None
    assert address(replace(whole, files=(*whole.files, data)), None) is None
    assert address(replace(whole, sources=()), None) is None
    assert address(handed_in(SourceText(name="a.py", text="x", left_out=3)), None) is None
    assert address(handed_in(SourceText(name="a.py", text=long)), None) is None
