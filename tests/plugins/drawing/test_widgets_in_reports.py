"""Widgets on a page and on a terminal: the part of SVG that boards have, and the same as text."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from drawings import value
from drawn_pages import boards, check_dialect, page_of, text_of
from read_pages import OUR_TAGS, Reader
from record_samples import HOSTILE_TEXTS, case, group, record
from widget_samples import CALLS, LARGEST, LINE, PLOT, SAMPLES, TABLE, Drawn, call, picture

from grader.judging.pictures import CallsPicture, PlotPicture, ShownRow, TablePicture, WidgetPicture
from grader.plugins.drawing.shapes import Scale
from grader.plugins.drawing.views import text_sides
from grader.plugins.drawing.widget_pictures import widget_picture
from grader.reporting.terminal import case_text
from grader.reporting.wording import LANGUAGES
from grader.values.tree import Atom, Sequence
from grader.verdict import Verdict


def terminal_of(found: WidgetPicture, language: str = "en") -> str:
    """Return what a terminal shows of a case with this picture."""
    failed = replace(case("f/1", Verdict.WRONG, expected="1", got="2"), pictures=(found,))
    return case_text(failed, record(group("f", failed), language=language))


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_widgets_are_in_the_dialect(name: str, language: str) -> None:
    """Each is drawn of what other platforms keep, with a name for those who do not see it."""
    page = page_of(SAMPLES[name], language=language)
    sides = 2 if name == "table" else 1
    assert sides == check_dialect(page)
    assert terminal_of(SAMPLES[name], language)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("table", "1 cell differs: row 0, column score: expected 7, got 8."),
        ("table", "1 row is missing (−): 1."),
        ("line", "Missing (−): 3."),
        ("line", "Too many (+): 4."),
        ("intervals", "Missing (−): (2, 4), (2, 5)."),
        ("plot", "1 point differs: x = 2: expected 9, got 8."),
        ("calls", "Each call is shown below the call that made it"),
        ("calls", "Calls with … made more calls, which are not shown."),
        ("calls", "The step made more calls after these."),
    ],
)
def test_what_differs_is_said_in_words(name: str, said: str) -> None:
    """A sentence says what the drawing shows, so nobody has to see it."""
    assert said in text_of(page_of(SAMPLES[name]))


def test_a_row_too_many_and_columns_without_names() -> None:
    """What has no name is told by its number."""
    found = picture(TABLE.with_changes(columns=()), "[[1, 2]]", "[[1, 3], [4, 5]]")
    text = text_of(page_of(found))
    assert "1 row too many (+): 1." in text
    assert "1 cell differs: row 0, column 1: expected 2, got 3." in text


@pytest.mark.parametrize("name", ["table", "line", "plot"])
def test_differences_do_not_hang_on_colours(name: str) -> None:
    """With every colour taken out of it, a drawing still has forms where something differs."""

    def forms(page: str) -> set[str]:
        found = [each.attrib["d"] for svg in boards(page) for each in svg.iter("path")]
        return {re.sub(r"M[\d. -]+", "M", path) for path in found}

    same = {"table": "[('Ann', 8)]", "line": "[1, 4, 7]", "plot": "[1, 4, 8]"}
    widgets: dict[str, Drawn] = {"table": TABLE, "line": LINE, "plot": PLOT}
    other = {"table": "[('Ann', 9)]", "line": "[1, 4]", "plot": "[1, 4]"}
    found = picture(widgets[name], same[name], other[name])
    assert forms(page_of(SAMPLES[name])) - forms(page_of(replace_marks(found)))


def replace_marks(found: WidgetPicture) -> WidgetPicture:
    """Return a picture in which nothing is marked as differing, and both sides are one."""
    if found.kind == "table":
        rows = tuple(replace(row, got=row.expected, differs=()) for row in found.rows)
        return replace(found, rows=rows)
    if found.kind == "line":
        marks = tuple(replace(mark, differs=False) for mark in found.expected)
        return replace(found, expected=marks, got=marks)
    assert found.kind == "plot"
    return replace(found, got=())


@pytest.mark.parametrize("kind", sorted(HOSTILE_TEXTS))
def test_hostile_answers_add_no_markup(kind: str) -> None:
    """Whatever stands in a cell, in a key or in a call is text, and little of it."""
    hostile = HOSTILE_TEXTS[kind]
    row = Sequence("list", (Atom(hostile), Atom(1)))
    widget = TABLE.with_changes(columns=())
    found = widget_picture(widget, value("[['a', 1]]"), Sequence("list", (row,)))
    assert found is not None
    text = hostile[:40]
    calls = CallsPicture(function="f", calls=(call(0, text, text), call(1, text)), is_cut=False)
    page = page_of(found, calls)
    reader = Reader(page)
    assert set() == {tag for tag in reader.tags if tag not in OUR_TAGS}
    assert [] == [name for name, _ in reader.attributes if name.startswith("on")]
    assert 3 == check_dialect(page)


@pytest.mark.parametrize("name", LARGEST)
def test_largest_widgets_are_bounded(name: str) -> None:
    """The largest of each kind takes less than 75 kB each time that it stands on a page."""
    page = page_of(LARGEST[name])
    check_dialect(page)
    drawn = [len(ET.tostring(svg)) for svg in boards(page)]
    assert max(drawn) < 75_000
    heights = [int(svg.attrib["height"]) for svg in boards(page)]
    assert max(heights) < 1_100


@pytest.mark.parametrize("name", ["table", "calls"])
def test_what_is_wider_than_a_telephone_scrolls(name: str) -> None:
    """It keeps the size in which it can be read, in a box that the keyboard reaches; others fit."""
    assert re.search(
        r'<div class="keeps" tabindex="0" role="group"[^>]*><svg', page_of(LARGEST[name])
    )
    for small in SAMPLES.values():
        page = page_of(small)
        assert '"keeps" tabindex="0" role="group"' not in page.partition("<svg")[0]
        assert max(int(svg.attrib["width"]) for svg in boards(page)) <= 340


def test_terminal_has_tables_and_lines_in_place_of_values() -> None:
    """What a drawing says better than the value stands in its place, side by side."""
    table, line = terminal_of(SAMPLES["table"]), terminal_of(SAMPLES["line"])
    assert "  ≠ 0  'Ann'  7          0  'Ann'  8" in table.split("\n")
    assert "  ≠ 1  'Bob'  9" in table.split("\n")
    assert "  ≠ o-----------------o------------------------------------o" in line.split("\n")
    assert "    1        2        3         4        5        6        7" in line.split("\n")


def test_intervals_that_overlap_have_lines_of_their_own() -> None:
    """On a terminal too each interval can be seen."""
    shown = [line.lstrip(" ≠") for line in terminal_of(SAMPLES["intervals"]).split("\n")]
    one, two, three = f"|{'=' * 27}|", f"|{'=' * 26}|", f"|{'=' * 40}|"
    assert [one, two, three] == [line.strip("-") for line in shown if "==" in line][:3]


def test_terminal_has_plots_and_calls_besides() -> None:
    """The values stay, and what is drawn stands below them."""
    plot, calls = terminal_of(SAMPLES["plot"]), terminal_of(CALLS)
    assert "As a plot:" in plot
    assert "9 |                                               o" in plot
    assert "o Expected   x Your code gave" in plot
    assert ["fib(2) -> 2", "  fib(1) -> 1 ...", "  fib(0)"] == [
        line.removeprefix(" " * 6) for line in calls.split("\n") if "fib(" in line
    ]


def test_ticks_are_round_and_few() -> None:
    """A scale has round numbers, whatever lies on it."""
    assert [0, 5, 10, 15, 20] == Scale(0, 23, 100).ticks(5)
    assert [8, 10, 12, 14, 16, 18] == Scale(8, 18, 100).ticks(5)
    for low, high in ((-1e15, 1e15), (0, 1e-12), (999.5, 1000), (-3, 4)):
        assert 1 <= len(Scale(low, high, 1).ticks(5)) <= 6


@pytest.mark.parametrize(
    ("widget", "got"),
    [
        (LINE, "[0, 5e-324]"),
        (LINE, "[-1e15, 1e15]"),
        (LINE, "[999999999999999.9, 1e15]"),
        (PLOT, "[5e-324, 0]"),
        (PLOT, "[(0, 1e15), (5e-324, -1e15)]"),
        (PLOT, "[]"),
    ],
)
def test_numbers_at_the_edge_are_drawn(widget: Drawn, got: str) -> None:
    """Numbers that are as near or as far as floats can be break no page and no terminal."""
    found = picture(widget, "[0]", got)
    assert check_dialect(page_of(found))
    assert terminal_of(found)


def test_a_kept_table_with_more_names_than_columns_is_drawn() -> None:
    """Names that stand above nothing are left out, on a page and on a terminal."""
    found = picture(TABLE.with_changes(columns=("a",)), "[[1]]", "[[2]]")
    assert isinstance(found, TablePicture)
    odd = replace(found, columns=("a", "surplus"))
    for shown in (text_of(page_of(odd)), terminal_of(odd)):
        assert "surplus" not in shown


def test_a_picture_that_does_not_hold_together_costs_itself_alone() -> None:
    """The rest of the case is shown without it."""
    found = picture(TABLE.with_changes(columns=()), "[[1, 2]]", "[[1, 3]]")
    assert isinstance(found, TablePicture)
    (pair,) = found.rows
    odd = replace(found, rows=(pair, replace(pair, got=ShownRow("1", ("1",)))))
    assert not boards(page_of(odd))
    assert "expected" in terminal_of(odd).lower()


@pytest.mark.parametrize("x", [float("inf"), float("nan")])
def test_a_plot_that_does_not_hold_together_costs_itself_alone(x: float) -> None:
    """Below the text of a terminal as well as on a page."""
    found = SAMPLES["plot"]
    assert isinstance(found, PlotPicture)
    odd = replace(found, got=(replace(found.got[0], x=x),))
    assert not boards(page_of(odd))
    assert "expected" in terminal_of(odd).lower()
    assert "o expected" not in terminal_of(odd).lower()
    assert "o expected" in terminal_of(found).lower()


@pytest.mark.parametrize(("expected", "got"), [("[8, 9, 10000]", "[8, 10, 10000]")])
def test_sides_that_look_the_same_on_a_terminal_are_texts(expected: str, got: str) -> None:
    """Where characters are too coarse for the difference, the answers themselves are told."""
    found = picture(LINE, expected, got)
    assert found.is_telling
    assert text_sides((found,)) is None


def test_a_difference_beyond_the_text_of_a_large_table_is_told_as_text() -> None:
    """A table that is cut before anything differs shows nothing."""
    rows = [["x" * 14] * 12] * 39
    found = picture(
        TABLE.with_changes(columns=()), repr([*rows, ["a"] * 12]), repr([*rows, ["b"] * 12])
    )
    assert found.is_telling
    assert text_sides((found,)) is None
