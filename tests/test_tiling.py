"""Boards that L-triominoes should cover: which ones pass, and what is said about the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product

import pytest
from builders import suite
from hypothesis import given
from hypothesis import strategies as st

from grader.errors import SuiteError
from grader.matching.matches import match
from grader.matching.tiling import HOLE, MAX_TOUCHING, tiling_faults
from grader.observation import Observation, Returned
from grader.suite import Tiles
from grader.values import Array, Atom, Scalar, Sequence, Value
from grader.verdict import Verdict
from grader.wording import say

Rows = list[list[int]]
FOUR = [[3, 3, 2, 2], [3, 1, 1, 2], [4, 1, 5, 5], [4, 4, 5, -1]]
"""What the text of the exercise shows for the hole in the last corner."""
FOUR_HOLE = (4, 4)


def as_list(board: Rows) -> Value:
    """Return `board` as a list of rows."""
    return Sequence("list", tuple(Sequence("list", tuple(map(Atom, row))) for row in board))


def as_array(board: Rows) -> Value:
    """Return `board` as an array of numpy."""
    cells = tuple(Atom(number) for row in board for number in row)
    return Array((len(board), len(board[0])), "int64", cells)


def faults(board: Rows, hole: tuple[int, int]) -> list[str]:
    """Return what is said about `board`, in English."""
    tiles = Tiles(rows=len(board), columns=len(board[0]), hole=hole)
    return [say(each, "en") for each in tiling_faults(tiles, as_list(board))]


def solved(size: int, hole: tuple[int, int]) -> Rows:
    """Return a tiling as the text of the exercise makes it."""
    board = [[0] * size for _ in range(size)]
    board[hole[0] - 1][hole[1] - 1] = HOLE
    _fill(board, (0, 0), size, 1)
    return board


def _fill(board: Rows, corner: tuple[int, int], size: int, number: int) -> None:
    top, left = corner
    half = size // 2
    quadrants = [(top, left + half), (top, left), (top + half, left), (top + half, left + half)]
    middle = (top + half - 1, left + half - 1)
    for row, column in quadrants:
        cells = product(range(row, row + half), range(column, column + half))
        if all(board[r][c] == 0 for r, c in cells):
            board[max(row, middle[0])][max(column, middle[1])] = number
    if size > 2:
        for offset, quadrant in enumerate(quadrants, start=1):
            _fill(board, quadrant, half, number + offset)


def holes(size: int) -> Iterator[tuple[int, int]]:
    """Yield all cells of a board."""
    yield from product(range(1, size + 1), repeat=2)


@pytest.mark.parametrize("size", [2, 4, 8])
def test_what_the_text_makes_passes(size: int) -> None:
    """For each hole the divide and conquer of the text passes, as a list and as an array."""
    for hole in holes(size):
        board = solved(size, hole)
        tiles = Tiles(rows=size, columns=size, hole=hole)
        assert [] == list(tiling_faults(tiles, as_list(board)))
        assert [] == list(tiling_faults(tiles, as_array(board)))


@pytest.mark.parametrize("size", [16, 32, 64, 128])
def test_large_boards_of_the_text_pass(size: int) -> None:
    """The numbers of the text repeat, and no more than `MAX_TOUCHING` equal pieces ever touch."""
    for hole in [(1, 1), (5, 6), (size, size), (size // 2, size // 2 + 1), (size // 3, size)]:
        assert [] == faults(solved(size, hole), hole)


def test_the_board_of_the_text() -> None:
    """The example of the text is what our own divide and conquer makes, and it passes."""
    assert FOUR == solved(4, FOUR_HOLE)
    assert [] == faults(FOUR, FOUR_HOLE)


def test_numbers_of_numpy_count() -> None:
    """A list of rows of numpy's own integers is a board."""
    rows = (Sequence("list", tuple(Scalar("int64", n) for n in row)) for row in FOUR)
    tiles = Tiles(rows=4, columns=4, hole=FOUR_HOLE)
    assert [] == list(tiling_faults(tiles, Sequence("list", tuple(rows))))


@given(st.sampled_from(list(holes(4))), st.integers(0, 15), st.sampled_from([-1, 0, 1, 2, 3, 99]))
def test_a_cell_that_is_changed_is_found(hole: tuple[int, int], place: int, number: int) -> None:
    """A tiling in which one cell holds another number is none."""
    board = solved(4, hole)
    row, column = divmod(place, 4)
    was, board[row][column] = board[row][column], number
    assert bool(faults(board, hole)) == (was != number)


