"""The shapes that all drawings are made of, in the small part of SVG that other platforms keep.

A *sketch* is paths and text with presentation attributes, ready to be written by a template; shapes
of one kind share a path. There is no style, no gradient, no filter and no pattern, and text is
centred by where it begins. A sketch is light in every theme, as on paper; only what stands beside
the paper takes the colour of the page, by its class. What differs has an outline and a sign, so
that nothing depends on colours.

Numbers on an axis lie on a *scale*, which says which of them have a tick.
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
"""Width of a character, as a part of the size of its letters."""
TICK: Final = "m-2.5 0l2 2l3 -4"
CROSS: Final = "m-2 -2l4 4m0 -4l-4 4"
MINUS: Final = "m-2.5 0h5"
PLUS: Final = "m-2.5 0h5m-2.5 -2.5v5"
_SHAPES_OF_A_PATH: Final = 100
_SHORT: Final = 2

Point: TypeAlias = tuple[float, float]
_STEPS: Final = (1, 2, 5, 10)
_FINEST: Final = 1e-300
"""Nearer to each other floats have no room for round numbers between them."""


@unique
class Side(Enum):
    """Which side of a picture is drawn."""

    EXPECTED = "expected"
    GOT = "got"


@dataclass(frozen=True, slots=True)
class Label:
    """A short text, of letters of this size."""

    text: str
    x: float
    y: float
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnPart:
    """Shapes, or else short texts, that are drawn alike."""

    shape: str = ""
    labels: tuple[Label, ...] = ()
    size: int = 0
    """Of the letters."""
    fill: str = "none"
    stroke: str | None = None
    width: float = 1
    kind: str | None = None
    """Their class, where a theme has a say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch:
    """A drawing, ready to be written as SVG."""

    title: str
    box: str
    """Its `viewBox`."""
    width: int
    height: int
    parts: tuple[DrawnPart, ...]
    """From the ground up."""
    scrolls: bool = False
    """Whether it keeps its size where there is less room, so that its text can be read."""


def oblong(x: float, y: float, width: float, height: float) -> str:
    """Return an oblong whose upper left corner is at x, y."""
    return f"M{short(x)} {short(y)}h{short(width)}v{short(height)}h-{short(width)}z"


def circle(x: float, y: float, radius: float) -> str:
    """Return a circle around x, y."""
    double, arc = short(2 * radius), f"a{radius} {radius} 0 1 0"
    return f"M{short(x - radius)} {short(y)}{arc} {double} 0{arc} -{double} 0z"


def stroke(*points: Point) -> str:
    """Return a line through `points`."""
    return "M" + "L".join(f"{short(x)} {short(y)}" for x, y in points)


def paper(width: float, height: float, y: float = 0) -> DrawnPart:
    """Return the ground of a drawing, from the left edge and from `y` on."""
    return DrawnPart(shape=oblong(0, y, width, height), fill=PAPER, kind="paper")


def paths(
    shapes: Iterable[str], *, fill: str = "none", stroke: str | None = None, width: float = 1
) -> Iterator[DrawnPart]:
    """Yield paths of `shapes`, none of them longer than a page takes in one piece."""
    left = iter(shapes)
    while some := list(islice(left, _SHAPES_OF_A_PATH)):
        yield DrawnPart(shape="".join(some), fill=fill, stroke=stroke, width=width)


def signs(placed: Iterable[tuple[Point, str]], colour: str) -> Iterator[DrawnPart]:
    """Yield signs, each around a point, on grounds of this `colour`.

    So they can be told from whatever is below them.
    """
    placed = list(placed)
    yield from paths((oblong(x - 4, y - 4, 8, 8) for (x, y), _ in placed), fill=colour)
    shapes = (f"M{short(x)} {short(y)}{sign}" for (x, y), sign in placed)
    yield from paths(shapes, stroke=WHITE, width=1.4)


def differences(
    outlines: Iterable[str], placed: Iterable[tuple[Point, str]], side: Side
) -> Iterator[DrawnPart]:
    """Yield the outlines and the signs of what differs, to be seen on black ground too."""
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
    """Return a label around `x`, in the first size, or in the second one if it is long."""
    size = sizes[len(text) > _SHORT]
    return Label(text, short(x - size * CHAR_WIDTH * len(text) / 2), short(y), size)


def short(number: float) -> float:
    """Return `number` with as few digits as it takes to draw."""
    rounded = round(number, 1)
    return int(rounded) if rounded == int(rounded) else rounded


@dataclass(frozen=True, slots=True)
class Scale:
    """A stretch of numbers, and how long it is in a drawing."""

    low: float
    high: float
    length: float

    @classmethod
    def around(cls, numbers: Iterable[float], length: float) -> Scale:
        """Return the scale on which all `numbers` lie, of which there is one at least."""
        some = list(numbers)
        low, high = min(some), max(some)
        return cls(low, high, length) if low < high else cls(low - 1, high + 1, length)

    def at(self, number: float) -> float:
        """Return how far from its beginning `number` lies."""
        return (number - self.low) / (self.high - self.low) * self.length

    def ticks(self, most: int) -> list[float]:
        """Return round numbers on it, about as many as `most` and no more."""
        rough = (self.high - self.low) / most
        if rough < _FINEST:
            return [self.low]
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(each * power for each in _STEPS if each * power >= rough * (1 - 1e-9))
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [number * step for number in range(first, last + 1)][: most + 1]


def written(number: float) -> str:
    """Return `number` in at most seven characters or so."""
    return f"{number:.4g}"
