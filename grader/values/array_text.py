"""Formats atoms as Python does, and arrays as numpy does, with one aligned row per line.

Unlike numpy it never wraps rows and never rounds, so that every relevant difference is visible.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice
from typing import Final

from grader.values.tree import Array, Atom, Plain, round_to_type

_USUAL_TYPES: Final = frozenset({"bool", "int64", "float64", "complex128"})
"""Element types that numpy does not display, as they are evident from the elements."""
_INDENT: Final = "array("
_MAX_DECIMAL_BITS: Final = 10_000
"""About 3,000 digits, which is below the 4,300 at which Python refuses to convert an integer."""
_WITHOUT_POINT: Final = re.compile("[en]")
"""Matches text without a decimal point to align: `1e+20`, `inf`, `nan`."""


def atom_text(content: Plain) -> str:
    """Return `content` as Python displays it, except that very long integers are hexadecimal.

    Converting long integers to decimal takes quadratic time, so Python refuses to do it.
    """
    match content:
        case bool():  # before `int`, of which it is a subclass
            return repr(content)
        case int():
            return hex(content) if content.bit_length() > _MAX_DECIMAL_BITS else repr(content)
        case Fraction():
            return f"Fraction({atom_text(content.numerator)}, {atom_text(content.denominator)})"
        case range():
            bounds = [content.start, content.stop, content.step][: 2 + (content.step != 1)]
            return f"range({', '.join(map(atom_text, bounds))})"
        case _:
            return repr(content)


def _number_text(dtype: str, number: float) -> str:
    """Return the shortest text that, parsed as type `dtype`, gives `number`."""
    if dtype in {"float64", "complex128"} or not math.isfinite(number):
        return repr(number)
    float_type = "float16" if dtype == "float16" else "float32"  # also the parts of complex64
    texts = (f"{number:.{digits}g}" for digits in range(1, 10))  # 9 digits identify any float32
    shortest = next(
        (text for text in texts if round_to_type(float_type, float(text)) == number), ""
    )
    return repr(float(shortest or number))


def scalar_text(dtype: str, content: Plain, point: str = "") -> str:
    """Return `content` as numpy displays a scalar of type `dtype`, without the type.

    In complex numbers, parts that are integers end in `point`.
    """
    match content:
        case float():
            return _number_text(dtype, content)
        case complex():
            real, imaginary = (
                text.removesuffix(".0") + point * text.endswith(".0")
                for text in (_number_text(dtype, content.real), _number_text(dtype, content.imag))
            )
            return f"{real}{'' if imaginary.startswith('-') else '+'}{imaginary}j"
        case _:
            return atom_text(content)


def cell_texts(array: Array, limit: int) -> list[str]:
    """Return the texts of the first `limit` elements of `array`, padded to align.

    The elements must not be objects.
    """
    contents = [item.value for item in islice(array.items, limit) if isinstance(item, Atom)]
    texts = [scalar_text(array.dtype, content, ".") for content in contents]
    if array.kind in {"str", "bytes"}:
        return texts  # numpy does not align text
    if array.kind == "float":
        texts = _align_points(texts)
    min_width = len("False") if array.kind == "bool" and array.shape else 0
    width = max(map(len, texts), default=0)
    return [text.rjust(max(width, min_width)) for text in texts]


def _align_points(texts: Sequence[str]) -> list[str]:
    """Return the numbers in `texts`, padded so that their decimal points align.

    If a number has an exponent, return them all unchanged.
    """
    if any("e" in text for text in texts):
        return list(texts)
    numbers = [text.removesuffix(".0") + "." * text.endswith(".0") for text in texts]
    decimals = max((len(number.partition(".")[2]) for number in numbers), default=0)
    return [
        number
        if _WITHOUT_POINT.search(number)
        else number + " " * (decimals - len(number.partition(".")[2]))
        for number in numbers
    ]


def array_parts(array: Array, max_cells: int, *, on_one_line: bool) -> Iterator[str | int]:
    """Yield the text of `array` in parts, with each element represented by its flat index.

    If there are more than `max_cells` elements, the text ends after that many.
    """
    if not array.items:
        # Without elements, the brackets alone do not show the lengths of several dimensions.
        shape_text = "" if len(array.shape) == 1 else f", shape={array.shape}"
        yield f"{_INDENT}[]{shape_text}, dtype={_type_text(array)})"
        return
    yield _INDENT
    yield from _block_parts(array.shape, 0, max_cells, len(array.shape), on_one_line=on_one_line)
    yield ")" if array.dtype in _USUAL_TYPES else f", dtype={_type_text(array)})"


def _block_parts(
    shape: tuple[int, ...], first: int, max_cells: int, dimensions: int, *, on_one_line: bool
) -> Iterator[str | int]:
    """Yield, in parts, the text of the sub-array of `shape` that starts at the flat index `first`.

    A number represents the element with that index. The text ends before the element with the
    index `max_cells`, so brackets can stay open. `dimensions` is how many the whole array has.
    """
    if not shape:
        yield first
        return
    step = math.prod(shape[1:])
    depth = dimensions - len(shape) + 1
    separator = ", "
    if len(shape) > 1 and not on_one_line:
        separator = "," + "\n" * (len(shape) - 1) + " " * (len(_INDENT) + depth)
    yield "["
    for index in range(shape[0]):
        start = first + index * step
        if start >= max_cells:
            return
        if index:
            yield separator
        yield from _block_parts(shape[1:], start, max_cells, dimensions, on_one_line=on_one_line)
    yield "]"


def _type_text(array: Array) -> str:
    """Return the dtype as numpy displays it, which for text includes the maximum length."""
    if array.dtype not in {"str", "bytes"}:
        return array.dtype
    contents = (item.value for item in array.items if isinstance(item, Atom))
    longest = max((len(text) for text in contents if isinstance(text, str | bytes)), default=1)
    # numpy has no arrays of text of length 0; it displays '<U1' for an array of empty texts.
    return f"'{'<U' if array.dtype == 'str' else '|S'}{longest or 1}'"
