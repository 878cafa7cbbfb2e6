"""Pages made of hostile records: nothing of them is markup, nothing is secret, nothing is huge."""

from __future__ import annotations

import base64
import hashlib
import re
import unicodedata
from typing import Final

import pytest
from read_pages import OUR_TAGS, Reader
from record_samples import HOSTILE_TEXTS, hostile_record, record, secretive_record

from grader.reporting.index_page import IndexEntry, index_page
from grader.reporting.sheet import defence_sheet
from grader.reporting.student_page import student_page

SECRET: Final = "s3cr3t-\N{SNOWMAN}"


def pages(text: str) -> list[str]:
    """Return each kind of page, with `text` wherever a submission could put it."""
    hostile = hostile_record(text)
    return [
        student_page(hostile),
        index_page([IndexEntry.from_record(hostile, text)] * 2, language="es", interrupted=True),
    ]


def test_every_hostile_text_is_in_the_hostile_record() -> None:
    """The hostile record holds its text in the fields that reports show."""
    hostile = hostile_record("<b>")
    assert hostile.student == "<b>"
    assert {each.code for each in hostile.cases} == {"<b>"}


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_hostile_text_adds_no_markup(name: str) -> None:
    """Whatever a submission says, a page has our tags and attributes only."""
    for page in pages(HOSTILE_TEXTS[name]):
        reader = Reader(page)
        assert set() == set(reader.tags) - OUR_TAGS
        assert [] == reader.open_tags
        assert [1, 1] == [reader.tags.count(tag) for tag in ("style", "script")]
        names = {key for key, _ in reader.attributes}
        assert not [key for key in names if key.startswith("on") or key == "style"]


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_hostile_text_leads_nowhere(name: str) -> None:
    """Links lead to a place in the page or to a relative file; nothing is loaded."""
    for page in pages(HOSTILE_TEXTS[name]):
        reader = Reader(page)
        assert [] == reader.values("src")
        for href in reader.values("href"):
            assert href == "data:," or re.fullmatch(r"#[a-z0-9-]+|[\w.~/%…()+ -]*", href), href
            assert not href.startswith("/")


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_hostile_text_holds_no_character_that_anybody_obeys(name: str) -> None:
    """No control, direction or unassigned character reaches a page, and UTF-8 can hold it all."""
    for page in pages(HOSTILE_TEXTS[name]):
        page.encode("utf-8")
        kinds = {unicodedata.category(each): each for each in set(page) - set("\n\t")}
        assert not kinds.keys() & {"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"}


UNSEEN: Final = "\U000e0041\u180e\u115f\u1160\u3164\uffa0\u034f\ufe01\U000e0101"


def test_text_that_cannot_be_seen_is_shown() -> None:
    """Letters made of tags, fillers and selectors reach no reader unseen."""
    for document in pages(UNSEEN):
        assert not set(UNSEEN) & set(document)
        assert "\\U000e0041\\u180e\\u115f" in document


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_hostile_text_makes_no_huge_page(name: str) -> None:
    """Ten megabytes in every field give a page that still opens."""
    assert all(len(page.encode("utf-8")) < 1_000_000 for page in pages(HOSTILE_TEXTS[name]))


def test_hostile_text_is_shown_as_it_stands() -> None:
    """Escaping loses nothing: the reader sees the very characters."""
    for page in pages("<b>&amp;{{ 7 * 7 }}"):
        assert "<b>&amp;{{ 7 * 7 }}" in "".join(Reader(page).text)


def included(page: str, tag: str) -> str:
    """Return the only style or script in `page`, as it stands there."""
    (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
    assert isinstance(text, str)
    return text


def test_the_policy_allows_our_style_and_script_and_nothing_else() -> None:
    """The policy holds the hashes of exactly the style and the script in the page."""
    empty = index_page([], language="en", interrupted=False)
    for page in (student_page(record()), empty, *pages("</style></script>")):
        style, script = (
            base64.b64encode(hashlib.sha256(included(page, tag).encode()).digest()).decode()
            for tag in ("style", "script")
        )
        policy = (
            f"default-src 'none'; img-src data:; style-src 'sha256-{style}'; "
            f"script-src 'sha256-{script}'; base-uri 'none'; form-action 'none'"
        )
        reader = Reader(page)
        assert ("http-equiv", "Content-Security-Policy") in reader.attributes
        assert policy in reader.values("content")
        # The policy must come first: it does not hold for what stands before it.
        assert page.index("Content-Security-Policy") < page.index("<style>")


def test_sheets_run_nothing() -> None:
    """What is made for paper has no script, and its policy allows none."""
    page = defence_sheet(record())
    assert "<script" not in page
    assert "script-src 'none'" in page


@pytest.mark.commands
def test_pages_load_nothing_and_run_our_script_only() -> None:
    """It is the same on every page, but for what the overview does more; nothing is outside."""
    scripts = {included(page, "script") for text in HOSTILE_TEXTS.values() for page in pages(text)}
    common, overview = sorted(scripts, key=len)
    assert set(common.splitlines()) <= set(overview.splitlines())
    for page in pages("x"):
        assert "://" not in page
        assert "@import" not in page
        assert "url(" not in page


def test_secrets_stay_out_of_the_students_page() -> None:
    """Of hidden and staff cases no text is in the page, nor is what is meant for staff."""
    page = student_page(secretive_record(SECRET))
    assert SECRET not in page
    assert "987654321" not in page
    assert "staff" not in page.lower().replace("system", "")
