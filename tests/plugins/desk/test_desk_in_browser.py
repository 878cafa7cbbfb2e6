"""What a teacher does at a desk, with how many clicks and keys; axe, and a narrow window."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from asking import for_review, handed_in, unrunnable
from browsing import chromium
from filed_runs import database, filed

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
    """A run in which nine make the same mistake, one has a rule to judge, and two cannot run."""
    records = [*map(handed_in, NINE), for_review("rosa"), unrunnable("dee"), unrunnable("ed")]
    filed(tmp_path / "run", *records)
    return tmp_path / "run"


@pytest.fixture
def address(folder: Path) -> Iterator[str]:
    """The address that opens the desk of that run."""
    rubric = folder.with_name("rubric.yaml")
    rubric.write_text("yinyang: [{id: names, points: 0.25, text: Names say what they hold.}]")
    options = ["--no-open", "--by", "Prof. Maes", "--rubric", str(rubric)]
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


def test_what_a_teacher_does_takes_three_clicks(
    browser: Browser, address: str, folder: Path
) -> None:
    """Find, see why, decide, comment, for nine at once, a total, undo, go on, see who it was."""
    complaints: list[str] = []
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.set_default_timeout(10_000)
    page.on("console", lambda said: complaints.append(said.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(address)
    base = page.url

    def did(hand: Hand, says: str, most: int = 3) -> None:
        page.get_by_text(says).first.wait_for()
        page.wait_for_load_state()
        assert hand.count <= most, says

    # Whoever needs a person comes first, with the reason.
    did(Hand(page).press("n"), "a rule to judge", 1)
    page.wait_for_url("**/s/yinyang/rosa")
    did(Hand(page).press("a"), "no valid Python", 1)
    page.wait_for_url("**/s/yinyang/dee")
    assert 1 == Hand(page).press("n").count
    page.wait_for_url("**/s/yinyang/ed")
    did(
        Hand(page).press("t").type("0.5").press("Tab").type("A comma.").press("Enter"),
        "stored for ed",
    )
    assert "0.5 of 1 point" in page.inner_text(".desk-decide")
    did(Hand(page).press("u"), "taken back for 1 student", 1)
    assert "0 of 1 point" in page.inner_text(".desk-decide")
    # Find somebody, decide on a case, and write at a line.
    did(Hand(page).press("/").type("student3").press("Enter"), "student3", 2)
    page.wait_for_url("**/s/yinyang/student3")
    hand = Hand(page).click("[name='case f/2']").type("0.5").press("Enter")
    page.get_by_text("a reason is required: students read it").wait_for()
    page.wait_for_load_state()
    did(hand.type("Nearly.").press("Enter"), "stored for student3")
    did(Hand(page).click("[data-line='f.py:1']").type("A name!").press("Enter"), "A name!", 2)
    # The same for all nine, and who it was.
    hand = Hand(page).click("li:has([name='case f/3']) a[href^='/m/']")
    page.get_by_text("make this mistake").first.wait_for()
    page.wait_for_load_state()
    did(hand.press("c").type("Define x.").press("Enter"), "stored for 10 students")
    page.goto(f"{base}s/yinyang/student9")
    assert "comment f.py:2 (by Prof. Maes, " in page.inner_text(".desk-trail")
    assert "Define x." in page.inner_text(".desk-code .gutter")
    page.wait_for_load_state()
    did(Hand(page).press("1"), "bonus names: 0.25 points (by Prof. Maes, ", 1)
    did(Hand(page).press("?"), "find a student", 1)
    assert [] == [each for each in complaints if "400 (Bad Request)" not in each]
    with database(folder) as store:
        told = store.execute("SELECT about, count(*) FROM decision GROUP BY about ORDER BY 1")
        assert {"bonus": 1, "case": 1, "line": 11, "rule": 1, "total": 2} == dict(told)


def test_pages_of_a_desk_are_for_everybody(browser: Browser, address: str) -> None:
    """Axe finds nothing in either theme, wide or narrow, and no page is wider than the window."""
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.goto(address)
    base = page.url
    for path in ("", "s/yinyang/rosa", "m", "mistakes", "s/yinyang/dee"):
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
