"""What a teacher does at a desk, with how many clicks and keys; axe, and a narrow window."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from asking import for_review, handed_in, unrunnable
from browsing import chromium
from filed_runs import database, filed

from grader.intake.lateness import Lateness, LateTerms
from grader.judging.lateness import late_result

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

NINE: Final = tuple(f"student{number}" for number in range(1, 10))
START: Final = "import sys; sys.argv[:1] = ['grader']; from grader.cli.verbs import main; main()"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests here."""
    yield from chromium()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run: nine make the same mistake, one has a rule to judge, two cannot run, one is late."""
    records = [*map(handed_in, NINE), for_review("rosa"), unrunnable("dee"), unrunnable("ed")]
    terms = LateTerms(percent=Fraction(50))
    late = Lateness(late_s=3_600, deadline="2026-10-01 23:59", terms=terms)
    _, rule = late_result(late, Fraction(1), Fraction(3))
    records.append(replace(handed_in("tardy"), score=0.5, rules=(rule,)))
    filed(tmp_path / "run", *records)
    return tmp_path / "run"


@pytest.fixture
def address(folder: Path) -> Iterator[str]:
    """The address that opens the desk of that run."""
    rubric = folder.with_name("rubric.yaml")
    rubric.write_text("yinyang: [{id: names, points: 0.25, text: Names say what they hold.}]")
    asked = folder.with_name("requests.csv")
    asked.write_text("student,part,request\nstudent5,f,Read f(2) again.\n")
    options = ["--no-open", "--by", "Prof. Maes", "--rubric", str(rubric), "--requests", str(asked)]
    command = [sys.executable, "-c", START, "desk", str(folder), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.send_signal(signal.SIGINT)
        assert 0 == process.wait(20)


class Hand:
    """Clicks and presses keys, and counts; what is typed into a field is no key."""

    def __init__(self, page: Page) -> None:
        """Begin with no clicks on `page`."""
        self._page = page
        self.count = 0

    def click(self, place: str) -> Hand:
        """Click on the first thing at `place`."""
        self._page.click(f"{place} >> nth=0")
        self.count += 1
        return self

    def press(self, *keys: str) -> Hand:
        """Press these keys, one after the other."""
        for key in keys:
            self._page.keyboard.press(key)
            self.count += 1
        return self

    def type(self, text: str) -> Hand:
        """Type into the field where the cursor is."""
        self._page.keyboard.type(text)
        return self


def axe(page: Page) -> list[str]:
    """Return what axe-core finds wrong with `page`."""
    if find_spec("axe_playwright_python") is None:
        pytest.skip("there is no axe-core: pip install axe-playwright-python")
    page.evaluate((files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
    found: dict[str, Any] = page.evaluate("axe.run({preload: false})")
    return [
        f"{violation['id']}: {node['target']}"
        for violation in found["violations"]
        for node in violation["nodes"]
    ]


class Walk:
    """A teacher's way through a desk, each step of which takes three clicks at most."""

    def __init__(self, page: Page, address: str) -> None:
        """Open the desk at `address`."""
        self.page = page
        self.complaints: list[str] = []
        page.set_default_timeout(10_000)
        page.on("console", lambda said: self.complaints.append(said.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(address)
        self.base = page.url

    def hand(self) -> Hand:
        """Begin a step."""
        return Hand(self.page)

    def did(self, hand: Hand, says: str, most: int = 3, at: str = "**") -> None:
        """Wait until the page says that a step was done, which took `most` clicks at most."""
        self.page.get_by_text(says).first.wait_for()
        self.page.wait_for_url(at)
        self.page.wait_for_load_state()
        assert hand.count <= most, says

    def saved(self, hand: Callable[[], Hand], most: int) -> str:
        """Return the text of the file that a step saves."""
        with self.page.expect_download() as saved:
            assert hand().count <= most
        return Path(saved.value.path()).read_text()


@pytest.fixture
def walk(browser: Browser, address: str) -> Iterator[Walk]:
    """A walk that nothing in the browser complains of."""
    walk = Walk(browser.new_context(viewport={"width": 1280, "height": 800}).new_page(), address)
    yield walk
    assert [] == [each for each in walk.complaints if "400 (Bad Request)" not in each]


def test_what_a_teacher_does_takes_three_clicks(walk: Walk, folder: Path) -> None:
    """Find, see why, decide, comment, for nine at once, a total, undo, go on, see who it was."""
    page, hand, did = walk.page, walk.hand, walk.did
    # A student who asks comes first, and has an answer by a comment; then a rule, with the reason.
    did(hand().press("n"), "Read f(2) again.", 1, "**/s/yinyang/student5")
    did(hand().press("c").type("I have.").press("Enter"), "answered", 2)
    did(hand().press("n"), "a rule to judge", 1, "**/s/yinyang/rosa")
    did(hand().press("a"), "not valid Python", 1, "**/s/yinyang/dee")
    did(hand().press("n"), "not valid Python", 1, "**/s/yinyang/ed")
    total = hand().press("t").type("0.5").press("Tab").type("A comma.").press("Enter")
    did(total, "stored for ed")
    assert "0.5 of 1 point" in page.inner_text(".desk-decide")
    did(hand().press("u"), "undone for ed", 1)
    assert "0 of 1 point" in page.inner_text(".desk-decide")
    # Find somebody, decide on a case, and write at a line.
    search = hand().press("/").type("student3").press("Enter")
    did(search, "student3", 2, "**/s/yinyang/student3")
    points = hand().click("[name='case f/2']").type("0.5").press("Enter")
    did(points, "the reason, which the student reads, is missing")
    did(points.type("Nearly.").press("Enter"), "stored for student3")
    did(hand().click("[data-line='f.py:1']").type("A name!").press("Enter"), "A name!", 2)
    # The same for all who make a mistake, and who it was.
    others = hand().click("li:has([name='case f/3']) a[href^='/m/']")
    did(others, "make this mistake")
    did(others.press("c").type("Define x.").press("Enter"), "stored for 11 students")
    page.goto(f"{walk.base}s/yinyang/student9")
    assert "comment f.py:2 (by Prof. Maes, " in page.inner_text(".desk-trail")
    assert "Define x." in page.inner_text(".desk-code .gutter")
    did(hand().press("1"), "bonus names: 0.25 points (by Prof. Maes, ", 1)
    did(hand().press("?"), "find a student", 1)
    with database(folder) as store:
        told = store.execute("SELECT about, count(*) FROM decision GROUP BY about ORDER BY 1")
        assert {"bonus": 1, "case": 1, "line": 12, "page": 1, "rule": 1, "total": 2} == dict(told)


def test_what_comes_last_takes_three_clicks_too(walk: Walk, tmp_path: Path) -> None:
    """Waive lateness, tick an answer at the oral defence, take the marks away in a gradebook."""
    page, hand, did = walk.page, walk.hand, walk.did
    page.goto(f"{walk.base}s/yinyang/tardy")
    did(hand().press("w").type("Ill.").press("Enter"), "stored for tardy", 2)
    assert "rule lateness: kept (by Prof. Maes, " in page.inner_text(".desk-trail")
    did(hand().press("o").click("text=✓ Good"), "noted, for staff only", 2)
    did(hand().press("e"), "All marks as a table", 1)
    gradebook = tmp_path / "a.csv"
    gradebook.write_text("id,username,name,grade\n1,,tardy,\n")
    page.set_input_files("[name=gradebook]", gradebook)
    did(hand().click("button:text('Fill')"), "1 mark filled", 1)
    assert "tardy,1" in walk.saved(lambda: hand().click("text=Save a.filled.csv"), 1)
    assert ",tardy,,yinyang,1," in walk.saved(lambda: hand().press("d"), 1)


def test_pages_of_a_desk_are_for_everybody(browser: Browser, address: str) -> None:
    """Axe finds nothing in either theme, wide or narrow, and no page is wider than the window."""
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.goto(address)
    base = page.url
    paths = ("", "rubric", "export", "s/yinyang/tardy", "s/yinyang/tardy/defence", "m")
    for path in (*paths, "mistakes", "rubric", "export", "s/yinyang/dee/defence", "s/yinyang/dee"):
        if path == "m":
            page.goto(f"{base}mistakes")
            page.click("tbody a >> nth=0")
            page.set_viewport_size({"width": 390, "height": 800})
            page.emulate_media(color_scheme="dark")
        else:
            page.goto(f"{base}{path}")
        page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
        assert [] == axe(page), path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
