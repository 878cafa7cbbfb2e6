"""What readers come to a page for, each at most one click away, without any hint where it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest
from browsing import Desk, chromium
from browsing import desk as a_desk
from coded_records import broken, coded
from counterexample_samples import told
from record_samples import case, group, line, record

from grader.judging.record import HiddenTally, LineStatus, Record
from grader.messages import message
from grader.reporting.index_page import IndexEntry, index_page
from grader.reporting.student_page import student_page
from grader.verdict import Status, Verdict

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


def failing() -> Record:
    """Return the record of a failure with its session, its place, and hidden cases beside it."""
    steps = (line("b = Box()"), line("b.size()", "3", LineStatus.FAILED))
    wrong = replace(broken(), expected="2", got="3", transcript=steps)
    given = coded(wrong, case("f/2"))
    hidden = replace(given.groups[0], hidden=HiddenTally(met=1, demands=4))
    return replace(given, groups=(hidden, *given.groups[1:]))


def overview() -> str:
    """Return the overview of a class: two gave the same wrong answer, and one cannot run."""
    wrong = case("f/1", Verdict.WRONG, code="f(1)", expected="2", got="3")
    stopped = replace(
        record(student="Zoë", id="zoe"),
        status=Status.UNGRADABLE,
        remarks=(
            message("ungradable.syntax", file="f.py", line=1, column=1, message="m", text="t"),
        ),
    )
    both = (record(group("f", wrong), student=name, id=name) for name in ("Jan", "Els"))
    entries = [IndexEntry.from_record(each, f"{each.id}.html") for each in (*both, stopped)]
    return index_page(entries, language="en", interrupted=False)


class Task(NamedTuple):
    """What a reader wants to know, where it may click for it, and what it has to see then."""

    page: str
    click: str | None
    sees: str
    says: str


STUDENT: Final = student_page(failing())
TASKS: Final = {
    "student: what is wrong": Task(STUDENT, None, ".first .sides", "3"),
    "student: where in my code": Task(STUDENT, ".first a[href^='#line']", ".marked", ""),
    "student: what shall I type": Task(STUDENT, None, ".first .session", "b = Box()"),
    "student: how many points": Task(STUDENT, None, ".score", "points"),
    "student: what is hidden": Task(
        STUDENT, "summary:has(h3)", ".hidden-cases", "1 of 4 demands are met"
    ),
    "student: is it final": Task(STUDENT, "summary:has(#how)", ".how", "can still decide"),
    "student: what do hidden cases fail on": Task(
        student_page(told()), None, ".first", "small session"
    ),
    "teacher: who cannot run, and why": Task(overview(), None, ".waiting", "Zoë"),
    "teacher: which mistake is the commonest": Task(
        overview(), "a[href$='-same']", ".clusters li:first-child summary", "f(1)"
    ),
    "examiner: why these points were lost": Task(
        STUDENT, "summary:has(h3)", ".group[open] .badge", "unexpected exception"
    ),
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests here."""
    yield from chromium()


@pytest.fixture
def desk(browser: Browser, tmp_path: Path) -> Iterator[Desk]:
    """A desk where the browser may not complain about anything."""
    yield from a_desk(browser, tmp_path)


@pytest.mark.parametrize("name", TASKS)
def test_a_reader_finds_it_with_one_click_at_most(desk: Desk, name: str) -> None:
    """What is asked for is in sight at once, or after the one click that leads to it."""
    task = TASKS[name]
    page = desk.open(task.page, viewport={"width": 1280, "height": 720})
    if task.click is not None:
        page.locator(task.click).locator("visible=true").first.click()
    there = page.locator(task.sees).locator("visible=true").first
    there.wait_for()
    assert task.says in there.inner_text()


def test_a_teacher_finds_the_page_of_a_student(desk: Desk, tmp_path: Path) -> None:
    """A click on the name is all."""
    (tmp_path / "Els.html").write_text(STUDENT, encoding="utf-8")
    page = desk.open(overview())
    page.click("text=Els >> nth=0")
    page.wait_for_selector(".score")
