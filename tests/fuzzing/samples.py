"""Random Python values of every kind that a step may return, odd and very large ones among them."""

from __future__ import annotations

import math
import struct
import sys
from collections import Counter, OrderedDict, defaultdict, namedtuple
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, IntEnum
from fractions import Fraction
from random import Random
from typing import Any, Final

import numpy as np

from grader.executor.encoding import register_numpy
from grader.protocol import MAX_DEPTH, MAX_INT_BITS, MAX_NODES, MAX_TEXT_CHARS

register_numpy(np)

COLLIDING: Final = sys.hash_info.modulus
"""Multiples of this number have one hash."""
_DEEPEST: Final = 3
_RARELY: Final = 0.003
"""How often a value is as large as the protocol allows, or one larger."""

Pair = namedtuple("Pair", "left right")  # noqa: PYI024  # as students write it
LONG_NAMED: Final = type("L" * 300, (), {"__repr__": lambda _self: "<long>"})
"""Shown without an address, as all values here: a seed has to give the same messages again."""


@dataclass(frozen=True)
class Point:
    """Equal to others like it."""

    x: object
    y: object = 0


@dataclass(eq=False)
class Cell:
    """Equal to itself only."""

    content: object


class Colour(Enum):
    """Members without a value of a standard type."""

    RED = 1
    GREEN = 2


class Level(IntEnum):
    """Members that are numbers, too."""

    LOW = 1


def integer(rng: Random) -> int:
    """Return an integer, often at a boundary of the protocol."""
    bits = rng.choice((1, 8, 62, 63, 64, 200, MAX_INT_BITS))
    near = (1 << bits) + rng.randint(-1, 1)
    return rng.choice((rng.randint(-9, 9), near, -near, rng.randint(0, 5) * COLLIDING))


def number(rng: Random) -> float:
    """Return a float, often a special one."""
    (any_bits,) = struct.unpack("d", rng.randbytes(8))
    return float(
        rng.choice((0.0, -0.0, 0.5, 1.0, 1e16, 5e-324, 1e308, math.inf, -math.inf, math.nan))
        if rng.random() < 0.5
        else any_bits
    )


def text(rng: Random) -> str:
    """Return text with characters that are trouble elsewhere.

    Halves of a surrogate pair never meet: in JSON the two are one character.
    """
    alphabet = rng.choice(
        ("ab", 'a"\\\n\0', "\u00e9\u202e\u0663", "\U0001f600x", "\ud800x", "\udc00x")
    )
    return "".join(rng.choices(alphabet, k=rng.choice((0, 1, 3, 30))))


def _decimal(rng: Random) -> Decimal:
    odd = ("-0", "1.50", "1E+5", "0E-99", "NaN12", "sNaN", "-Infinity", "1E+999999999")
    return Decimal(rng.choice((*odd, str(rng.randint(-99, 99)))))


def _range(rng: Random) -> range:
    return range(integer(rng), integer(rng), rng.choice((1, -1, 7, COLLIDING)))


def _numbers(rng: Random, count: int) -> Any:
    """Return a flat array of a random type."""
    dtype = rng.choice(("?", "i1", "u8", "i8", ">i2", "f2", "f4", "f8", "F", "D"))
    return np.frombuffer(rng.randbytes(16 * count), dtype=np.uint8).view(dtype)[:count]


def _truth(array: Any) -> Any:
    """Return `array` with whole truth values: numpy shows any byte as one of the two."""
    return array.view(np.uint8) > 127 if array.dtype == bool else array


def _scalar(rng: Random) -> object:
    odd = (np.str_(text(rng)), np.bytes_(b"x"), np.longdouble(1), np.datetime64("2020-01-01"))
    return rng.choice((_truth(_numbers(rng, 1))[0], *odd))


def _array(rng: Random, depth: int) -> object:
    if rng.random() < 0.2:
        made = np.empty(2, dtype=object)
        made[0] = value(rng, depth + 1)
        return made
    if rng.random() < 0.2:
        return np.array([text(rng), "a"])
    shape = rng.choice(((), (2,), (0, 3), (2, 1, 2)))
    return _truth(_numbers(rng, math.prod(shape))).reshape(shape)


_ATOMS: Final[tuple[Callable[[Random], object], ...]] = (
    _scalar,
    lambda rng: rng.choice((None, True, False)),
    integer,
    integer,
    number,
    lambda rng: complex(number(rng), number(rng)),
    text,
    text,
    lambda rng: rng.randbytes(rng.choice((0, 1, 40))),
    _range,
    lambda rng: Fraction(integer(rng), abs(integer(rng)) or 1),
    _decimal,
    lambda rng: rng.choice((*Colour, *Level)),
    lambda rng: rng.choice((..., LONG_NAMED(), len, int, Random)),
)


def _elements(rng: Random, depth: int) -> list[object]:
    return [value(rng, depth + 1) for _ in range(rng.choice((0, 1, 2, 2, 3, 6)))]


def _hashable(rng: Random, depth: int) -> Iterator[object]:
    for element in _elements(rng, depth):
        with suppress(TypeError):  # a list, or a signalling NaN
            hash(element)
            yield element


def _pairs(rng: Random, depth: int) -> dict[object, object]:
    return {key: value(rng, depth + 1) for key in _hashable(rng, depth)}


def _without_a_field(_rng: Random, _depth: int) -> Cell:
    cell = Cell(0)
    del cell.content
    return cell


_CONTAINERS: Final[tuple[Callable[[Random, int], object], ...]] = (
    _elements,
    lambda rng, depth: tuple(_elements(rng, depth)),
    lambda rng, depth: set(_hashable(rng, depth)),
    lambda rng, depth: frozenset(_hashable(rng, depth)),
    _pairs,
    lambda rng, depth: OrderedDict(_pairs(rng, depth)),
    lambda rng, depth: defaultdict(list, _pairs(rng, depth)),
    lambda rng, _depth: Counter(text(rng)),
    lambda rng, depth: Pair(value(rng, depth + 1), value(rng, depth + 1)),
    lambda rng, depth: Point(value(rng, depth + 1)),
    lambda rng, depth: Cell(value(rng, depth + 1)),
    _without_a_field,
    _array,
)


def _nested(depth: int) -> list[Any]:
    tree: list[Any] = []
    for _ in range(depth):
        tree = [tree]
    return tree


def _circle() -> list[Any]:
    circle: list[Any] = []
    circle.append(circle)
    return circle


_LARGEST: Final[tuple[Callable[[], object], ...]] = (
    lambda: [0] * (MAX_NODES - 1),
    lambda: {0} | {(n,) for n in range(MAX_NODES // 2 - 1)},
    lambda: dict.fromkeys(range(MAX_NODES // 2)),
    lambda: "\u202e" * MAX_TEXT_CHARS,
    lambda: "x" * (MAX_TEXT_CHARS + 1),
    lambda: bytes(MAX_TEXT_CHARS // 2),
    lambda: _nested(MAX_DEPTH),
    lambda: _nested(MAX_DEPTH + 1),
    lambda: Decimal("1." + "7" * (MAX_TEXT_CHARS - 2)),
    lambda: {n * COLLIDING for n in range(200)},
    lambda: [float("nan")] * 1_000,
    _circle,
)


def value(rng: Random, depth: int = 0) -> object:
    """Return a value of any kind that a submission can make, nested up to a few levels."""
    if depth == 0 and rng.random() < _RARELY:
        return rng.choice(_LARGEST)()
    if depth >= _DEEPEST or rng.random() < 0.4:
        return rng.choice(_ATOMS)(rng)
    return rng.choice(_CONTAINERS)(rng, depth)
