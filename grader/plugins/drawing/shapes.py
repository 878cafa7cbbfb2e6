"""Builds the shapes of all drawings, from the small part of SVG that other platforms support.

A *sketch* consists of paths and text with presentation attributes, which a template writes. Shapes
of one kind share a path. A sketch has no style, gradient, filter or pattern, and text is centred by
computing where it starts. A sketch is light in every theme, as on paper. Only parts beside the
paper have the page's text colour, through their class. Differences have an outline and a sign (a
tick, cross, minus or plus), so that nothing depends on colours.

A *scale* places numbers on an axis, and chooses the ticks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, unique
from itertools import islice
from typing import Final, TypeAlias

INK: Final = "#23211e"
PAPER: Final = "#fffdf8"
WHITE: Final = "#ffffff"
SOFT_INK: Final = "#5f5b54"
GREY: Final = "#8d877c"
EXPECTED_COLOUR: Final = "#17653a"
ACTUAL_COLOUR: Final = "#b3241a"
CHAR_WIDTH: Final = 0.6
"""The width of a character, as a fraction of the font size."""
TICK: Final = "m-2.5 0l2 2l3 -4"
CROSS: Final = "m-2 -2l4 4m0 -4l-4 4"
MINUS: Final = "m-2.5 0h5"
PLUS: Final = "m-2.5 0h5m-2.5 -2.5v5"
_MAX_SHAPES_PER_PATH: Final = 100
_MAX_SHORT_CHARS: Final = 2
"""Longer text in a cell has the smaller of two font sizes."""

Point: TypeAlias = tuple[float, float]
_STEPS: Final = (1, 2, 5, 10)
_MIN_STEP: Final = 1e-300
"""Floats that are closer together have no round numbers between them."""


@unique
class Side(Enum):
    """A side of a picture."""

    EXPECTED = "expected"
    GOT = "got"


@dataclass(frozen=True, slots=True)
class Label:
    """Short text at a position. `size` is the font size."""

    text: str
    x: float
    y: float
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnPart:
    """Shapes or labels that have the same attributes."""

    shape: str = ""
    labels: tuple[Label, ...] = ()
    size: int = 0
    """The font size."""
    fill: str = "none"
    stroke: str | None = None
    width: float = 1
    kind: str | None = None
    """The class, if the theme sets the colour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch:
    """A drawing, ready to be written as SVG."""

    title: str
    box: str
    """The `viewBox`."""
    width: int
    height: int
    parts: tuple[DrawnPart, ...]
    """The parts, from the background up."""
    scrolls: bool = False
    """Whether it scrolls on narrow screens, instead of being scaled down, to stay readable."""


def rectangle(x: float, y: float, width: float, height: float) -> str:
    """Return the path of a rectangle whose upper left corner is at x, y."""
    return f"M{rounded(x)} {rounded(y)}h{rounded(width)}v{rounded(height)}h-{rounded(width)}z"


def circle(x: float, y: float, radius: float) -> str:
    """Return the path of a circle around x, y."""
    # Two arcs, because SVG draws nothing for an arc that ends where it begins.
    double, arc = rounded(2 * radius), f"a{radius} {radius} 0 1 0"
    return f"M{rounded(x - radius)} {rounded(y)}{arc} {double} 0{arc} -{double} 0z"


def polyline(*points: Point) -> str:
    """Return the path of a line from each of `points` to the next."""
    return "M" + "L".join(f"{rounded(x)} {rounded(y)}" for x, y in points)


def paper(width: float, height: float, y: float = 0) -> DrawnPart:
    """Return the background of a drawing, which starts at the left edge and at `y`."""
    return DrawnPart(shape=rectangle(0, y, width, height), fill=PAPER, kind="paper")


def paths(
    shapes: Iterable[str], *, fill: str = "none", stroke: str | None = None, width: float = 1
) -> Iterator[DrawnPart]:
    """Yield paths that consist of `shapes`, with a limited number of shapes in each path."""
    remaining = iter(shapes)
    while batch := list(islice(remaining, _MAX_SHAPES_PER_PATH)):
        yield DrawnPart(shape="".join(batch), fill=fill, stroke=stroke, width=width)


def signs(placed_signs: Iterable[tuple[Point, str]], colour: str) -> Iterator[DrawnPart]:
    """Yield signs, each centred on a point, on a background of this `colour`."""
    placed_signs = list(placed_signs)
    yield from paths((rectangle(x - 4, y - 4, 8, 8) for (x, y), _ in placed_signs), fill=colour)
    shapes = (f"M{rounded(x)} {rounded(y)}{sign}" for (x, y), sign in placed_signs)
    yield from paths(shapes, stroke=WHITE, width=1.4)


def differences(
    outlines: Iterable[str], placed_signs: Iterable[tuple[Point, str]], side: Side
) -> Iterator[DrawnPart]:
    """Yield the `outlines` and signs that mark differences on this `side`."""
    colour = ACTUAL_COLOUR if side is Side.GOT else EXPECTED_COLOUR
    all_outlines = list(outlines)
    # A wider white line below each outline keeps it visible on black cells.
    for line_colour, line_width in ((WHITE, 3.5), (colour, 2)):
        yield from paths(all_outlines, stroke=line_colour, width=line_width)
    yield from signs(placed_signs, colour)


def texts(
    labels: Iterable[Label], size: int, fill: str, kind: str | None = None
) -> Iterator[DrawnPart]:
    """Yield a part with the `labels`, all of this font `size`, or nothing if there are none."""
    if all_labels := tuple(labels):
        yield DrawnPart(labels=all_labels, size=size, fill=fill, kind=kind)


def centred_label(text: str, x: float, y: float, sizes: tuple[int, int]) -> Label:
    """Return a label centred on `x`, in the first of two `sizes`, or the second if it is long."""
    size = sizes[len(text) > _MAX_SHORT_CHARS]
    return Label(text, rounded(x - size * CHAR_WIDTH * len(text) / 2), rounded(y), size)


def rounded(number: float) -> float:
    """Return `number` rounded to one decimal, as an int if it is a whole number."""
    one_decimal = round(number, 1)
    return int(one_decimal) if one_decimal == int(one_decimal) else one_decimal


@dataclass(frozen=True, slots=True)
class Scale:
    """A range of numbers, with its length in a drawing."""

    low: float
    high: float
    length: float

    @classmethod
    def covering(cls, numbers: Iterable[float], length: float) -> Scale:
        """Return a scale that covers `numbers`, of which there must be at least one."""
        values = list(numbers)
        low, high = min(values), max(values)
        # The ends must differ, because `offset_of` divides by their difference.
        return cls(low, high, length) if low < high else cls(low - 1, high + 1, length)

    def offset_of(self, number: float) -> float:
        """Return the distance of `number` from the start of the scale, in the drawing."""
        return (number - self.low) / (self.high - self.low) * self.length

    def ticks(self, max_count: int) -> list[float]:
        """Return up to `max_count` + 1 round numbers on the scale, or its start if it has none."""
        min_step = (self.high - self.low) / max_count
        if min_step < _MIN_STEP:
            return [self.low]
        power = 10.0 ** math.floor(math.log10(min_step))
        # The 1e-9 here and below prevents rounding errors from skipping a round number.
        step = next(factor * power for factor in _STEPS if factor * power >= min_step * (1 - 1e-9))
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        # Numbers are multiplied, because rounding errors would accumulate in a sum.
        return [multiple * step for multiple in range(first, last + 1)][: max_count + 1]


def format_number(number: float) -> str:
    """Return `number` as text with at most four significant digits."""
    return f"{number:.4g}"
