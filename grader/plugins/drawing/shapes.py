"""The shapes of all drawings, in the small part of SVG that other platforms keep.

A *sketch* is paths and text with presentation attributes, for a template to write; shapes of one
kind share a path. It has no style, gradient, filter or pattern, and text is centred by its start. A
sketch is light in every theme, as on paper; only parts beside the paper take the colour of the
page, by their class. Differences have an outline and a sign, so that nothing depends on colours.

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
SOFT: Final = "#5f5b54"
GREY: Final = "#8d877c"
WANTED: Final = "#17653a"
WRONG: Final = "#b3241a"
CHAR_WIDTH: Final = 0.6
"""Width of a character, as a fraction of the font size."""
TICK: Final = "m-2.5 0l2 2l3 -4"
CROSS: Final = "m-2 -2l4 4m0 -4l-4 4"
MINUS: Final = "m-2.5 0h5"
PLUS: Final = "m-2.5 0h5m-2.5 -2.5v5"
_SHAPES_OF_A_PATH: Final = 100
_SHORT: Final = 2

Point: TypeAlias = tuple[float, float]
_STEPS: Final = (1, 2, 5, 10)
_FINEST: Final = 1e-300
"""Floats that are closer together have no round numbers between them."""


@unique
class Side(Enum):
    """Which side of a picture is drawn."""

    EXPECTED = "expected"
    GOT = "got"


@dataclass(frozen=True, slots=True)
class Label:
    """A short text, in this font size."""

    text: str
    x: float
    y: float
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnPart:
    """Shapes, or short texts, with the same attributes."""

    shape: str = ""
    labels: tuple[Label, ...] = ()
    size: int = 0
    """The font size."""
    fill: str = "none"
    stroke: str | None = None
    width: float = 1
    kind: str | None = None
    """Their class, if the theme sets their colour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch:
    """A drawing, ready to be written as SVG."""

    title: str
    box: str
    """Its `viewBox`."""
    width: int
    height: int
    parts: tuple[DrawnPart, ...]
    """From the background up."""
    scrolls: bool = False
    """Whether it keeps its size and scrolls on narrow screens, so that its text stays readable."""


def oblong(x: float, y: float, width: float, height: float) -> str:
    """Return an oblong whose upper left corner is at x, y."""
    return f"M{short(x)} {short(y)}h{short(width)}v{short(height)}h-{short(width)}z"


def circle(x: float, y: float, radius: float) -> str:
    """Return a circle around x, y."""
    # Two arcs, as SVG draws nothing for one that ends where it begins.
    double, arc = short(2 * radius), f"a{radius} {radius} 0 1 0"
    return f"M{short(x - radius)} {short(y)}{arc} {double} 0{arc} -{double} 0z"


def stroke(*points: Point) -> str:
    """Return a line through `points`."""
    return "M" + "L".join(f"{short(x)} {short(y)}" for x, y in points)


def paper(width: float, height: float, y: float = 0) -> DrawnPart:
    """Return the background of a drawing, from the left edge and from `y` on."""
    return DrawnPart(shape=oblong(0, y, width, height), fill=PAPER, kind="paper")


def paths(
    shapes: Iterable[str], *, fill: str = "none", stroke: str | None = None, width: float = 1
) -> Iterator[DrawnPart]:
    """Yield paths of `shapes`, split so that none is too long for a page."""
    left = iter(shapes)
    while some := list(islice(left, _SHAPES_OF_A_PATH)):
        yield DrawnPart(shape="".join(some), fill=fill, stroke=stroke, width=width)


def signs(placed: Iterable[tuple[Point, str]], colour: str) -> Iterator[DrawnPart]:
    """Yield signs, each centred on a point, on a background of this `colour`, to stand out."""
    placed = list(placed)
    yield from paths((oblong(x - 4, y - 4, 8, 8) for (x, y), _ in placed), fill=colour)
    shapes = (f"M{short(x)} {short(y)}{sign}" for (x, y), sign in placed)
    yield from paths(shapes, stroke=WHITE, width=1.4)


def differences(
    outlines: Iterable[str], placed: Iterable[tuple[Point, str]], side: Side
) -> Iterator[DrawnPart]:
    """Yield the outlines and the signs of differences, visible on black as well."""
    colour = WRONG if side is Side.GOT else WANTED
    rings = list(outlines)
    for ring, thickness in ((WHITE, 3.5), (colour, 2)):
        yield from paths(rings, stroke=ring, width=thickness)
    yield from signs(placed, colour)


def texts(
    labels: Iterable[Label], size: int, fill: str, kind: str | None = None
) -> Iterator[DrawnPart]:
    """Yield `labels`, all of this size, if there are any."""
    if some := tuple(labels):
        yield DrawnPart(labels=some, size=size, fill=fill, kind=kind)


def centred(text: str, x: float, y: float, sizes: tuple[int, int]) -> Label:
    """Return a label centred on `x`, in the first size, or in the second one if it is long."""
    size = sizes[len(text) > _SHORT]
    return Label(text, short(x - size * CHAR_WIDTH * len(text) / 2), short(y), size)


def short(number: float) -> float:
    """Return `number` rounded to one digit, as an int if it is whole."""
    rounded = round(number, 1)
    return int(rounded) if rounded == int(rounded) else rounded


@dataclass(frozen=True, slots=True)
class Scale:
    """A range of numbers, and its length in a drawing."""

    low: float
    high: float
    length: float

    @classmethod
    def around(cls, numbers: Iterable[float], length: float) -> Scale:
        """Return a scale that covers `numbers`, of which there must be at least one."""
        some = list(numbers)
        low, high = min(some), max(some)
        # `at` divides by the difference.
        return cls(low, high, length) if low < high else cls(low - 1, high + 1, length)

    def at(self, number: float) -> float:
        """Return the distance of `number` from the start."""
        return (number - self.low) / (self.high - self.low) * self.length

    def ticks(self, most: int) -> list[float]:
        """Return round numbers on it, at most `most`."""
        rough = (self.high - self.low) / most
        if rough < _FINEST:
            return [self.low]
        power = 10.0 ** math.floor(math.log10(rough))
        # The 1e-9 here and below keep rounding errors from skipping a round number.
        step = next(each * power for each in _STEPS if each * power >= rough * (1 - 1e-9))
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        # Multiplied, as rounding errors would add up in a sum.
        return [number * step for number in range(first, last + 1)][: most + 1]


def written(number: float) -> str:
    """Return `number` in at most seven characters or so."""
    return f"{number:.4g}"
