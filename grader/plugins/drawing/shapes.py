"""The shapes that all drawings are made of, in the small part of SVG that other platforms keep.

A *sketch* is paths and text with presentation attributes, ready to be written by a template; shapes
of one kind share a path. There is no style, no gradient, no filter and no pattern, and text is
centred by where it begins. A sketch is light in every theme, as on paper; only what stands beside
the paper takes the colour of the page, by its class. What differs has an outline and a sign, so
that nothing depends on colours.
"""

from __future__ import annotations

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
