"""Boards on a page: a small part of SVG, the same to every reader, and nobody else's markup."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest
from drawn_pages import boards, check_dialect, page_of, text_of
from read_pages import OUR_TAGS, Reader
from record_samples import HOSTILE_TEXTS

from grader.plugins.drawing.boards import draw_board
from grader.plugins.drawing.making import pictures
from grader.plugins.drawing.shapes import Side
from grader.reporting.rendering import MAX_FIELD_CHARS
from grader.reporting.wording import LANGUAGES
from grader.suite.board import (
    MAX_CELLS,
    MAX_SIDE,
    Board,
    BoardLayout,
    Cell,
    Drawing,
    Grid,
    Look,
    Picture,
)
from grader.values.literals import parse_literal
from grader.values.tree import Atom, Sequence

ALL_DRAWINGS: Final = tuple(Cell(drawing.value, Look(drawing, "7")) for drawing in Drawing)


def picture(expected: str, got: str, board: Board) -> Picture:
    """Return the only picture of two literals."""
    (found,) = pictures(parse_literal(expected), parse_literal(got), board, None)
    return found


POSITIONS: Final = picture("{(1, 2), (2, 1)}", "{(1, 2), (2, 2)}", Board(positions=True))
STONES: Final = Board.validate({"cells": {"white": "w", "empty": "-"}})
WRONG_CELL: Final = picture("'w-\\n--'", "'w-\\n-w'", STONES)


# What is drawn


def grid_of(*cells: Cell | None) -> Grid:
    """Return a board of one row."""
    return (cells,)


def test_every_drawing_is_in_the_dialect() -> None:
    """Whatever a suite can ask for, and cells that are not there, stay within the small part."""
    every = Picture(
        layout=BoardLayout(),
        expected=grid_of(*ALL_DRAWINGS, None),
        got=grid_of(None, *reversed(ALL_DRAWINGS)),
        first_row=0,
        first_column=0,
    )
    assert 2 == check_dialect(page_of(every))


@pytest.mark.parametrize("drawing", [each for each in Drawing if each is not Drawing.EMPTY])
def test_drawings_differ_in_more_than_colour(drawing: Drawing) -> None:
    """Without its colours each drawing can be told from the others, but for its label."""

    def outline(one: Drawing) -> tuple[object, ...]:
        cell = Cell("x", Look(one, "7"))
        alone = Picture(
            layout=BoardLayout(),
            expected=None,
            got=grid_of(cell, cell),
            first_row=0,
            first_column=0,
        )
        parts = draw_board(alone, Side.GOT, "").parts
        return tuple((getattr(p, "shape", p.labels), p.fill in {"#23211e", "none"}) for p in parts)

    same = [other for other in Drawing if outline(other) == outline(drawing)]
    assert set(same) <= {drawing, *({Drawing.DIGIT, Drawing.UNKNOWN})}


def test_differences_have_outline_and_sign() -> None:
    """A cell that differs has an outline, and a sign on a ground of its own, on both boards."""
    for side in Side:
        plain = replace(WRONG_CELL, expected=WRONG_CELL.got)
        parts = draw_board(WRONG_CELL, side, "").parts
        more = len(parts) - len(draw_board(plain, side, "").parts)
        assert more >= 3 if side is Side.GOT else more >= 2


def test_both_boards_have_one_scale() -> None:
    """Expected and got are drawn at the same size, in the same box."""
    one, other = boards(page_of(WRONG_CELL))[:2]
    for key in ("viewBox", "width", "height"):
        assert one.attrib[key] == other.attrib[key]


def test_numbers_of_rows_and_columns() -> None:
    """The numbers beside a board are those of the exercise, from the bottom where it says so."""
    plane = Board(positions=True, origin="bottom-left", base=1, order="column-row")
    svg = boards(page_of(picture("{(3, 2)}", "{(3, 1)}", plane)))[0]
    (axis,) = [list(each) for each in svg.iter("g") if each.get("class") == "axis"]
    assert ["2", "1", "1", "2", "3"] == [each.text for each in axis]
    rows = {each.text: float(each.attrib["y"]) for each in axis[:2]}
    assert rows["2"] < rows["1"]


# What is said


def test_cells_that_differ_are_listed() -> None:
    """A sentence says what the picture shows."""
    assert "1 cell differs: (1, 1): expected -, got w." in text_of(page_of(WRONG_CELL))


def test_positions_that_differ_are_listed() -> None:
    """Of positions it says which are missing, and which are too many."""
    text = text_of(page_of(POSITIONS))
    assert "1 position is missing (−): (2, 1)." in text
    assert "1 position too many (+): (2, 2)." in text


def test_first_ten_are_listed() -> None:
    """Of many cells the first ten are listed, and the rest is counted."""
    row = "-" * 6
    many = picture(repr(f"{row}\n{row}"), repr(f"{'w' * 6}\n{'w' * 6}"), STONES)
    text = text_of(page_of(many))
    assert "12 cells differ: (0, 0): expected -, got w;" in text
    assert "(1, 3): expected -, got w and 2 more." in text
    assert "(1, 4)" not in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_boards_speak_the_language_of_the_record(language: str) -> None:
    """All languages have words for boards."""
    titles = {board.attrib["aria-label"] for board in boards(page_of(POSITIONS, language=language))}
    other = {board.attrib["aria-label"] for board in boards(page_of(POSITIONS, language="en"))}
    assert 2 == len(titles)
    assert titles.isdisjoint(other) or language == "en"


# What must not happen


@pytest.mark.parametrize("kind", sorted(HOSTILE_TEXTS))
def test_hostile_cells_add_no_markup(kind: str) -> None:
    """Whatever a program writes in a cell is text, and little of it."""
    board = Board.validate({"cells": {"white": "w"}, "numbers": "digit"})
    stone, row = Atom("w"), parse_literal("['w', 'w']")
    expected = Sequence("list", (row, row))
    hostile = Sequence("list", (row, Sequence("list", (stone, Atom(HOSTILE_TEXTS[kind])))))
    (found,) = pictures(expected, hostile, board, None)
    page = page_of(found)
    reader = Reader(page)
    assert set() == {tag for tag in reader.tags if tag not in OUR_TAGS}
    assert [] == [name for name, _ in reader.attributes if name.startswith("on")]
    assert 2 == check_dialect(page)


def test_largest_pictures_fit_a_page() -> None:
    """The most that a record holds makes no page that cannot be read, and no path is cut."""
    lamp = Cell("L", Look(Drawing.LAMP))
    full = tuple((lamp,) * MAX_SIDE for _ in range(MAX_SIDE))
    largest = Picture(
        layout=BoardLayout(),
        expected=full,
        got=tuple(((None,) * MAX_SIDE,) * MAX_SIDE),
        first_row=0,
        first_column=0,
    )
    page = page_of(*[largest] * (MAX_CELLS // (2 * MAX_SIDE**2)))
    assert len(page.encode()) < 1_500_000
    paths = [each.attrib["d"] for board in boards(page) for each in board.iter("path")]
    assert max(map(len, paths)) < MAX_FIELD_CHARS
    check_dialect(page)


def test_borders_are_drawn_in_long_strokes() -> None:
    """Where all sides of cells are borders, each line of the board is one stroke."""
    pieces = [
        [Cell(str(n), Look(Drawing.PIECE, str(n))) for n in range(row, row + 16)]
        for row in range(0, 256, 16)
    ]
    grid = tuple(map(tuple, pieces))
    alone = Picture(layout=BoardLayout(), expected=None, got=grid, first_row=0, first_column=0)
    shapes = [getattr(part, "shape", "") for part in draw_board(alone, Side.GOT, "").parts]
    borders = next(shape for shape in shapes if shape.startswith("M0 0h320M0 20h320"))
    assert 34 == borders.count("M")
