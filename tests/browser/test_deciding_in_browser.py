"""The form of the overview: decisions in a file that the command takes, without any server."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsing import Desk, chromium
from browsing import desk as a_desk
from command_line import grader
from filed_runs import filed
from record_samples import case, group, record
from ruled_records import rule

from grader.judging.record import Record
from grader.store.store import Store
from grader.verdict import RuleVerdict, Verdict

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests here."""
    yield from chromium()


@pytest.fixture
def desk(browser: Browser, tmp_path: Path) -> Iterator[Desk]:
    """A desk where the browser may not complain about anything."""
    yield from a_desk(browser, tmp_path)


def some(name: str) -> Record:
    """Return a record with a failing case, and a rule for a person."""
    failing = case("f/2", Verdict.WRONG, code="f(2)")
    given = record(group("f", case("f/1"), failing), id=name, student=name)
    return replace(given, rules=(rule("loops/f", RuleVerdict.REVIEW),))


@pytest.fixture
def overview(tmp_path: Path) -> str:
    """The overview of a run with two students, one of whom has a name that is a formula."""
    filed(tmp_path / "run", some("=1+1"), some('Zoë "Z" </option>'))
    return (tmp_path / "run/index.html").read_text(encoding="utf-8")


def press(page: Page, *keys: str) -> None:
    """Press these keys, one after the other."""
    for key in keys:
        page.keyboard.press(key)


def saved(page: Page, to: Path) -> str:
    """Save what was decided as a file; return its name."""
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    assert "marks-yinyang.csv" == download.value.suggested_filename
    download.value.save_as(to)
    return os.fspath(to)


def test_what_is_saved_is_what_the_command_takes(
    desk: Desk, overview: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A case, a rule, a comment: picked, reasoned, saved, and decided."""
    page = desk.open(overview, accept_downloads=True)
    form = page.locator("form.deciding")
    form.locator("[name=what]").select_option("f/2")
    form.locator("[name=points]").fill("0,5")
    form.locator("[name=because]").fill('Right, but "slow"\n=no formula')
    form.get_by_role("button", name="Add").click()
    form.locator("[name=student]").select_option('Zoë "Z" </option>')
    form.locator("[name=what]").select_option("loops/f")
    form.locator("[name=verdict]").select_option("broken")
    form.locator("[name=penalty]").fill("0.25")
    form.locator("[name=because]").fill("=2*3")
    press(page, "Tab", "Enter")
    form.locator("[name=what]").select_option(label="A comment on the whole submission")
    form.locator("[name=because]").fill("See me.")
    form.get_by_role("button", name="Add").click()
    assert "3 to be saved" == page.locator("ol.decided ~ p [role=status]").text_content()
    name = saved(page, tmp_path / "marks.csv")
    assert 0 == grader(capfd, "mark", os.fspath(tmp_path / "run"), "--from", name).code
    with Store.reading(tmp_path / "run") as store:
        made = list(store.decisions)
        marks = [graded.score for _, graded in store]
    assert [1.5, 0.75] == marks
    assert [
        ("=1+1", "f/2", 'Right, but "slow"\n=no formula'),
        ('Zoë "Z" </option>', "loops/f", "=2*3"),
        ('Zoë "Z" </option>', "", "See me."),
    ] == [(each.student, each.subject, each.because) for each in made]
    assert [] == desk.complaints()


def test_points_beyond_what_there_is_are_not_added(desk: Desk, overview: str) -> None:
    """Nor are others that are none, or a decision without a reason."""
    page = desk.open(overview)
    form = page.locator("form.deciding")
    form.locator("[name=because]").fill("x")
    for points in ("2", "-1", "1e0", "nan", ""):
        form.locator("[name=points]").fill(points)
        form.get_by_role("button", name="Add").click()
        assert 0 == page.locator("ol.decided li").count(), points
    form.locator("[name=points]").fill("1")
    form.locator("[name=because]").fill("")
    form.get_by_role("button", name="Add").click()
    assert 0 == page.locator("ol.decided li").count()
    assert page.get_by_role("button", name="Save as CSV").is_disabled()


def test_a_line_is_taken_away_again(desk: Desk, overview: str) -> None:
    """By its own button; nothing is left to be saved then."""
    page = desk.open(overview)
    form = page.locator("form.deciding")
    form.locator("[name=points]").fill("1")
    form.locator("[name=because]").fill("x")
    form.get_by_role("button", name="Add").click()
    assert page.get_by_role("button", name="Save as CSV").is_enabled()
    page.get_by_role("button", name="Remove").click()
    assert page.get_by_role("button", name="Save as CSV").is_disabled()
    assert 0 == page.locator("ol.decided li").count()


def test_it_fits_a_telephone(desk: Desk, overview: str) -> None:
    """Nothing of it runs out of a screen of 390 pixels, and all can be touched."""
    page = desk.open(overview, viewport={"width": 390, "height": 844})
    page.locator("form.deciding").scroll_into_view_if_needed()
    assert 390 >= page.evaluate("document.documentElement.scrollWidth")
    fields = page.locator(".deciding :is(select, input, textarea):visible")
    boxes = [each.bounding_box() for each in fields.all()]
    assert 4 == len(boxes)
    assert all(box and box["height"] >= 36 and box["x"] + box["width"] <= 390 for box in boxes)


def test_without_a_script_the_page_names_the_command(desk: Desk, overview: str) -> None:
    """And has no form that does nothing."""
    page = desk.open(overview, java_script_enabled=False)
    assert 0 == page.locator("form").count()
    assert page.get_by_text("grader mark RUN STUDENT --case ID").is_visible()
    with_script = desk.open(overview)
    assert not with_script.get_by_text("grader mark RUN STUDENT --case ID").is_visible()
