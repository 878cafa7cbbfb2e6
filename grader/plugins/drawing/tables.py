"""Draws a table, or formats it as text, with the same size on both sides.

A row that one side lacks is hatched on that side, so that matching rows are at the same height.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from grader.judging.pictures import RowPair, ShownRow, TablePicture
from grader.plugins.drawing import shapes
from grader.plugins.drawing.shapes import DrawnPart, Label, Side, Sketch

_ROW_HEIGHT: Final = 20
_FONT_SIZE: Final = 12
_SMALL_FONT_SIZE: Final = 10
_SCALE: Final = 1.25
_LEFT_PADDING: Final = 6
_RIGHT_PADDING: Final = 12
"""The space after the text of a cell, where its sign is drawn."""
_MAX_WIDTH: Final = 340
"""A wider table is not scaled down, but scrolls."""


def draw_table(picture: TablePicture, side: Side, title: str) -> Sketch:
    """Return a sketch of one side of `picture`, with this `title`."""
    edges = _edges(picture)
    width, height = edges[-1], _ROW_HEIGHT * len(picture.rows)
    labels = [row.label for pair in picture.rows for row in pair.rows]
    label_width = 6 + round(_SMALL_FONT_SIZE * shapes.CHAR_WIDTH * max(map(len, labels), default=0))
    top = 16 if picture.columns else 2
    full_width, full_height = label_width + width + 2, top + height + 2
    return Sketch(
        title=title,
        box=f"{-label_width} {-top} {full_width} {full_height}",
        width=round(full_width * _SCALE),
        height=round(full_height * _SCALE),
        parts=(
            *shapes.texts(
                _column_labels(picture, edges), _SMALL_FONT_SIZE, shapes.SOFT_INK, "axis"
            ),
            *shapes.texts(_labels(picture, side), _SMALL_FONT_SIZE, shapes.SOFT_INK, "axis"),
            shapes.paper(width, height),
            *_grid(picture, side, edges),
            *shapes.texts(_cell_labels(picture, side, edges), _FONT_SIZE, shapes.INK),
            *_differences(picture, side, edges),
        ),
        scrolls=full_width * _SCALE > _MAX_WIDTH,
    )


def _edges(picture: TablePicture) -> list[int]:
    """Return the x coordinates of the start of each column, and of the end of the last one."""
    edges = [0]
    for chars in _widths(picture):
        edges.append(
            edges[-1]
            + _LEFT_PADDING
            + round(_FONT_SIZE * shapes.CHAR_WIDTH * chars)
            + _RIGHT_PADDING
        )
    return edges


def _widths(picture: TablePicture) -> list[int]:
    """Return the width of each column in characters. It is the same on both sides."""
    rows = [row.cells for pair in picture.rows for row in pair.rows]
    header_rows = [_column_names(picture)] if picture.columns else []
    return [
        max(len(text or "") for text in column) for column in zip(*rows, *header_rows, strict=True)
    ]


def _column_names(picture: TablePicture) -> tuple[str, ...]:
    """Return the column names. Surplus names, which older records can have, are omitted."""
    cells = next((row.cells for pair in picture.rows for row in pair.rows), ())
    return picture.columns[: len(cells)]


def _row(pair: RowPair, side: Side) -> ShownRow | None:
    return pair.got if side is Side.GOT else pair.expected


def _column_labels(picture: TablePicture, edges: Sequence[int]) -> Iterator[Label]:
    # Not strict, because the last edge is not the start of a column.
    for column, x in zip(_column_names(picture), edges, strict=False):
        yield Label(column, x + _LEFT_PADDING, -5, _SMALL_FONT_SIZE)


def _labels(picture: TablePicture, side: Side) -> Iterator[Label]:
    """Yield the row labels, left of the table."""
    for row_index, pair in enumerate(picture.rows):
        if (row := _row(pair, side)) is not None:
            x = shapes.rounded(-4 - _SMALL_FONT_SIZE * shapes.CHAR_WIDTH * len(row.label))
            yield Label(row.label, x, _ROW_HEIGHT * row_index + 14, _SMALL_FONT_SIZE)


def _cell_labels(picture: TablePicture, side: Side, edges: Sequence[int]) -> Iterator[Label]:
    """Yield the text of each cell that has text."""
    for row_index, pair in enumerate(picture.rows):
        row = _row(pair, side)
        # Not strict, because the last edge is not the start of a column.
        for text, x in zip(row.cells if row else (), edges, strict=False):
            if text:
                yield Label(text, x + _LEFT_PADDING, _ROW_HEIGHT * row_index + 14, _FONT_SIZE)


def _grid(picture: TablePicture, side: Side, edges: Sequence[int]) -> Iterator[DrawnPart]:
    """Yield the lines between cells, and the hatching of missing cells."""
    rows = [_row(pair, side) for pair in picture.rows]
    missing_cells = [
        (x, _ROW_HEIGHT * row_index, end - x)
        for row_index, row in enumerate(rows)
        for column, (x, end) in enumerate(pairwise(edges))
        if row is None or row.cells[column] is None
    ]
    hatches = (
        shapes.polyline((x + start, y + _ROW_HEIGHT), (x + start + _ROW_HEIGHT, y))
        for x, y, width in missing_cells
        for start in range(0, width - _ROW_HEIGHT + 1, 10)  # the last hatch ends within the cell
    )
    yield from shapes.paths(hatches, stroke=shapes.GREY)
    height, width = _ROW_HEIGHT * len(rows), edges[-1]
    lines = [shapes.polyline((x, 0), (x, height)) for x in edges]
    lines += [shapes.polyline((0, y), (width, y)) for y in range(0, height + 1, _ROW_HEIGHT)]
    yield from shapes.paths(lines, stroke=shapes.GREY)


def _differences(picture: TablePicture, side: Side, edges: Sequence[int]) -> Iterator[DrawnPart]:
    """Yield an outline and a sign for each cell that differs and each row that one side lacks."""
    areas = []
    for row_index, pair in enumerate(picture.rows):
        if pair.expected is None or pair.got is None:
            areas.append((row_index, 0, len(edges) - 1, _sign(pair, side)))
        else:
            areas += [(row_index, column, column + 1, _sign(pair, side)) for column in pair.differs]
    boxes = [
        shapes.rectangle(
            edges[start_edge] + 1,
            _ROW_HEIGHT * row_index + 1,
            edges[end_edge] - edges[start_edge] - 2,
            _ROW_HEIGHT - 2,
        )
        for row_index, start_edge, end_edge, _ in areas
    ]
    corners = (
        ((edges[end_edge] - 5.0, _ROW_HEIGHT * row_index + 5.0), sign)
        for row_index, _, end_edge, sign in areas
    )
    yield from shapes.differences(boxes, corners, side)


def _sign(pair: RowPair, side: Side) -> str:
    """Return the sign for a difference on this `side`. It means right, wrong, missing or extra."""
    if side is Side.EXPECTED:
        return shapes.MINUS if pair.expected is None else shapes.TICK
    if pair.expected is None:
        return shapes.PLUS
    return shapes.MINUS if pair.got is None else shapes.CROSS


def table_text(picture: TablePicture, side: Side) -> str:
    """Return one side of `picture` as text with aligned columns."""
    widths = _widths(picture)
    labels = [row.label for pair in picture.rows for row in pair.rows]
    label_width = max(map(len, labels), default=0)
    lines = [_text_line("", _column_names(picture), label_width, widths)] if picture.columns else []
    rows = (_row(pair, side) for pair in picture.rows)
    lines += [_text_line(row.label, row.cells, label_width, widths) if row else "" for row in rows]
    return "\n".join(lines)


def _text_line(
    label: str, cells: Sequence[str | None], label_width: int, widths: Sequence[int]
) -> str:
    texts = (f"{cell or '':<{width}}" for cell, width in zip(cells, widths, strict=True))
    return f"{label:>{label_width}}  {'  '.join(texts)}"
