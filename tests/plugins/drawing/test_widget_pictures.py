"""What was expected and what came becomes a picture, if it is of one kind and differs visibly."""

from __future__ import annotations

import pytest
from drawings import value

from grader.judging.pictures import LinePicture, PlotPicture, TablePicture, WidgetPicture
from grader.plugins.drawing.widget_pictures import MAX_CELL_CHARS, widget_picture
from grader.suite.drawable import MAX_ROWS
from grader.suite.widgets import LineWidget, PlotWidget, TableWidget
from grader.values.tree import Atom, Collection, Sequence, Value

TABLE = TableWidget(groups=("g",))
LINE = LineWidget(groups=("g",))
PLOT = PlotWidget(groups=("g",))


def table(expected: str, got: str, widget: TableWidget = TABLE) -> TablePicture:
    """Return the table of two literals."""
    found = widget_picture(widget, value(expected), value(got))
    assert isinstance(found, TablePicture)
    return found


def rows(picture: TablePicture) -> list[tuple[str, str, tuple[int, ...]]]:
    """Return the labels of the rows that belong together, and which columns differ."""
    return [
        (
            pair.expected.label if pair.expected else "",
            pair.got.label if pair.got else "",
            pair.differs,
        )
        for pair in picture.rows
    ]


def test_rows_at_the_same_place_belong_together() -> None:
    """In lists of the same length each cell is compared with the one at its place."""
    found = table("[['a', 1], ['b', 2]]", "[['a', 1], ['b', 3]]")
    assert [("0", "0", ()), ("1", "1", (1,))] == rows(found)
    assert () == found.columns


def test_a_row_that_is_missing_moves_no_other() -> None:
    """Where it makes more rows equal, those that are equal belong together."""
    found = table("[[1], [2], [3]]", "[[1], [3]]")
    assert [("0", "0", ()), ("1", "", (0,)), ("2", "1", ())] == rows(found)
    moved = table("[[1], [2], [3]]", "[[2], [3], [9]]")
    assert [("0", "", (0,)), ("1", "0", ()), ("2", "1", ()), ("", "2", (0,))] == rows(moved)
    more = table("[[1], [3]]", "[[1], [2], [3]]")
    assert [("0", "0", ()), ("", "1", (0,)), ("1", "2", ())] == rows(more)


def test_keys_of_dicts_belong_together() -> None:
    """In dicts of rows the order means nothing, and in dicts as rows neither."""
    found = table("{'a': [1, 2], 'b': [3, 4]}", "{'c': [5, 6], 'b': [4, 4]}")
    assert [("a", "", (0, 1)), ("b", "b", (0,)), ("", "c", (0, 1))] == rows(found)
    named = table("[{'x': 1, 'y': 2}]", "[{'y': 3, 'x': 1, 'z': 0}]")
    assert ("x", "y", "z") == named.columns
    assert [("0", "0", (1, 2))] == rows(named)


def test_columns_have_the_names_of_the_suite() -> None:
    """The names of the suite go before keys; what came beyond them has its own."""
    widget = TABLE.with_changes(columns=("name", "score"))
    assert ("name", "score") == table("[['a', 1]]", "[['a', 2]]", widget).columns
    assert ("name", "score", "2") == table("[['a', 1]]", "[['a', 1, 3]]", widget).columns


def test_more_names_than_columns_make_no_picture() -> None:
    """Where a submission says what is expected too, nobody has counted its columns."""
    widget = TABLE.with_changes(columns=("name", "score"))
    assert widget_picture(widget, value("[[1]]"), value("[[2]]")) is None


@pytest.mark.parametrize(
    ("expected", "got", "tells"),
    [
        ("[(1, 2)]", "[(1, 3)]", True),
        ("[(1, 2)]", "[[1, 3]]", False),
        ("[(1, 2)]", "((1, 3),)", False),
        ("{'a': 1}", "{'a': 2.5}", True),
        ("{'a': 1}", "{'a': [2]}", False),
        ("{'1': 1, 'b': 2}", "{1: 1, 'b': 3}", False),
        ("[{'1': 1, 'b': 2}]", "[{1: 1, 'b': 3}]", False),
        (f"{{'{'x' * 70}': 1}}", f"{{'{'x' * 70}': 2}}", False),
    ],
)
def test_types_and_keys_that_cannot_be_seen_are_told(expected: str, got: str, tells: bool) -> None:
    """Where more differs than cells, or keys look the same, the texts are told as well."""
    assert tells is table(expected, got).is_telling


def test_a_line_does_not_show_types() -> None:
    """Numbers of a type that nobody expected, or in a tuple, are told as text."""
    for got, tells in (("[1, 3]", True), ("[1.0, 2]", False), ("(1, 3)", False)):
        found = widget_picture(LINE, value("[1, 2]"), value(got))
        assert isinstance(found, LinePicture)
        assert tells is found.is_telling


