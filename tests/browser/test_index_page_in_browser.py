"""What staff do with the overview of a run: sort its tables, look for students."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from browsing import Desk, chromium
from browsing import desk as a_desk
from record_samples import case, group, record

from grader.judging.record import Record
from grader.reporting.index_page import IndexEntry, index_page
from grader.reporting.rendering import write_shared_files
from grader.reporting.student_page import student_page
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
    return page.locator("table.heat >> nth=0").locator("tbody th a:visible").all_text_contents()


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
    """One box is for all tables, of which those without such a student go; `/` leads to it."""
    other = (entry(student, 5, "akari") for student in ("Emiel", "Aster"))
    page = desk.open(overview(entry("Aster", 3), entry("Daan", 7), *other))
    assert 1 == page.locator(".find input").count()
    page.keyboard.press("/")
    page.keyboard.type("AST")
    assert "2 van 4 getoond" == page.inner_text(".filter [role=status]")
    assert 2 == page.locator("table.heat:visible").count()
    assert ["Aster"] == students(page)
    page.fill(".find input", "emi")
    assert 1 == page.locator("table.heat:visible").count()
    page.reload()
    assert "1 van 4 getoond" == page.inner_text(".filter [role=status]"), "not in the address"
    page.keyboard.press("/")
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


def test_a_class_of_a_hundred_is_printed_on_four_sheets(desk: Desk) -> None:
    """With five exercises; what is there to be clicked or looked up is not printed."""
    groups = [group(f"g{n}", case(f"g{n}/1"), title=f"group {n}") for n in range(12)]
    records = (
        record(*groups, exercise=f"exercise-{number % 5}", id=f"s{number}", student=f"s{number}")
        for number in range(100)
    )
    page = desk.open(overview(*records))
    page.emulate_media(media="print")
    assert 100 == page.locator("table.heat tbody tr:visible").count()
    assert 0 == page.locator(".clusters:visible, form:visible, details:visible").count()
    assert 4 >= len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True)))


MANY: Final = overview(*(entry(f"student {number:02}", number % 11) for number in range(60)))
"""A class of three bodies of rows, the last of them not full."""


def test_a_long_table_is_sorted_as_a_whole(desk: Desk) -> None:
    """Rows go from one body to another, and no body becomes longer than it was."""
    page = desk.open(MANY)
    head = page.locator("table.heat th[data-sort] >> nth=0 >> button")
    head.click()
    head.click()
    names = page.locator("table.heat tbody th a").all_text_contents()
    assert [f"student {number:02}" for number in reversed(range(60))] == names
    sizes = "[...document.querySelector('.heat').tBodies].map((body) => body.rows.length)"
    assert [25, 25, 10] == page.evaluate(sizes)


def test_bodies_in_which_nothing_is_found_take_no_room(desk: Desk) -> None:
    """Who looks for a name sees one row after another, also where hundreds lie in between."""
    page = desk.open(MANY)
    page.fill(".find input", "student 3")
    assert 10 == page.locator("table.heat tbody tr:visible").count()
    page.fill(".find input", "student 31")
    assert 1 == page.locator("table.heat tbody:visible").count()
    page.fill(".find input", "")
    assert 3 == page.locator("table.heat tbody:visible").count()


@pytest.mark.parametrize("width", [1280, 390])
def test_cells_stand_below_their_heads(desk: Desk, width: int) -> None:
    """Also in rows that are laid out later, and whatever the cells hold."""
    page = desk.open(MANY, viewport={"width": width, "height": 800})
    edges = """
        (row) => [...row.cells].map((cell) => Math.round(cell.getBoundingClientRect().left))
    """
    heads = page.locator("table.heat thead tr").evaluate(edges)
    for number in (0, 59):
        row = page.locator(f"table.heat tbody tr >> nth={number}")
        row.scroll_into_view_if_needed()
        assert heads == row.evaluate(edges)


def test_the_table_stays_a_table(desk: Desk) -> None:
    """It is laid out as boxes, and is told as a table all the same, with heads of both kinds."""
    page = desk.open(PAGE)
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    roles = [node["role"]["value"] for node in nodes if not node["ignored"]]
    told = [roles.count(role) for role in ("table", "row", "columnheader", "rowheader", "cell")]
    assert [1, 6, 6, 5, 25] == told


@pytest.mark.parametrize("cases", [18, 120])
def test_cells_have_one_line_and_remarks_are_in_sight(desk: Desk, cases: int) -> None:
    """Of eight groups, on a usual screen; where cells have long numbers they have more room."""
    verdicts = [Verdict.WRONG, Verdict.WRONG, *[Verdict.PASSED] * (cases - 2)]
    done = [case(f"g/{n}", verdict) for n, verdict in enumerate(verdicts)]
    groups = (group(f"g{n}", *done) for n in range(8))
    page = desk.open(overview(record(*groups)), viewport={"width": 1280, "height": 700})
    overflow = "(all) => Math.max(...all.map((one) => one.scrollWidth - one.clientWidth))"
    cells = page.locator("table.heat tbody td:not([class])")
    assert [f"{cases - 2}/{cases}"] * 8 == cells.all_inner_texts()
    assert 0 >= cells.evaluate_all(overflow)
    if cases == 18:
        assert 0 >= page.locator(".scroll:has(table.heat)").evaluate_all(overflow)


def test_many_groups_fit_on_paper(desk: Desk) -> None:
    """Of a course of 45 groups the table is as wide as the page, and names every group."""
    groups = (group(f"g{n}", case(f"g{n}/1"), title=f"group_number_{n}") for n in range(45))
    page = desk.open(overview(record(*groups)), viewport={"width": 1000, "height": 700})
    page.emulate_media(media="print")
    box = page.locator("table.heat").bounding_box()
    assert box is not None
    assert 1000 >= box["x"] + box["width"]
    assert 45 == page.locator("table.heat th.tall:visible").count()


def write_run(folder: Path) -> Path:
    """Write a class of three, whose pages share style and script; return its overview."""
    records = [entry(student, score) for student, score in (("Aster", 3), ("Daan", 7), ("Fien", 5))]
    write_shared_files(folder)
    (folder / "yinyang").mkdir()
    for number, each in enumerate(records):
        page = student_page(each, shares=True)
        (folder / f"yinyang/{number}.html").write_text(page, encoding="utf-8")
    entries = [IndexEntry.of(each, f"yinyang/{n}.html") for n, each in enumerate(records)]
    index = folder / "index.html"
    index.write_text(index_page(entries, language="nl", interrupted=False), encoding="utf-8")
    return index


def test_staff_go_from_student_to_student_in_the_order_of_the_table(
    desk: Desk, tmp_path: Path
) -> None:
    """From the overview as it is sorted one gets to the next one, to the last one, and back."""
    index = write_run(tmp_path)
    page = desk.open("")
    page.goto(index.as_uri())
    page.locator("table.heat th[data-sort] button >> nth=0").click()
    page.locator("table.heat").get_by_text("Aster").click()
    for wanted, key in (("Aster", "n"), ("Daan", "n"), ("Fien", "p"), ("Daan", "n")):
        page.wait_for_selector(f".who:text-is('{wanted}')")
        page.keyboard.press(key)
    page.wait_for_selector(".who:text-is('Fien')")
    page.get_by_role("link", name="Next student").click()
    page.wait_for_selector("table.heat")
    assert "Fien" == page.evaluate("document.activeElement.textContent"), "nobody comes after her"
    assert ["Aster", "Daan", "Fien"] == students(page)
    assert "ascending" == page.locator("table.heat th >> nth=0").get_attribute("aria-sort")


def test_a_page_that_is_handed_out_leads_to_nobody_else(desk: Desk, tmp_path: Path) -> None:
    """It shows no way to others, and has neither their names nor where their pages are."""
    write_run(tmp_path)
    page = desk.open("")
    page.goto((tmp_path / "yinyang/1.html").as_uri())
    assert 0 == page.locator(".walk").count()
    assert "Next student" not in page.inner_text("body")
    for other in ("Aster", "Fien", "0.html", "2.html"):
        assert other not in page.content()


def test_commands_name_the_folder_of_the_run(desk: Desk, tmp_path: Path) -> None:
    """The command that fills a gradebook can be copied as it is, wherever one stands."""
    folder = tmp_path / "klas 1"
    folder.mkdir()
    index = write_run(folder)
    page = desk.open("")
    page.goto(index.as_uri())
    assert f'grader export "{folder}" --into gradebook.csv' in page.inner_text("main")
    assert "RUN" not in page.inner_text("main")
