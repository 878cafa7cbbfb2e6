"""Draws a board.

The board is light in every theme, as on paper. Only the numbers beside it have the page's text
colour. A cell that differs has an outline, and a sign in its corner.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from operator import attrgetter
from typing import Final, TypeAlias

from grader.plugins.drawing import shapes
from grader.plugins.drawing.shapes import DrawnPart, Label, Side, Sketch
from grader.suite.board import Cell, Drawing, Grid, Picture

_UNIT: Final = 20
"""The side length of a cell."""
_LIT_FILL: Final = "#ffe48a"
_CHOSEN_FILL: Final = "#9cc0e8"
_PIECE_FILLS: Final = ("#f6d7c3", "#cfe3f7", "#d8ecc9", "#f3d9ee", "#f9edb4", "#d5d3ee")
_MAX_ALL_NUMBERED: Final = 20
"""With more rows or columns than this, only every fifth one is numbered."""
_MAX_SEPARATE: Final = 30
"""With more differing cells than this, adjacent ones share an outline and a sign."""

Position: TypeAlias = tuple[int, int]
_STONES: Final = {
    Drawing.WHITE: (5.5, shapes.WHITE, shapes.INK, 1.0),
    Drawing.WHITE_GIVEN: (6.5, shapes.WHITE, shapes.INK, 3.0),
    Drawing.BLACK: (5.5, shapes.INK, shapes.INK, 1.0),
    Drawing.BLACK_GIVEN: (7, shapes.INK, shapes.INK, 1.0),
}
"""The radius, fill, stroke and stroke width of each kind of stone."""
_DARK: Final = frozenset({Drawing.WALL, Drawing.NUMBER})
_LABELLED: Final = frozenset({Drawing.DIGIT, Drawing.PIECE, Drawing.UNKNOWN})
_HATCHED: Final = frozenset({Drawing.HATCHED, None})
"""The kinds of cells that are hatched. None stands for a missing cell."""


def draw_board(picture: Picture, side: Side, title: str) -> Sketch:
    """Return a sketch of the board on one `side` of `picture`, with this `title`."""
    grid = picture.got if side is Side.GOT else picture.expected
    assert grid is not None, "only existing boards are drawn"
    size = _axis_size(picture)
    rows = (picture.row_number(row) for row in range(picture.height))
    left = 6 + round(size * shapes.CHAR_WIDTH * max(len(str(number)) for number in rows))
    top = 2 if picture.layout.from_bottom else size + 6
    width, height = _UNIT * picture.width, _UNIT * picture.height
    full_width, full_height = width + left + 2, height + size + 8
    longest_side = max(picture.width, picture.height)
    scale = 1.5 if longest_side <= 10 else 1.2 if longest_side <= 16 else 0.8
    return Sketch(
        title=title,
        box=f"{-left} {-top} {full_width} {full_height}",
        width=round(full_width * scale),
        height=round(full_height * scale),
        parts=(*_axis_numbers(picture, size), *_board(grid), *_differences(picture, side)),
    )


def _axis_size(picture: Picture) -> int:
    """Return the font size of the numbers beside a board: larger if only every fifth is shown."""
    return 10 if max(picture.height, picture.width) <= _MAX_ALL_NUMBERED else 18


def _axis_numbers(picture: Picture, size: int) -> Iterator[DrawnPart]:
    labels = tuple(_axis_labels(picture, size))
    yield DrawnPart(labels=labels, size=size, fill=shapes.SOFT_INK, kind="axis")


def _axis_labels(picture: Picture, size: int) -> Iterator[Label]:
    """Yield the numbers of the rows, left of the board, and those of the columns."""
    step = 1 if size == 10 else 5
    for row in range(picture.height):
        if picture.row_number(row) % step == 0:
            text = str(picture.row_number(row))
            x, y = round(-4 - size * shapes.CHAR_WIDTH * len(text)), _UNIT * row + 10 + 0.35 * size
            yield Label(text, x, shapes.rounded(y), size)
    y = _UNIT * picture.height + size + 2 if picture.layout.from_bottom else -4
    for column in range(picture.width):
        number = picture.first_column + column
        if number % step == 0:
            yield shapes.centred_label(str(number), _UNIT * column + 10, y, (size, size))


def _board(grid: Grid) -> Iterator[DrawnPart]:
    """Yield the parts of a board, from the background up, without the marks of differences."""
    width, height = _UNIT * len(grid[0]), _UNIT * len(grid)
    cells = _positions_by_drawing(grid)
    yield shapes.paper(width, height)
    # SVG paints in document order, so later parts cover earlier ones.
    yield from shapes.paths(_squares(_positions_of(cells, *_DARK)), fill=shapes.INK)
    yield from shapes.paths(_squares(_positions_of(cells, Drawing.LIT)), fill=_LIT_FILL)
    pieces = _positions_of(cells, Drawing.PIECE)
    for tone, fill in enumerate(_PIECE_FILLS):
        same_colour = [(row, column) for row, column in pieces if _tone(grid[row][column]) == tone]
        yield from shapes.paths(_squares(same_colour), fill=fill)
    yield from shapes.paths(_squares(_positions_of(cells, Drawing.BLOCK), 2), fill=shapes.GREY)
    yield from shapes.paths(_squares(_chosen_positions(grid), 2), fill=_CHOSEN_FILL)
    yield from shapes.paths(_hatches(_positions_of(cells, *_HATCHED)), stroke=shapes.GREY)
    lines = [f"M{x} 0v{height}" for x in range(0, width + 1, _UNIT)]
    lines += [f"M0 {y}h{width}" for y in range(0, height + 1, _UNIT)]
    yield from shapes.paths(lines, stroke=shapes.GREY)
    if pieces:
        yield from shapes.paths(_piece_borders(grid), stroke=shapes.INK, width=2.5)
    yield from _stones(cells)
    yield from _labels(cells, grid)


_Cells: TypeAlias = Mapping[Drawing | None, Sequence[Position]]
"""The positions of cells, keyed by the way they are drawn."""


def _positions_by_drawing(grid: Grid) -> _Cells:
    cells: dict[Drawing | None, list[Position]] = {}
    for i, row in enumerate(grid):
        for j, cell in enumerate(row):
            cells.setdefault(_drawing_of(cell), []).append((i, j))
    return cells


def _positions_of(cells: _Cells, *kinds: Drawing | None) -> list[Position]:
    """Return the positions of cells of these `kinds`, row by row."""
    return sorted(chain.from_iterable(cells.get(kind, ()) for kind in kinds))


def _chosen_positions(grid: Grid) -> Iterator[Position]:
    for i, row in enumerate(grid):
        yield from ((i, j) for j, cell in enumerate(row) if cell and cell.chosen)


def _drawing_of(cell: Cell | None) -> Drawing | None:
    return cell.look.drawing if cell else None


def _tone(cell: Cell | None) -> int:
    """Return the index of a piece's colour in `_PIECE_FILLS`. It depends only on the mark."""
    if cell is None:
        return 0
    mark = cell.mark
    # Not `hash`, because the hash of text differs between runs.
    number = int(mark) if mark.isascii() and mark.isdigit() else sum(map(ord, mark))
    return number % len(_PIECE_FILLS)