def test_long_cells_are_cut_and_told() -> None:
    """A table whose cut cells differ does not say it all."""
    long = "x" * 40
    found = table(f"[['{long}', 1]]", f"[['{long}y', 1]]")
    assert not found.is_telling
    cells = [cell for pair in found.rows for row in pair.rows for cell in row.cells]
    assert MAX_CELL_CHARS == max(len(cell or "") for cell in cells)
    assert table(f"[['{long}', 1]]", f"[['{long}', 2]]").is_telling


@pytest.mark.parametrize(
    ("widget", "expected", "got"),
    [
        (TABLE, "[[1]]", "5"),
        (TABLE, "[[1]]", "[1]"),
        (TABLE, "[[1]]", "[]"),
        (TABLE, "[[1]]", "[{'a': 1}]"),
        (TABLE, "[[1]]", "[(1,)]"),
        (TABLE, "[[1]]", repr([[1]] * (MAX_ROWS + 1))),
        (TABLE, "[[0.3]]", "[(0.30000000000000004,)]"),
        (LINE, "[1, 2]", "[2, 1]"),
        (LINE, "[1, 2]", "(1, 2)"),
        (LINE, "[1]", "['1']"),
        (LINE, "[1]", "[(1, 2), 3]"),
        (LINE, "[(1, 2)]", "[(2, 1)]"),
        (LINE, "[1]", "None"),
        (PLOT, "[1, 2]", "[1, None]"),
        (PLOT, "[1, 2]", "(1, 2)"),
        (PLOT, "[1, 2]", "{'a': 2}"),
    ],
)
def test_what_cannot_be_seen_has_no_picture(
    widget: TableWidget | LineWidget | PlotWidget, expected: str, got: str
) -> None:
    """An answer of another type or size, or that differs in its type or order, stays text."""
    assert widget_picture(widget, value(expected), value(got)) is None


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 10**400, -1e16, True])
def test_numbers_beyond_a_drawing_have_no_picture(number: float) -> None:
    """A number that no axis has room for, or that is none, makes no drawing."""
    got: Value = Sequence("list", (Atom(number),))
    assert widget_picture(LINE, value("[1]"), got) is None
    assert widget_picture(PLOT, value("[1]"), got) is None


def marks(found: WidgetPicture | None) -> list[list[str]]:
    """Return what differs of what was expected, and of what came."""
    assert isinstance(found, LinePicture)
    return [[mark.text for mark in side if mark.differs] for side in (found.expected, found.got)]


def test_marks_are_paired_off_one_by_one() -> None:
    """A number that came once too often is too many, also where it was expected once."""
    found = widget_picture(LINE, value("[1, 2, 2, 5]"), value("[2, 1, 1, 2.0000000001]"))
    assert [["2", "5"], ["1", "2.0000000001"]] == marks(found)
    near = widget_picture(LINE, value("[0.3, 5]"), value("[0.30000000000000004, 6]"))
    assert [["5"], ["6"]] == marks(near)


def test_a_line_says_nothing_of_order() -> None:
    """Where the numbers that are right come in another order too, the texts are told as well."""
    for got, tells in (("[1, 2, 4]", True), ("[2, 1, 4]", False)):
        found = widget_picture(LINE, value("[1, 2, 3]"), value(got))
        assert isinstance(found, LinePicture)
        assert tells is found.is_telling


def test_a_set_has_no_order() -> None:
    """Whatever order a set comes in, the line tells all of it."""
    expected, got = (Collection("set", tuple(map(Atom, each))) for each in ((3, 1, 2), (4, 2, 1)))
    found = widget_picture(LINE, expected, got)
    assert [["3"], ["4"]] == marks(found)
    assert isinstance(found, LinePicture)
    assert found.is_telling


def test_numbers_near_to_several_are_paired_once() -> None:
    """Where one is near to two that are not near to each other, each is used once."""
    step = 0.7e-9
    far, near = f"[{1 + 2 * step}, {1 + step}]", f"[{1 + step}, 1, {1 + 3 * step}]"
    for expected, got in ((far, near), (near, far)):
        found = widget_picture(LINE, value(expected), value(got))
        assert isinstance(found, LinePicture)
        missing, extra = marks(found)
        assert len(found.expected) - len(missing) == len(found.got) - len(extra)


def test_a_line_is_as_long_as_it_must_be() -> None:
    """It has the ends of the suite, or what lies beyond them."""
    wide = LINE.with_changes(low=0.0, high=9.0)
    found = widget_picture(wide, value("[(1, 2)]"), value("[(1, 12)]"))
    assert isinstance(found, LinePicture)
    assert (0, 12) == (found.low, found.high)
    alone = widget_picture(LINE, value("[3]"), value("[]"))
    assert isinstance(alone, LinePicture)
    assert (2, 4) == (alone.low, alone.high)


def test_points_differ_by_what_is_at_their_x() -> None:
    """A point differs if the other side has another value there, or none."""
    found = widget_picture(PLOT, value("[(0, 1), (1, 2)]"), value("[(1, 3), (0, 1.0000000001)]"))
    assert isinstance(found, PlotPicture)
    assert [False, True] == [point.differs for point in found.expected]
    assert [True, False] == [point.differs for point in found.got]
