"""What staff do with the overview of a run: sort its tables, look for students."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from browsing import Desk, chromium
from browsing import desk as a_desk
from test_reporting_records import case, group, record

from grader.record import Record
from grader.reporting.index_page import IndexEntry, index_page
from grader.verdict import Status, Verdict

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

SCORES: Final = {"Émile": 2, "Daan": 10, "zoë": 9, "Fien": 0, "Aster": 9}


def entry(student: str, score: int, exercise: str = "yinyang") -> Record:
    """Return the record of `student`, with so many cases that pass."""
    cases = (
        case(f"f/{n}", Verdict.PASSED if n < score else Verdict.WRONG, group="f") for n in range(10)
    )
    return record(group("f", *cases), student=student, id=student, exercise=exercise)


def overview(*records: Record) -> str:
    """Return the overview of a run of `records`."""
    entries = [IndexEntry.of(each, f"{n}.html") for n, each in enumerate(records)]
    return index_page(entries, language="nl", interrupted=False)


PAGE: Final = overview(*(entry(student, score) for student, score in SCORES.items()))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests here."""
    yield from chromium()


@pytest.fixture
def desk(browser: Browser, tmp_path: Path) -> Iterator[Desk]:
    """A desk where the browser may not complain about anything."""
    yield from a_desk(browser, tmp_path)


def students(page: Page) -> list[str]:
    """Return the students of the first table of students, from top to bottom."""
    return page.locator("table.heat >> nth=0").locator("tbody th a:visible").all_inner_texts()


def test_heads_sort_by_name(desk: Desk) -> None:
    """As people order names: accents and capitals do not matter. A second click turns it."""
    page = desk.open(PAGE)
    head = page.locator("table.heat th[data-sort] >> nth=0")
    head.locator("button").click()
    assert ["Aster", "Daan", "Émile", "Fien", "zoë"] == students(page)
    assert "ascending" == head.get_attribute("aria-sort")
    head.locator("button").click()
    assert ["zoë", "Fien", "Émile", "Daan", "Aster"] == students(page)
    assert "descending" == head.get_attribute("aria-sort")


def test_heads_sort_by_number_and_keep_the_order_of_equals(desk: Desk) -> None:
    """Ten is more than nine, and who has the same stays in the order that there was."""
    page = desk.open(PAGE)
    name, points = (page.locator(f"table.heat th[data-sort] >> nth={n}") for n in (0, 1))
    name.locator("button").click()
    points.locator("button").click()
    assert ["Fien", "Émile", "Aster", "zoë", "Daan"] == students(page)
    assert name.get_attribute("aria-sort") is None


def test_heads_sort_by_keyboard(desk: Desk) -> None:
    """A head is a button: Enter sorts, and the focus stays on it."""
    page = desk.open(PAGE)
    page.focus("table.heat th[data-sort] >> nth=0 >> button")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert "zoë" == students(page)[0]
    assert page.evaluate("document.activeElement.matches('th button')")


def test_what_has_no_value_comes_last_either_way(desk: Desk) -> None:
    """A submission that could not be run has no result for a group, which is not the least."""
    broken = replace(entry("Broos", 0), status=Status.UNGRADABLE, groups=())
    page = desk.open(overview(broken, entry("Aster", 3), entry("Daan", 7)))
    group_head = page.locator("table.heat th.tall button")
    group_head.click()
    assert ["Aster", "Daan", "Broos"] == students(page)
    group_head.click()
    assert ["Daan", "Aster", "Broos"] == students(page)


def test_a_table_is_searched_by_name(desk: Desk) -> None:
    """Each table of students has a box of its own; `/` leads to the first."""
    other = (entry(student, 5, "akari") for student in ("Emiel", "Aster"))
    page = desk.open(overview(entry("Aster", 3), entry("Daan", 7), *other))
    assert 2 == page.locator(".find input").count()
    page.keyboard.press("/")
    page.keyboard.type("AST")
    first, second = page.locator(".filter [role=status]").all_inner_texts()
    assert ("1 van 2 getoond", "2 van 2 getoond") == (first, second)
    assert ["Aster"] == students(page)
    page.keyboard.press("Escape")
    assert 2 == len(students(page))


def test_without_javascript_the_table_is_whole(desk: Desk) -> None:
    """Every student is there, and heads are no buttons."""
    page = desk.open(PAGE, java_script_enabled=False)
    assert set(SCORES) == set(students(page))
    assert 0 == page.locator("button, input").count()


def test_print_shows_every_student(desk: Desk) -> None:
    """Who looked for one prints the whole class, without the box."""
    page = desk.open(PAGE)
    page.fill(".find input", "Daan")
    page.emulate_media(media="print")
    assert 5 == len(students(page))
    assert page.is_hidden(".find input")