def _stones(cells: _Cells) -> Iterator[DrawnPart]:
    """Yield the stones, the lamps, and the dots of lit cells."""
    for kind, (radius, fill, outline, thickness) in _STONES.items():
        circles = _circles(_positions_of(cells, kind), radius)
        yield from shapes.paths(circles, fill=fill, stroke=outline, width=thickness)
    given_stones = _positions_of(cells, Drawing.BLACK_GIVEN)
    yield from shapes.paths(_circles(given_stones, 4.8), stroke=shapes.WHITE, width=1.5)
    yield from shapes.paths(_circles(_positions_of(cells, Drawing.LIT), 1.5), fill=shapes.INK)
    lamps = _positions_of(cells, Drawing.LAMP)
    yield from shapes.paths(_circles(lamps, 5), fill=_LIT_FILL, stroke=shapes.INK, width=1.5)
    rays = (
        f"M{x + 10} {y + 1.5}v2M{x + 10} {y + 16.5}v2M{x + 1.5} {y + 10}h2M{x + 16.5} {y + 10}h2"
        f"M{x + 4} {y + 4}l1.5 1.5M{x + 16} {y + 4}l-1.5 1.5"
        f"M{x + 4} {y + 16}l1.5 -1.5M{x + 16} {y + 16}l-1.5 -1.5"
        for x, y in _corners(lamps)
    )
    yield from shapes.paths(rays, stroke=shapes.INK, width=1.5)


def _labels(cells: _Cells, grid: Grid) -> Iterator[DrawnPart]:
    """Yield the labels in cells, grouped by colour and font size."""
    for kinds, colour in ((_LABELLED, shapes.INK), ((Drawing.NUMBER,), shapes.WHITE)):
        labels = [
            shapes.centred_label(cell.look.label, _UNIT * column + 10, _UNIT * row + 14, (12, 9))
            for row, column in _positions_of(cells, *kinds)
            if (cell := grid[row][column]) is not None
        ]
        by_size = attrgetter("size")
        for size, same_size in groupby(sorted(labels, key=by_size), key=by_size):
            yield DrawnPart(labels=tuple(same_size), size=size, fill=colour)


