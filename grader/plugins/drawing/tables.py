"""Draws a table, and writes it as text: both sides have the same size.

A row that one side lacks is hatched there, so that matching rows are level.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from grader.judging.pictures import RowPair, ShownRow, TablePicture
from grader.plugins.drawing import shapes
from grader.plugins.drawing.shapes import DrawnPart, Label, Side, Sketch

_HEIGHT: Final = 20
_SIZE: Final = 12
_SMALL: Final = 10
_SCALE: Final = 1.25
_BEFORE: Final = 6
_AFTER: Final = 12
"""Space after the text of a cell, for its sign."""
_WIDEST: Final = 340
"""A wider table keeps its size, and scrolls."""


def drawn_table(picture: TablePicture, side: Side, title: str) -> Sketch:
    """Return one side of `picture`, called `title`."""
    edges = _edges(picture)
    width, height = edges[-1], _HEIGHT * len(picture.rows)
    labels = [row.label for pair in picture.rows for row in pair.rows]
    label_width = 6 + round(_SMALL * shapes.CHAR_WIDTH * max(map(len, labels), default=0))
    top = 16 if picture.columns else 2
    full_width, full_height = label_width + width + 2, top + height + 2
    return Sketch(
        title=title,
        box=f"{-label_width} {-top} {full_width} {full_height}",
        width=round(full_width * _SCALE),
        height=round(full_height * _SCALE),
        parts=(
            *shapes.texts(_heads(picture, edges), _SMALL, shapes.SOFT, "axis"),
            *shapes.texts(_labels(picture, side), _SMALL, shapes.SOFT, "axis"),
            shapes.paper(width, height),
            *_grid(picture, side, edges),
            *shapes.texts(_cells(picture, side, edges), _SIZE, shapes.INK),
            *_differences(picture, side, edges),
        ),
        scrolls=full_width * _SCALE > _WIDEST,
    )


def _edges(picture: TablePicture) -> list[int]:
    """Return the start of each column, and the end of the last one."""
    edges = [0]
    for chars in _widths(picture):
        edges.append(edges[-1] + _BEFORE + round(_SIZE * shapes.CHAR_WIDTH * chars) + _AFTER)
    return edges


def _widths(picture: TablePicture) -> list[int]:
    """Return the width of each column in characters."""
    rows = [row.cells for pair in picture.rows for row in pair.rows]
    heads = [_names(picture)] if picture.columns else []
    return [max(len(text or "") for text in column) for column in zip(*rows, *heads, strict=True)]


def _names(picture: TablePicture) -> tuple[str, ...]:
    """Return the column heads; older records may have more names than columns."""
    cells = next((row.cells for pair in picture.rows for row in pair.rows), ())
    return picture.columns[: len(cells)]


def _row(pair: RowPair, side: Side) -> ShownRow | None:
    return pair.got if side is Side.GOT else pair.expected


def _heads(picture: TablePicture, edges: Sequence[int]) -> Iterator[Label]:
    for column, x in zip(_names(picture), edges, strict=False):  # the last edge is the end
        yield Label(column, x + _BEFORE, -5, _SMALL)


def _labels(picture: TablePicture, side: Side) -> Iterator[Label]:
    for row_index, pair in enumerate(picture.rows):
        if (row := _row(pair, side)) is not None:
            x = shapes.short(-4 - _SMALL * shapes.CHAR_WIDTH * len(row.label))
            yield Label(row.label, x, _HEIGHT * row_index + 14, _SMALL)


def _cells(picture: TablePicture, side: Side, edges: Sequence[int]) -> Iterator[Label]:
    for row_index, pair in enumerate(picture.rows):
        row = _row(pair, side)
        # The last edge is the end.
        for text, x in zip(row.cells if row else (), edges, strict=False):
            if text:
                yield Label(text, x + _BEFORE, _HEIGHT * row_index + 14, _SIZE)


def _grid(picture: TablePicture, side: Side, edges: Sequence[int]) -> Iterator[DrawnPart]:
    """Yield the lines between cells, and hatching for missing cells."""
    rows = [_row(pair, side) for pair in picture.rows]
    missing_cells = [
        (x, _HEIGHT * row_index, end - x)
        for row_index, row in enumerate(rows)
        for column, (x, end) in enumerate(pairwise(edges))
        if row is None or row.cells[column] is None
    ]
    hatches = (
        shapes.stroke((x + start, y + _HEIGHT), (x + start + _HEIGHT, y))
        for x, y, width in missing_cells
        for start in range(0, width - _HEIGHT + 1, 10)  # the last hatch ends within the cell
    )
    yield from shapes.paths(hatches, stroke=shapes.GREY)
    height, width = _HEIGHT * len(rows), edges[-1]
    lines = [shapes.stroke((x, 0), (x, height)) for x in edges]
    lines += [shapes.stroke((0, y), (width, y)) for y in range(0, height + 1, _HEIGHT)]
    yield from shapes.paths(lines, stroke=shapes.GREY)


def _differences(picture: TablePicture, side: Side, edges: Sequence[int]) -> Iterator[DrawnPart]:
    """Yield an outline and a sign for each cell, and for each whole row, that differs."""
    places = []
    for row_index, pair in enumerate(picture.rows):
        if pair.expected is None or pair.got is None:
            places.append((row_index, 0, len(edges) - 1, _sign(pair, side)))
        else:
            places += [
                (row_index, column, column + 1, _sign(pair, side)) for column in pair.differs
            ]
    boxes = [
        shapes.oblong(
            edges[first] + 1, _HEIGHT * row_index + 1, edges[last] - edges[first] - 2, _HEIGHT - 2
        )
        for row_index, first, last, _ in places
    ]
    corners = (
        ((edges[last] - 5.0, _HEIGHT * row_index + 5.0), sign)
        for row_index, _, last, sign in places
    )
    yield from shapes.differences(boxes, corners, side)


def _sign(pair: RowPair, side: Side) -> str:
    if side is Side.EXPECTED:
        return shapes.MINUS if pair.expected is None else shapes.TICK
    if pair.expected is None:
        return shapes.PLUS
    return shapes.MINUS if pair.got is None else shapes.CROSS


def table_text(picture: TablePicture, side: Side) -> str:
    """Return one side of `picture` as text, with aligned columns."""
    widths = _widths(picture)
    labels = [row.label for pair in picture.rows for row in pair.rows]
    label_width = max(map(len, labels), default=0)
    lines = [_line("", _names(picture), label_width, widths)] if picture.columns else []
    rows = (_row(pair, side) for pair in picture.rows)
    lines += [_line(row.label, row.cells, label_width, widths) if row else "" for row in rows]
    return "\n".join(lines)


def _line(label: str, cells: Sequence[str | None], label_width: int, widths: Sequence[int]) -> str:
    texts = (f"{cell or '':<{width}}" for cell, width in zip(cells, widths, strict=True))
    return f"{label:>{label_width}}  {'  '.join(texts)}"
