"""Draws a plot, or formats it as text, with both sides in one plot.

Expected points are circles on a thin line, and actual ones are crosses on a thick line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from grader.judging.pictures import PlotPicture, PlotPoint
from grader.plugins.drawing import shapes
from grader.plugins.drawing.shapes import DrawnPart, Label, Point, Scale, Sketch

_WIDTH: Final = 270
_HEIGHT: Final = 170
_EDGE: Final = 8
_LEFT: Final = 50
_FONT_SIZE: Final = 10
_TICKS: Final = 5
_MAX_ALL_MARKED: Final = 60
"""If more points than this are joined by lines, only those that differ have a mark."""
_COLUMNS: Final = 48
_ROWS: Final = 12


def draw_plot(picture: PlotPicture, title: str, side_names: tuple[str, str]) -> Sketch:
    """Return a sketch of the plot of `picture`, with this `title`.

    `side_names` are the names of the expected and the actual side.
    """
    points = (*picture.expected, *picture.got)
    x_scale = Scale.covering((point.x for point in points), _WIDTH - 2 * _EDGE)
    y_scale = Scale.covering((point.y for point in points), _HEIGHT - 2 * _EDGE)

    def position_of(point: PlotPoint) -> Point:
        # In SVG, y grows downwards.
        return _EDGE + x_scale.offset_of(point.x), _HEIGHT - _EDGE - y_scale.offset_of(point.y)

    top_margin = 16 if picture.y else 6
    bottom_margin = 46 if picture.x else 34
    return Sketch(
        title=title,
        box=f"{-_LEFT} {-top_margin} {_LEFT + _WIDTH + 4} {top_margin + _HEIGHT + bottom_margin}",
        width=_LEFT + _WIDTH + 4,
        height=top_margin + _HEIGHT + bottom_margin,
        parts=(
            shapes.paper(_WIDTH, _HEIGHT),
            *_axes(picture, x_scale, y_scale),
            *_line(picture, picture.expected, position_of, (shapes.EXPECTED_COLOUR, 1.2)),
            *_line(picture, picture.got, position_of, (shapes.ACTUAL_COLOUR, 2.4)),
            *_circles(map(position_of, _marked_points(picture, picture.expected))),
            *_crosses(map(position_of, _marked_points(picture, picture.got))),
            *_legend(side_names, _HEIGHT + bottom_margin - 10),
        ),
    )


def _axes(picture: PlotPicture, x_scale: Scale, y_scale: Scale) -> Iterator[DrawnPart]:
    """Yield the grid lines, the numbers at the ticks, and the names of the axes."""
    columns = [
        (_EDGE + x_scale.offset_of(tick), shapes.format_number(tick))
        for tick in x_scale.ticks(_TICKS)
    ]
    rows = [
        (_HEIGHT - _EDGE - y_scale.offset_of(tick), shapes.format_number(tick))
        for tick in y_scale.ticks(_TICKS)
    ]
    lines = [shapes.polyline((x, 0), (x, _HEIGHT)) for x, _ in columns]
    lines += [shapes.polyline((0, y), (_WIDTH, y)) for y, _ in rows]
    yield from shapes.paths(lines, stroke=shapes.GREY, width=0.5)
    labels = [
        shapes.centred_label(text, x, _HEIGHT + 12, (_FONT_SIZE, _FONT_SIZE)) for x, text in columns
    ]
    for y, text in rows:
        x = -4 - _FONT_SIZE * shapes.CHAR_WIDTH * len(text)
        labels.append(Label(text, shapes.rounded(x), shapes.rounded(y + 3.5), _FONT_SIZE))
    if picture.x:
        labels.append(
            shapes.centred_label(picture.x, _WIDTH / 2, _HEIGHT + 25, (_FONT_SIZE, _FONT_SIZE))
        )
    if picture.y:
        labels.append(Label(picture.y, 0, -5, _FONT_SIZE))
    yield from shapes.texts(labels, _FONT_SIZE, shapes.SOFT_INK, "axis")


def _line(
    picture: PlotPicture,
    points: Sequence[PlotPoint],
    position_of: Callable[[PlotPoint], Point],
    line_style: tuple[str, float],
) -> Iterator[DrawnPart]:
    """Yield the line through `points`, if `picture` joins them.

    `line_style` is the colour and the width of the line.
    """
    colour, thickness = line_style
    if picture.joined and len(points) > 1:
        yield from shapes.paths(
            [shapes.polyline(*map(position_of, points))], stroke=colour, width=thickness
        )


def _marked_points(picture: PlotPicture, points: Sequence[PlotPoint]) -> Sequence[PlotPoint]:
    """Return the `points` that have a mark: all of them, unless they would hide the line."""
    if not picture.joined or len(points) <= _MAX_ALL_MARKED:
        return points
    return [point for point in points if point.differs]


def _circles(positions: Iterable[Point]) -> Iterator[DrawnPart]:
    circles = (shapes.circle(x, y, 4.5) for x, y in positions)
    yield from shapes.paths(circles, fill=shapes.WHITE, stroke=shapes.EXPECTED_COLOUR, width=1.5)


def _crosses(positions: Iterable[Point]) -> Iterator[DrawnPart]:
    crosses = (
        f"M{shapes.rounded(x)} {shapes.rounded(y)}m-3 -3l6 6m0 -6l-6 6" for x, y in positions
    )
    yield from shapes.paths(crosses, stroke=shapes.ACTUAL_COLOUR, width=2)


def _legend(side_names: tuple[str, str], y: float) -> Iterator[DrawnPart]:
    """Yield the legend, centred on the height `y`, on a background of its own."""
    expected_name, actual_name = side_names
    middle = _WIDTH / 2
    yield shapes.paper(_WIDTH, 18, y - 9)
    yield from _circles([(12, y)])
    yield from _crosses([(middle, y)])
    labels = [Label(expected_name, 22, y + 4, 11), Label(actual_name, middle + 10, y + 4, 11)]
    yield from shapes.texts(labels, 11, shapes.SOFT_INK)


def plot_text(picture: PlotPicture, side_names: tuple[str, str]) -> Iterator[str]:
    """Yield the lines of the plot as text. The last one is a legend with the `side_names`."""
    points = (*picture.expected, *picture.got)
    x_scale = Scale.covering((point.x for point in points), _COLUMNS - 1)
    y_scale = Scale.covering((point.y for point in points), _ROWS - 1)
    grid = [[" "] * _COLUMNS for _ in range(_ROWS)]
    for mark, side in (("o", picture.expected), ("x", picture.got)):
        for point in side:
            row = _ROWS - 1 - round(y_scale.offset_of(point.y))
            column = round(x_scale.offset_of(point.x))
            # Where points of both sides meet, a star stands for both.
            grid[row][column] = mark if grid[row][column] in (" ", mark) else "*"
    row_labels = {
        0: shapes.format_number(y_scale.high),
        _ROWS - 1: shapes.format_number(y_scale.low),
    }
    label_width = max(map(len, row_labels.values()))
    for row_index, cells in enumerate(grid):
        yield f"{row_labels.get(row_index, ''):>{label_width}} |{''.join(cells)}".rstrip()
    low, high = shapes.format_number(x_scale.low), shapes.format_number(x_scale.high)
    yield f"{'':>{label_width}} +{'-' * _COLUMNS}"
    yield f"{'':>{label_width}}  {low}{high:>{_COLUMNS - len(low)}}"
    expected_name, actual_name = side_names
    legend = f"o {expected_name}   x {actual_name}   * {expected_name} = {actual_name}"
    yield f"{'':>{label_width}}  {legend}"
