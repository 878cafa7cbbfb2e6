"""Writes arrays as numpy prints them: numbers below each other, one row to a line.

Two things are left out: rows are never broken, and nothing is rounded, so that a difference that
counts can be seen.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final

from grader.values.tree import Array, Atom, Plain, rounded

_USUAL_TYPES: Final = frozenset({"bool", "int64", "float64", "complex128"})
"""Types that can be told from the elements."""
_INDENT: Final = "array("
_SCIENTIFIC: Final = re.compile("[en]")
"""In the text of a number with an exponent, or of none: `1e+20`, `inf`, `nan`."""


def number_text(dtype: str, number: float) -> str:
    """Return the shortest text of `number` that means no other element of type `dtype`."""
    if dtype in {"float64", "complex128"} or not math.isfinite(number):
        return repr(number)
    single = "float16" if dtype == "float16" else "float32"
    texts = (f"{number:.{digits}g}" for digits in range(1, 10))
    shortest = next((text for text in texts if rounded(single, float(text)) == number), "")
    return repr(float(shortest or number))


def scalar_text(dtype: str, content: Plain, atom_text: Callable[[Plain], str]) -> str:
    """Return how numpy displays a scalar of type `dtype` that is `content`, without its type."""
    match content:
        case float():
            return number_text(dtype, content)
        case complex():
            return _complex_text(dtype, content)
        case _:
            return atom_text(content)


def _complex_text(dtype: str, number: complex, point: str = "") -> str:
    """Return the text of `number`, with `point` at the end of a part that is whole."""
    real, imaginary = (
        text.removesuffix(".0") + point * text.endswith(".0")
        for text in (number_text(dtype, number.real), number_text(dtype, number.imag))
    )
    return f"{real}{'' if imaginary.startswith('-') else '+'}{imaginary}j"


def cell_texts(array: Array, most: int, atom_text: Callable[[Plain], str]) -> list[str]:
    """Return the first `most` elements of `array`, none of which is an object, as they align."""
    contents = [item.value for item in islice(array.items, most) if isinstance(item, Atom)]
    texts = [_cell_text(array.dtype, content, atom_text) for content in contents]
    if array.kind in {"str", "bytes"}:
        return texts  # which numpy does not align
    if array.kind == "float":
        texts = _aligned_points(texts)
    least = len("False") if array.kind == "bool" and array.shape else 0
    width = max(map(len, texts), default=0)
    return [text.rjust(max(width, least)) for text in texts]


def _cell_text(dtype: str, content: Plain, atom_text: Callable[[Plain], str]) -> str:
    if isinstance(content, complex):
        return _complex_text(dtype, content, ".")
    return scalar_text(dtype, content, atom_text)


def _aligned_points(texts: Sequence[str]) -> list[str]:
    """Return the numbers with their points below each other, where all of them have one."""
    if any("e" in text for text in texts):
        return list(texts)
    halves = [text.removesuffix(".0") + "." * text.endswith(".0") for text in texts]
    after = max((len(half.partition(".")[2]) for half in halves), default=0)
    return [
        half if _SCIENTIFIC.search(half) else half + " " * (after - len(half.partition(".")[2]))
        for half in halves
    ]


def pieces(array: Array, cells: int, *, on_one_line: bool) -> Iterator[str | int]:
    """Yield the text of `array`, with the number of an element where it has to stand.

    After the first `cells` elements it ends, as it does after all of them.
    """
    if not array.items:
        yield _empty(array)
        return
    yield _INDENT
    yield from _block(array.shape, 0, cells, len(array.shape), on_one_line=on_one_line)
    yield f"{_ending(array)})"


def _block(
    shape: tuple[int, ...], first: int, cells: int, dimensions: int, *, on_one_line: bool
) -> Iterator[str | int]:
    if not shape:
        yield first
        return
    step = math.prod(shape[1:])
    depth = dimensions - len(shape) + 1
    between = ", "
    if len(shape) > 1 and not on_one_line:
        between = "," + "\n" * (len(shape) - 1) + " " * (len(_INDENT) + depth)
    yield "["
    for index in range(shape[0]):
        start = first + index * step
        if start >= cells:
            return
        if index:
            yield between
        yield from _block(shape[1:], start, cells, dimensions, on_one_line=on_one_line)
    yield "]"


def _empty(array: Array) -> str:
    rows = "" if len(array.shape) == 1 else f", shape={array.shape}"
    return f"{_INDENT}[]{rows}, dtype={_type_text(array)})"


def _ending(array: Array) -> str:
    return "" if array.dtype in _USUAL_TYPES else f", dtype={_type_text(array)}"


def _type_text(array: Array) -> str:
    if array.dtype not in {"str", "bytes"}:
        return array.dtype
    contents = (item.value for item in array.items if isinstance(item, Atom))
    longest = max((len(text) for text in contents if isinstance(text, str | bytes)), default=1)
    return f"'{'<U' if array.dtype == 'str' else '|S'}{longest or 1}'"