def brute_force(board: Rows, hole: tuple[int, int]) -> bool:
    """Return whether `board` is a tiling, by trying all ways to put pieces down one by one."""
    left = {
        (row, column): number
        for row, numbers in enumerate(board, start=1)
        for column, number in enumerate(numbers, start=1)
        if (row, column) != hole
    }
    is_hole = board[hole[0] - 1][hole[1] - 1] == HOLE
    return is_hole and min(left.values()) > 0 and _covered(left)


def _covered(left: dict[tuple[int, int], int]) -> bool:
    if not left:
        return True
    row, column = first = min(left)
    for c in (column - 1, column):
        square = {(row, c), (row, c + 1), (row + 1, c), (row + 1, c + 1)}
        for missing in square - {first}:
            piece = square - {missing}
            if piece <= left.keys() and len({left[cell] for cell in piece}) == 1:
                rest = {cell: n for cell, n in left.items() if cell not in piece}
                if _covered(rest):
                    return True
    return False


@given(st.sampled_from(list(holes(4))), st.data())
def test_agrees_with_brute_force(hole: tuple[int, int], data: st.DataObject) -> None:
    """Boards of few numbers pass exactly if they can be covered and no number takes up too much."""
    board = solved(4, hole)
    for _ in range(data.draw(st.integers(0, 3))):
        old, new = data.draw(st.tuples(st.integers(1, 5), st.integers(1, 5)))
        board = [[new if number == old else number for number in row] for row in board]
    counts = Counter(number for row in board for number in row)
    is_tiling = brute_force(board, hole)
    assert is_tiling
    if max(counts.values()) <= 3 * MAX_TOUCHING:
        assert [] == faults(board, hole)
    else:
        assert "too many equal numbers" in faults(board, hole)[0]


@given(st.lists(st.lists(st.integers(1, 2), min_size=4, max_size=4), min_size=4, max_size=4))
def test_agrees_with_brute_force_on_any_board(board: Rows) -> None:
    """Random boards of two numbers are judged as by trying everything."""
    board[0][0] = HOLE
    said = faults(board, (1, 1))
    if not any("too many equal" in sentence for sentence in said):
        assert brute_force(board, (1, 1)) == (not said)


@pytest.mark.parametrize(
    ("board", "hole", "said"),
    [
        (
            [[1, 1], [1, 1]],
            (2, 2),
            [
                "The hole is missing: row and column (2, 2), counted from 1, must hold -1.",
                (
                    "4 cells that touch have the number 1, which makes no pieces of three cells."
                    " Row and column, from 1 on: (1, 1), (1, 2), (2, 1), (2, 2)"
                ),
            ],
        ),
        (
            [[1, 1], [1, -1]],
            (1, 1),
            ["The hole (-1) is at row and column (2, 2); it should be at (1, 1), counted from 1."],
        ),
        (
            [[1, -1], [1, -1]],
            (1, 2),
            [
                (
                    "There are 2 holes (-1), at rows and columns (1, 2), (2, 2); there should be"
                    " one, at (1, 2), counted from 1."
                ),
                (
                    "2 cells that touch have the number 1, which makes no pieces of three cells."
                    " Row and column, from 1 on: (1, 1), (2, 1)"
                ),
            ],
        ),
        (
            [[0, 0], [0, -1]],
            (2, 2),
            ["No piece covers these cells (row and column, from 1 on): (1, 1), (1, 2), (2, 1)"],
        ),
        (
            [[1, 2], [1, -1]],
            (2, 2),
            [
                (
                    "2 cells that touch have the number 1, which makes no pieces of three cells."
                    " Row and column, from 1 on: (1, 1), (2, 1)"
                ),
                (
                    "A single cell has the number 2, and a piece has three cells."
                    " Row and column, from 1 on: (1, 2)"
                ),
            ],
        ),
        (
            [[3, 3, 3, 2], [1, 1, 2, 2], [4, 1, 5, 5], [4, 4, 5, -1]],
            (4, 4),
            [
                (
                    "The three cells with the number 3 lie in a line; a piece has the form of an L."
                    " Row and column, from 1 on: (1, 1), (1, 2), (1, 3)"
                )
            ],
        ),
        (
            [[7, 7, 7, 2], [7, 1, 2, 2], [7, 1, 1, 5], [7, -1, 5, 5]],
            (4, 2),
            [
                (
                    "6 cells that touch have the number 7, and cannot be divided into pieces in the"
                    " form of an L. Row and column, from 1 on:"
                    " (1, 1), (1, 2), (1, 3), (2, 1), (3, 1), (4, 1)"
                )
            ],
        ),
        (
            [[1] * 4, [1] * 4, [1] * 4, [1, 1, 1, -1]],
            (4, 4),
            [
                (
                    "15 cells that touch have the number 1: too many equal numbers to tell"
                    " the pieces apart. At most 4 pieces with the same number may touch. Row and"
                    " column, from 1 on: (1, 1), (1, 2), (1, 3), (1, 4), (2, 1), (2, 2), … (+9)"
                )
            ],
        ),
    ],
)
def test_what_is_wrong(board: Rows, hole: tuple[int, int], said: list[str]) -> None:
    """Each fault names the cells that it is about."""
    assert said == faults(board, hole)


