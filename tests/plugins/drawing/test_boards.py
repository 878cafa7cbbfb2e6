"""Text and values are read as boards, as a suite says, and become pictures of equal size."""

from __future__ import annotations

import pytest
from drawings import chosen, differing, marks, value

from grader.judging.results import MAX_KEPT_CHARS, MAX_KEPT_NODES, values_to_keep
from grader.plugins.drawing.making import pictures
from grader.suite.board import MAX_SIDE, Board, Drawing, Look, Picture
from grader.values.tree import Atom, Mapping, Sequence, Value

STONES = Board.validate(
    {
        "cells": {"white_given": "W", "white": "w", "black": "b", "empty": "-"},
        "positions": True,
    }
)
PLANE = {"origin": "bottom-left", "base": 1, "order": "column-row"}
BLOCKS = Board.validate({"positions": True, **PLANE})
PIECES = Board.validate({"cells": {"hatched": "-1"}, "numbers": "piece"})


def text(*lines: str) -> Value:
    """Return a text of these lines."""
    return Atom("\n".join(lines))


def drawn(expected: Value | None, got: Value, board: Board = STONES) -> Picture | None:
    """Return the only picture of two values, if there is one."""
    found = list(pictures(expected, got, board, None))
    assert len(found) <= 1
    return found[0] if found else None


# Text and rows


def test_one_wrong_cell() -> None:
    """A cell that differs is named by its row and its column."""
    picture = drawn(text("w--", "-b-"), text("w--", "-w-"))
    assert ["(1, 1)"] == differing(picture)


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        (text("w - -", "- b -"), text("w - -", "- w -")),
        (text("w--", "-b-", ""), text("w--", "-w-")),
        (value("['w--', '-b-']"), value("['w--', '-w-']")),
        (value("[['w', '-', '-'], ['-', 'b', '-']]"), value("[['w', '-', '-'], ['-', 'w', '-']]")),
        (value("(('w', '-', '-'), ('-', 'b', '-'))"), value("[['w', '-', '-'], ['-', 'w', '-']]")),
    ],
)
def test_many_ways_to_write_a_board(expected: Value, got: Value) -> None:
    """Lines, words, texts in a list and lists in a list are all boards."""
    assert ["(1, 1)"] == differing(drawn(expected, got))


def test_arrays() -> None:
    """An array is a board, and whole numbers are marks where the suite says so."""
    expected, got = value("array([[1, 1], [-1, 1]])"), value("array([[1, 1], [1, -1]])")
    picture = drawn(expected, got, PIECES)
    assert picture is not None
    assert ["(1, 0)", "(1, 1)"] == differing(picture)
    assert ["11", "1-1"] == marks(picture)


def test_numbers_of_an_exercise() -> None:
    """Rows can be numbered from 1 on and from the bottom, and the column can come first."""
    board = STONES.with_changes(**PLANE)
    assert ["(3, 2)"] == differing(drawn(text("--w", "---"), text("---", "---"), board))


def test_list_of_columns() -> None:
    """Where the column comes first, a list of lists is a list of columns, lowest number first.

    Its places are told as Python has them, whatever numbers the exercise gives them.
    """
    board = STONES.with_changes(**PLANE)
    got = value("[['b', '-'], ['-', '-'], ['-', '-']]")
    picture = drawn(value("[['w', '-'], ['-', '-'], ['-', '-']]"), got, board)
    assert picture is not None
    assert ["---", "b--"] == marks(picture)
    assert ["(0, 0)"] == differing(picture)


def test_rows_that_are_too_short() -> None:
    """Where what came has no cell, there is none, and the cell differs."""
    picture = drawn(text("w--", "-b-"), text("w--", "-"))
    assert picture is not None
    assert ["w--", "-  "] == marks(picture)
    assert ["(1, 1)", "(1, 2)"] == differing(picture)


def test_rows_too_many() -> None:
    """A row too many is drawn, beside nothing."""
    picture = drawn(text("w-", "-b"), text("w-", "-b", "--"))
    assert picture is not None
    assert ["(2, 0)", "(2, 1)"] == differing(picture)
    assert picture.expected is not None
    assert (None, None) == picture.expected[2]


def test_unknown_marks() -> None:
    """A mark that the board does not have is shown as what it is."""
    picture = drawn(text("w--", "-b-"), text("w--", "-Z-"))
    assert picture is not None
    cell = picture.got[1][1]
    assert cell is not None
    assert Look(Drawing.UNKNOWN, "Z") == cell.look


