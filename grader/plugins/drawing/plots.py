"""Draws a plot, and writes it as text: both sides in one, with different marks.

Expected points are circles on a thin line, actual ones are crosses on a thick one.
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
_SMALL: Final = 10
_TICKS: Final = 5
_MAX_ALL_MARKED: Final = 60
"""With more points that are joined by lines, only those that differ have a mark."""
_COLUMNS: Final = 48
_ROWS: Final = 12


def drawn_plot(picture: PlotPicture, title: str, side_names: tuple[str, str]) -> Sketch:
    """Return the plot of `picture`, called `title`; `side_names` are those of both sides."""
    points = (*picture.expected, *picture.got)
    x_scale = Scale.around((point.x for point in points), _WIDTH - 2 * _EDGE)
    y_scale = Scale.around((point.y for point in points), _HEIGHT - 2 * _EDGE)

    def place(point: PlotPoint) -> Point:
        # Y grows downwards in SVG.
        return _EDGE + x_scale.at(point.x), _HEIGHT - _EDGE - y_scale.at(point.y)

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
            *_line(picture, picture.expected, place, (shapes.WANTED, 1.2)),
            *_line(picture, picture.got, place, (shapes.WRONG, 2.4)),
            *_circles(map(place, _marked(picture, picture.expected))),
            *_crosses(map(place, _marked(picture, picture.got))),
            *_legend(side_names, _HEIGHT + bottom_margin - 10),
        ),
    )


def _axes(picture: PlotPicture, x_scale: Scale, y_scale: Scale) -> Iterator[DrawnPart]:
    columns = [(_EDGE + x_scale.at(tick), shapes.written(tick)) for tick in x_scale.ticks(_TICKS)]
    rows = [
        (_HEIGHT - _EDGE - y_scale.at(tick), shapes.written(tick)) for tick in y_scale.ticks(_TICKS)
    ]
    lines = [shapes.stroke((x, 0), (x, _HEIGHT)) for x, _ in columns]
    lines += [shapes.stroke((0, y), (_WIDTH, y)) for y, _ in rows]
    yield from shapes.paths(lines, stroke=shapes.GREY, width=0.5)
    labels = [shapes.centred(text, x, _HEIGHT + 12, (_SMALL, _SMALL)) for x, text in columns]
    for y, text in rows:
        x = -4 - _SMALL * shapes.CHAR_WIDTH * len(text)
        labels.append(Label(text, shapes.short(x), shapes.short(y + 3.5), _SMALL))
    if picture.x:
        labels.append(shapes.centred(picture.x, _WIDTH / 2, _HEIGHT + 25, (_SMALL, _SMALL)))
    if picture.y:
        labels.append(Label(picture.y, 0, -5, _SMALL))
    yield from shapes.texts(labels, _SMALL, shapes.SOFT, "axis")


def _line(
    picture: PlotPicture,
    points: Sequence[PlotPoint],
    place: Callable[[PlotPoint], Point],
    line_style: tuple[str, float],
) -> Iterator[DrawnPart]:
    colour, thickness = line_style
    if picture.joined and len(points) > 1:
        yield from shapes.paths(
            [shapes.stroke(*map(place, points))], stroke=colour, width=thickness
        )


def _marked(picture: PlotPicture, points: Sequence[PlotPoint]) -> Sequence[PlotPoint]:
    """Return the `points` that have a mark."""
    if not picture.joined or len(points) <= _MAX_ALL_MARKED:
        return points
    return [point for point in points if point.differs]


def _circles(places: Iterable[Point]) -> Iterator[DrawnPart]:
    circles = (shapes.circle(x, y, 4.5) for x, y in places)
    yield from shapes.paths(circles, fill=shapes.WHITE, stroke=shapes.WANTED, width=1.5)


def _crosses(places: Iterable[Point]) -> Iterator[DrawnPart]:
    crosses = (f"M{shapes.short(x)} {shapes.short(y)}m-3 -3l6 6m0 -6l-6 6" for x, y in places)
    yield from shapes.paths(crosses, stroke=shapes.WRONG, width=2)


def _legend(side_names: tuple[str, str], y: float) -> Iterator[DrawnPart]:
    """Yield the legend, on its own background."""
    wanted, given = side_names
    middle = _WIDTH / 2
    yield shapes.paper(_WIDTH, 18, y - 9)
    yield from _circles([(12, y)])
    yield from _crosses([(middle, y)])
    labels = [Label(wanted, 22, y + 4, 11), Label(given, middle + 10, y + 4, 11)]
    yield from shapes.texts(labels, 11, shapes.SOFT)


def plot_text(picture: PlotPicture, side_names: tuple[str, str]) -> Iterator[str]:
    """Yield the lines of the plot as text."""
    points = (*picture.expected, *picture.got)
    x_scale = Scale.around((point.x for point in points), _COLUMNS - 1)
    y_scale = Scale.around((point.y for point in points), _ROWS - 1)
    grid = [[" "] * _COLUMNS for _ in range(_ROWS)]
    for mark, side in (("o", picture.expected), ("x", picture.got)):
        for point in side:
            row, column = _ROWS - 1 - round(y_scale.at(point.y)), round(x_scale.at(point.x))
            grid[row][column] = mark if grid[row][column] in (" ", mark) else "*"
    row_labels = {0: shapes.written(y_scale.high), _ROWS - 1: shapes.written(y_scale.low)}
    label_width = max(map(len, row_labels.values()))
    for row_index, cells in enumerate(grid):
        yield f"{row_labels.get(row_index, ''):>{label_width}} |{''.join(cells)}".rstrip()
    low, high = shapes.written(x_scale.low), shapes.written(x_scale.high)
    yield f"{'':>{label_width}} +{'-' * _COLUMNS}"
    yield f"{'':>{label_width}}  {low}{high:>{_COLUMNS - len(low)}}"
    wanted, given = side_names
    yield f"{'':>{label_width}}  o {wanted}   x {given}   * {wanted} = {given}"