def _piece_borders(grid: Grid) -> Iterator[str]:
    """Yield the borders between and around pieces, joined into long strokes."""
    height, width = len(grid), len(grid[0])
    for i in range(height + 1):
        flags = [_has_border(grid, (i - 1, j), (i, j)) for j in range(width)]
        yield from (f"M{_UNIT * j} {_UNIT * i}h{_UNIT * n}" for j, n in _runs(flags))
    for j in range(width + 1):
        flags = [_has_border(grid, (i, j - 1), (i, j)) for i in range(height)]
        yield from (f"M{_UNIT * j} {_UNIT * i}v{_UNIT * n}" for i, n in _runs(flags))


def _runs(flags: Iterable[bool]) -> Iterator[tuple[int, int]]:
    """Yield the start and length of each run of set flags."""
    for is_set, positions in groupby(enumerate(flags), key=lambda pair: pair[1]):
        if is_set:
            first, *rest = positions
            yield first[0], 1 + len(rest)


def _has_border(grid: Grid, first: Position, second: Position) -> bool:
    """Return whether a piece has a border between the adjacent positions `first` and `second`."""
    height, width = len(grid), len(grid[0])
    # The outside counts as a different cell, so that pieces at the edge have a border there.
    cells = [grid[i][j] if 0 <= i < height and 0 <= j < width else None for i, j in (first, second)]
    return cells[0] != cells[1] and any(_drawing_of(cell) is Drawing.PIECE for cell in cells)


def _differences(picture: Picture, side: Side) -> Iterator[DrawnPart]:
    """Yield an outline and a sign for each cell that differs between the boards of `picture`."""
    positions = list(picture.differing_cells())
    signs = {position: _sign(picture, side, position) for position in positions}
    stretches = [(row, column, 1) for row, column in positions]
    if len(positions) > _MAX_SEPARATE:
        # Sorted, because pages must not depend on the order of sets.
        by_sign = [
            [position for position in positions if signs[position] == sign]
            for sign in sorted({*signs.values()})
        ]
        stretches = list(chain.from_iterable(map(_stretches, by_sign)))
    last_cells = [(row, column + count - 1) for row, column, count in stretches]
    located = zip(last_cells, _corners(last_cells), strict=True)
    placed_signs = (((x + 16, y + 4), signs[position]) for position, (x, y) in located)
    yield from shapes.differences(_rectangles(stretches, 1), placed_signs, side)


def _sign(picture: Picture, side: Side, position: Position) -> str:
    """Return the sign for a cell that differs. It means right, extra, missing or wrong."""
    if side is Side.EXPECTED:
        return shapes.TICK
    if picture.of_positions:
        cell = picture.got[position[0]][position[1]]
        return shapes.PLUS if cell and cell.chosen else shapes.MINUS
    return shapes.CROSS


def _corners(positions: Iterable[Position]) -> list[Position]:
    """Return the x and y of the upper left corner of each cell."""
    return [(_UNIT * column, _UNIT * row) for row, column in positions]


def _squares(positions: Iterable[Position], inset: int = 0) -> Iterator[str]:
    """Yield the squares at `positions`. Without an `inset`, adjacent squares are joined."""
    return _rectangles(
        ((*position, 1) for position in positions) if inset else _stretches(positions), inset
    )


def _rectangles(stretches: Iterable[tuple[int, int, int]], inset: int) -> Iterator[str]:
    """Yield a rectangle for each stretch of cells, given by its row, first column and length."""
    height = _UNIT - 2 * inset
    for row, column, count in stretches:
        width = _UNIT * count - 2 * inset
        yield shapes.rectangle(_UNIT * column + inset, _UNIT * row + inset, width, height)


def _stretches(positions: Iterable[Position]) -> Iterator[tuple[int, int, int]]:
    """Yield the row, first column and length of each run of adjacent `positions`.

    The `positions` must be sorted.
    """
    indexed = enumerate(positions)
    # Along a run, column and index grow together, so their difference is constant.
    for _, side_by_side in groupby(indexed, key=lambda item: (item[1][0], item[1][1] - item[0])):
        (_, (row, column)), *rest = side_by_side
        yield row, column, 1 + len(rest)


def _circles(positions: Iterable[Position], radius: float) -> Iterator[str]:
    return (shapes.circle(x + 10, y + 10, radius) for x, y in _corners(positions))


def _hatches(positions: Iterable[Position]) -> Iterator[str]:
    for x, y in _corners(positions):
        yield f"M{x} {y + 10}l10 -10M{x} {y + 20}l20 -20M{x + 10} {y + 20}l10 -10"