def test_marks_of_hostile_length() -> None:
    """Of a word in a cell only a little is kept, and nothing of what cannot be seen."""
    hostile = "<\u202e" + "x" * 500
    picture = drawn(value("[['w', '-'], ['-', '-']]"), value(f"[['w', '-'], ['-', {hostile!r}]]"))
    assert picture is not None
    cell = picture.got[1][1]
    assert cell is not None
    assert len(cell.mark) < 30
    assert "\u202e" not in cell.mark + cell.look.label
    assert cell.look.label.startswith("<")


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        (text("w--", "-b-"), text("w--", "-b-")),  # nothing differs
        (text("w--", "-b-"), text("w - -", "- b -")),  # but for blanks
        (text("w--", "-b-"), text("no board", "at all")),
        (text("w--", "-b-"), Atom(None)),
        (text("w--", "-b-"), text("")),
        (text("w--"), text("---")),  # a word
        (text("w--", "-b"), text("w--", "-b-")),  # ragged by itself
        (text("w--", "-x-"), text("w--", "-b-")),
        (Atom(value=True), Atom(value=False)),
        (value("{1: 'w', 2: 'b'}"), value("{1: 'b', 2: 'w'}")),
        (value("{(1, 2, 3)}"), value("{(1, 2)}")),
        (value("{(1, 2)}"), value("{(1, True)}")),
        (value("set()"), value("set()")),
        (value("{(0, 0)}"), value("{(0, 1000000)}")),
        (text(*["-" * (MAX_SIDE + 1)] * 2), text(*["w" * (MAX_SIDE + 1)] * 2)),
        (text("--", "--"), text(*["--"] * (MAX_SIDE + 1))),
        (value("[[[1], [2]], [[3], [4]]]"), value("[[[1], [2]], [[3], [5]]]")),
    ],
)
def test_no_picture(expected: Value, got: Value) -> None:
    """What is no board, or too large, or shows no difference, is left to the text."""
    assert drawn(expected, got) is None


def test_numbers_that_are_no_marks() -> None:
    """Numbers are drawn only where the suite says how; those without end are not."""
    grid = value("[[1, 2], [3, 4]]")
    assert drawn(grid, value("[[1, 2], [3, 5]]")) is None
    assert drawn(grid, value("[[1, 2], [3, 5]]"), PIECES) is not None
    assert drawn(grid, value(f"[[1, 2], [3, {10**300}]]"), PIECES) is None


def test_largest_board() -> None:
    """A board of the greatest size is drawn."""
    row = "-" * MAX_SIDE
    picture = drawn(text(*[row] * MAX_SIDE), text(*[row] * (MAX_SIDE - 1), "w" + row[1:]))
    assert [f"({MAX_SIDE - 1}, 0)"] == differing(picture)


def test_many_right_answers() -> None:
    """Without one expected value, what came is drawn alone."""
    picture = drawn(None, value("[[1, 1], [-1, 1]]"), PIECES)
    assert picture is not None
    assert picture.expected is None
    assert [] == differing(picture)
    assert drawn(None, value("[1, 2]"), PIECES) is None


# Positions


def test_positions_just_big_enough() -> None:
    """Without a board known, positions are drawn from the first one on, as far as they reach."""
    picture = drawn(value("{(1, 1), (3, 2)}"), value("{(1, 1), (2, 1)}"), BLOCKS)
    assert picture is not None
    assert picture.of_positions
    assert not picture.sized
    assert ["...", "xx."] == chosen(picture)
    assert ["(3, 2)", "(2, 1)"] == differing(picture)


def test_positions_below_the_first() -> None:
    """Positions before the first row or column are drawn where they are."""
    picture = drawn(value("[(-1, 0)]"), value("[(0, 0)]"), BLOCKS)
    assert picture is not None
    assert (0, -1) == (picture.first_row, picture.first_column)
    assert ["(-1, 0)", "(0, 0)"] == differing(picture)


def test_order_of_positions() -> None:
    """Lists of positions in another order show the same cells: the text says what differs."""
    assert drawn(value("[(1, 1), (2, 1)]"), value("[(2, 1), (1, 1)]"), BLOCKS) is None


def test_no_positions_expected() -> None:
    """A set that should have been empty is drawn all the same."""
    picture = drawn(value("set()"), value("{(0, 1)}"))
    assert ["(0, 1)"] == differing(picture)


def test_dict_of_marks() -> None:
    """A dict from positions to marks is a board."""
    picture = drawn(value("{(0, 0): 'w', (1, 1): 'b'}"), value("{(0, 0): 'w', (1, 1): 'w'}"))
    assert picture is not None
    assert ["w", "w"] == marks(picture)
    assert ["(1, 1)"] == differing(picture)


def test_parts_of_a_value() -> None:
    """Of a tuple each element that differs is drawn, with its index."""
    found = list(pictures(value("(3, [(1, 1)])"), value("(3, [(2, 1)])"), BLOCKS, None))
    assert [1] == [picture.part for picture in found]
    assert ["(1, 1)", "(2, 1)"] == differing(found[0])


@pytest.mark.parametrize(
    ("large", "is_kept"),
    [
        (value("[[1, 2], [3, 4]]"), True),
        (text("x" * MAX_KEPT_CHARS), True),
        (text("x" * (MAX_KEPT_CHARS + 1)), False),
        (Sequence("list", (Atom(1),) * (MAX_KEPT_NODES - 1)), True),
        (Sequence("list", (Atom(1),) * MAX_KEPT_NODES), False),
        (Mapping(((Atom(1), Atom(2)),) * MAX_KEPT_NODES), False),
    ],
)
def test_only_small_values_are_kept(large: Value, is_kept: bool) -> None:
    """Of a large value nothing is kept for a picture, whichever side it is on."""
    small = value("{(1, 1)}")
    assert is_kept == (values_to_keep(small, large) is not None)
    assert is_kept == (values_to_keep(large, small) is not None)
    assert is_kept == (values_to_keep(None, large) is not None)


def test_values_that_share_their_parts() -> None:
    """A value that unfolds into billions of nodes is looked at no further than its size allows."""
    nest: Value = Atom(1)
    for _ in range(40):
        nest = Sequence("list", (nest, nest))
    assert values_to_keep(None, nest) is None