@pytest.mark.parametrize(
    ("got", "said"),
    [
        (Atom(None), "Your code gives nothing back (None) where a board is expected."),
        (Atom("board"), "A board is expected, a numpy array or a list of rows, but your code"),
        (Sequence("tuple", ()), "A board is expected, a numpy array or a list of rows"),
        (Sequence("list", ()), "The board should have 4 rows and 4 columns, but the shape"),
        (as_list([[1, 2], [3, 4]]), "The board should have 4 rows and 4 columns, but the shape"),
        (as_list([[1, 2], [3]]), "Your code gives a list whose rows do not all have the same"),
        (Array((2, 8), "int64", (Atom(1),) * 16), "of yours is 2 x 8."),
        (Array((10**9, 0), "int64", ()), "of yours is 1000000000 x 0."),
        (Array((4, 4), "float64", (Atom(1.0),) * 16), "The first of them holds 1.0."),
        (Array((4, 4), "bool", (Atom(True),) * 16), "The first of them holds True."),  # noqa: FBT003
        (Array((4, 4), "object", (Sequence("list", ()),) * 16), "The first of them holds []."),
    ],
)
def test_what_is_no_board(got: Value, said: str) -> None:
    """Another shape or another kind of cell is told as such."""
    observation = Observation(outcome=Returned(value=got, identity=None))
    outcome = match(Tiles(rows=4, columns=4, hole=FOUR_HOLE), observation, {})
    assert Verdict.WRONG is outcome.verdict
    (sentence,) = [say(each, "en") for each in outcome.explanation]
    assert said in sentence


def test_a_board_of_equal_numbers_costs_no_time() -> None:
    """However large the board, no search goes beyond a few pieces."""
    board = [[7] * 128 for _ in range(128)]
    board[0][0] = HOLE
    (said,) = faults(board, (1, 1))
    assert said.startswith("16383 cells that touch have the number 7: too many equal numbers")


STEP = """
groups: [{id: g, points: 1}]
sessions: [{id: s, steps: [{do: "f()", group: g, %s}]}]
"""


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("tiling: {rows: 4, hole: [5, 1]}", "the hole (5, 1) lies outside a board of 4 rows and 4"),
        ("tiling: {rows: 3, hole: [1, 1]}", "without the hole, 3 rows and 3 columns are no mult"),
        ("tiling: {rows: 4, hole: [1]}", "hole"),
        ("tiling: {rows: 4}", "hole"),
        ("tiling: {rows: 4, hole: [1, 1]}, returns: '5'", "a step expects one thing"),
        ("as_lists: true", "'as_lists' means nothing without 'returns'"),
    ],
)
def test_suites_that_ask_for_what_cannot_be(keys: str, message: str) -> None:
    """A board that nobody can cover is a mistake in the suite, and told as such."""
    with pytest.raises(SuiteError) as caught:
        suite(STEP % keys)
    assert message in str(caught.value)


def test_a_suite_with_a_tiling() -> None:
    """A board has as many columns as rows, unless the suite says something else."""
    (session,) = suite(STEP % "tiling: {rows: 2, columns: 5, hole: [1, 5]}").sessions
    assert Tiles(rows=2, columns=5, hole=(1, 5)) == session.steps[0].expectation
    (session,) = suite(STEP % "tiling: {rows: 4, hole: [1, 4]}").sessions
    assert Tiles(rows=4, columns=4, hole=(1, 4)) == session.steps[0].expectation
