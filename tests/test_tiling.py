"""The checker of Triominó: which boards it accepts, and what it says about the others."""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

CHECKER = Path(__file__).parents[1] / "reference" / "triomino" / "teselado.py"
_SPEC = importlib.util.spec_from_file_location("teselado", CHECKER)
assert _SPEC is not None
assert _SPEC.loader is not None
teselado = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(teselado)

HOLE = teselado.HUECO
MOST = teselado.TRIOMINOS_JUNTOS
Rows = list[list[int]]
FOUR = [[3, 3, 2, 2], [3, 1, 1, 2], [4, 1, 5, 5], [4, 4, 5, -1]]
"""What the text of the exercise shows for the hole in the last corner."""
FOUR_HOLE = (4, 4)


def faults(board: Rows, hole: tuple[int, int]) -> list[str]:
    """Return what is said about `board`."""
    said = teselado.cubre(board, filas=len(board), columnas=len(board[0]), hueco=hole)
    return [] if said is True else said.split("\n")


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
        assert teselado.cubre(board, size, hole) is True
        assert teselado.cubre(np.array(board), size, hole) is True


@pytest.mark.parametrize("size", [16, 32, 64, 128])
def test_large_boards_of_the_text_pass(size: int) -> None:
    """The numbers of the text repeat, and no more equal pieces ever touch than may."""
    for hole in [(1, 1), (5, 6), (size, size), (size // 2, size // 2 + 1), (size // 3, size)]:
        assert [] == faults(solved(size, hole), hole)


def test_the_board_of_the_text() -> None:
    """The example of the text is what our own divide and conquer makes, and it passes."""
    assert FOUR == solved(4, FOUR_HOLE)
    assert [] == faults(FOUR, FOUR_HOLE)


def test_numbers_of_numpy_count() -> None:
    """A list of rows of numpy's own integers is a board."""
    assert teselado.cubre([[np.int64(n) for n in row] for row in FOUR], 4, FOUR_HOLE) is True


def test_columns_need_not_be_as_many_as_rows() -> None:
    """A board has as many columns as rows, unless the step says something else."""
    board = [[1, 1, 2, 3, -1], [1, 2, 2, 3, 3]]
    assert teselado.cubre(board, filas=2, columnas=5, hueco=(1, 5)) is True
    assert "2 filas y 2 columnas" in teselado.cubre(board, filas=2, hueco=(1, 5))


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
    if max(counts.values()) <= 3 * MOST:
        assert [] == faults(board, hole)
    else:
        assert "demasiados números iguales" in faults(board, hole)[0]


@given(st.lists(st.lists(st.integers(1, 2), min_size=4, max_size=4), min_size=4, max_size=4))
def test_agrees_with_brute_force_on_any_board(board: Rows) -> None:
    """Random boards of two numbers are judged as by trying everything."""
    board[0][0] = HOLE
    said = faults(board, (1, 1))
    if not any("demasiados números iguales" in sentence for sentence in said):
        assert brute_force(board, (1, 1)) == (not said)


@pytest.mark.parametrize(
    ("board", "hole", "said"),
    [
        (
            [[1, 1], [1, 1]],
            (2, 2),
            [
                "Falta el hueco: en la fila y la columna (2, 2), contando desde 1, debe haber -1.",
                (
                    "4 casillas que se tocan tienen el número 1, y con ellas no se forman piezas de"
                    " tres casillas. Fila y columna, desde 1: (1, 1), (1, 2), (2, 1), (2, 2)"
                ),
            ],
        ),
        (
            [[1, 1], [1, -1]],
            (1, 1),
            [
                (
                    "El hueco (-1) está en la fila y la columna (2, 2); debería estar en (1, 1),"
                    " contando desde 1."
                )
            ],
        ),
        (
            [[1, -1], [1, -1]],
            (1, 2),
            [
                (
                    "Hay 2 huecos (-1), en las filas y columnas (1, 2), (2, 2); debería haber uno,"
                    " en (1, 2), contando desde 1."
                ),
                (
                    "2 casillas que se tocan tienen el número 1, y con ellas no se forman piezas de"
                    " tres casillas. Fila y columna, desde 1: (1, 1), (2, 1)"
                ),
            ],
        ),
        (
            [[0, 0], [0, -1]],
            (2, 2),
            [
                (
                    "Ninguna pieza cubre estas casillas (fila y columna, desde 1):"
                    " (1, 1), (1, 2), (2, 1)"
                )
            ],
        ),
        (
            [[1, 2], [1, -1]],
            (2, 2),
            [
                (
                    "2 casillas que se tocan tienen el número 1, y con ellas no se forman piezas de"
                    " tres casillas. Fila y columna, desde 1: (1, 1), (2, 1)"
                ),
                (
                    "Una sola casilla tiene el número 2, y una pieza tiene tres casillas."
                    " Fila y columna, desde 1: (1, 2)"
                ),
            ],
        ),
        (
            [[3, 3, 3, 2], [1, 1, 2, 2], [4, 1, 5, 5], [4, 4, 5, -1]],
            (4, 4),
            [
                (
                    "Las tres casillas con el número 3 están en línea; una pieza tiene forma de L."
                    " Fila y columna, desde 1: (1, 1), (1, 2), (1, 3)"
                )
            ],
        ),
        (
            [[7, 7, 7, 2], [7, 1, 2, 2], [7, 1, 1, 5], [7, -1, 5, 5]],
            (4, 2),
            [
                (
                    "6 casillas que se tocan tienen el número 7, y no se pueden dividir en piezas"
                    " en forma de L. Fila y columna, desde 1:"
                    " (1, 1), (1, 2), (1, 3), (2, 1), (3, 1), (4, 1)"
                )
            ],
        ),
        (
            [[1] * 4, [1] * 4, [1] * 4, [1, 1, 1, -1]],
            (4, 4),
            [
                (
                    "15 casillas que se tocan tienen el número 1: demasiados números iguales para"
                    " distinguir las piezas. Como mucho pueden tocarse 4 piezas con el mismo"
                    " número. Fila y columna, desde 1:"
                    " (1, 1), (1, 2), (1, 3), (1, 4), (2, 1), (2, 2), … (+9)"
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
        (None, "Tu código no devuelve nada (None) donde se espera un tablero."),
        ("board", "Se espera un tablero, un array de numpy o una lista de filas, pero tu código"),
        ((), "Se espera un tablero, un array de numpy o una lista de filas"),
        (np.int64(5), "da un valor de tipo np.int64."),
        ([], "El tablero debería tener 4 filas y 4 columnas, pero la forma del tuyo es 0."),
        ([[1, 2], [3, 4]], "El tablero debería tener 4 filas y 4 columnas"),
        ([[1, 2], [3]], "una lista cuyas filas no tienen todas la misma longitud."),
        ([1, [2]], "una lista cuyas filas no tienen todas la misma longitud."),
        (np.ones((2, 8), dtype=int), "del tuyo es 2 x 8."),
        (np.ones((10**9, 0), dtype=int), "del tuyo es 1000000000 x 0."),
        (np.ones((4, 4)) / 2, "La primera contiene 0.5."),
        (np.ones((4, 4), dtype=bool), "La primera contiene True."),
        ([[()] * 4] * 4, "La primera contiene ()."),
        ([["x" * 99] * 4] * 4, f"La primera contiene '{'x' * 39}…."),
        ([np.ones(4, dtype=int)] * 4, "pero la forma del tuyo es 4."),
    ],
)
def test_what_is_no_board(got: object, said: str) -> None:
    """Another shape or another kind of cell is told as such."""
    sentence = teselado.cubre(got, 4, FOUR_HOLE)
    assert said in sentence
    assert "\n" not in sentence


def test_whole_numbers_of_another_type_are_told_apart_once() -> None:
    """A cover of floats is a cover; that they are no integers is for another question."""
    floats = np.array(FOUR, dtype=float)
    assert teselado.cubre(floats, 4, FOUR_HOLE) is True
    assert teselado.deja_hueco(floats, 4, FOUR_HOLE) is True
    assert teselado.son_enteros(np.array(FOUR), 4) is True
    assert "La primera contiene 3.0." in teselado.son_enteros(floats, 4)
    assert "la forma del tuyo es 2 x 2." in teselado.son_enteros(np.ones((2, 2), dtype=int), 4)


def test_a_board_of_equal_numbers_costs_no_time() -> None:
    """However large the board, no search goes beyond a few pieces."""
    board = [[7] * 128 for _ in range(128)]
    board[0][0] = HOLE
    (said,) = faults(board, (1, 1))
    assert said.startswith("16383 casillas que se tocan tienen el número 7: demasiados números")


def test_several_answers_at_once() -> None:
    """The first that is wrong is named."""
    asked = [(4, FOUR_HOLE), (2, (1, 1))]
    two = [[-1, 1], [1, 1]]
    assert teselado.cubren([FOUR, two], asked) is True
    assert teselado.cubren([np.array(FOUR), np.array(two)], asked) is True
    assert "2 filas con el hueco en (1, 1)" in teselado.cubren([FOUR, FOUR], asked)
    assert "lista de 2 tableros" in teselado.cubren([FOUR], asked)


@pytest.mark.parametrize("wrong", [None, 5, [], [[0, 0]], [[0, 0], [0]], np.zeros((3, 3), int)])
def test_size_of_a_board(wrong: object) -> None:
    """Whatever stands in it: the number of rows and columns is right or not."""
    assert teselado.mide([[0, 0], [7, 0]], 2) is True
    assert teselado.mide(np.zeros((2, 2)), 2) is True
    assert teselado.mide(wrong, 2) is not True
    assert teselado.deja_hueco(wrong, 2, (1, 1)) == teselado.mide(wrong, 2)


def test_hole_of_a_board() -> None:
    """It is where it should be, and nowhere else; the other cells do not count."""
    assert teselado.deja_hueco([[-1, 0], [7, "x"]], 2, (1, 1)) is True
    assert teselado.deja_hueco(np.array([[3, -1], [0, 0]]), 2, (1, 2)) is True
    for wrong in ([[0, 0], [0, 0]], [[-1, -1], [0, 0]], [[0, 0], [0, -1]], [[-1.5, 0], [0, 0]]):
        assert "hueco" in teselado.deja_hueco(wrong, 2, (1, 1))


def test_positions_in_any_order() -> None:
    """They are pairs of whole numbers in a list, numpy's own too."""
    asked = [(1, 2), (2, 1)]
    for right in (asked, asked[::-1], [(np.int64(2), 1), (1, np.int64(2))]):
        assert teselado.mismas_posiciones(right, asked) is True
    for wrong in ({*asked}, None, [[1, 2], [2, 1]], [(1, 2)], [*asked, (1, 2)], [(1.0, 2), (2, 1)]):
        assert teselado.mismas_posiciones(wrong, asked) is not True
    assert teselado.mismas_posiciones([(1, "2"), (np.zeros(2), 1)], asked) is not True


def test_positions_of_several_answers() -> None:
    """Each answer has its own, in any order; the first that is wrong is counted."""
    asked = [[(1, 2), (2, 1)], [(1, 1)]]
    assert teselado.mismas_listas([[(2, 1), (1, 2)], [(1, 1)]], asked) is True
    same = [(1, 1)]
    assert "La respuesta 1 de 2" in teselado.mismas_listas([same, same], asked)
    for wrong in (None, asked[:1], (*asked,)):
        assert "lista de 2 listas" in teselado.mismas_listas(wrong, asked)
