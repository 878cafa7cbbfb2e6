"""Parses numpy displays of arrays and scalars: `array([[1, 2], [3, 4]])`, `np.int64(5)`."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Final, TypeAlias

from grader.protocol import ELEMENT_KINDS
from grader.values.foreign_text import one_line
from grader.values.literal_source import LiteralText
from grader.values.tree import Array, Atom, Plain, Scalar, Sequence, Value, has_kind, round_to_type

NUMPY: Final = frozenset({"np", "numpy"})
"""The names under which programs import numpy."""
BOOLEANS: Final = {"True_": True, "False_": False}
"""numpy's booleans as it displays them, with their values."""
_ELEMENT_TYPES: Final = {
    **{name: name for name in ELEMENT_KINDS},
    "int": "int64",
    "float": "float64",
    "complex": "complex128",
    "bool_": "bool",
    "str_": "str",
    "bytes_": "bytes",
    "object_": "object",
}
"""The element types, keyed by the spellings that suites can use."""
_TEXT_DTYPE: Final = re.compile(r"[<>=|]?([US])\d*")
"""The dtype that numpy displays for text and bytes, with the length of the longest element."""
_ARRAY_EXAMPLE: Final = "array([[1, 2], [3, 4]])"
_SCALAR_EXAMPLES: Final = {
    "bool": "True",
    "int": "5",
    "float": "0.5",
    "complex": "1+2j",
    "str": "'text'",
    "bytes": "b'text'",
}

_ElementReader: TypeAlias = Callable[[ast.expr, int], Value]
"""Parses an element of an array, given its nesting depth."""


def read_array(node: ast.Call, depth: int, read: _ElementReader, source: LiteralText) -> Array:
    """Return the array that `node` displays; raises `LiteralError` if it displays none.

    `read` parses the elements, which are nested one level deeper than `depth`.
    """
    keywords = {keyword.arg: keyword.value for keyword in node.keywords}
    if len(node.args) != 1 or not keywords.keys() <= {"dtype", "shape"}:
        raise source.malformed(node, _ARRAY_EXAMPLE)
    dtype = _parse_type(keywords["dtype"], source) if "dtype" in keywords else None
    shape, cells = _cells(node.args[0], source, as_objects=dtype == "object")
    items = tuple(read(cell, depth + 1) for cell in cells)
    if "shape" in keywords:  # numpy displays the shape of empty arrays only
        shape = _parse_shape(keywords["shape"], read, source, is_empty=not items)
    if dtype == "object":
        return Array(shape, dtype, items)
    contents = [item.value for item in items if isinstance(item, Atom)]
    dtype = dtype or _infer_type(contents)
    elements = tuple(Atom(_convert_element(dtype, content)) for content in contents)
    if len(contents) < len(items) or not all(
        _can_represent(dtype, element) for element in elements
    ):
        advice = "give all elements the same type, or write dtype=object"
        raise source.error(node, f"an array of type {dtype} cannot contain these elements", advice)
    return Array(shape, dtype, elements)


def _cells(
    node: ast.expr, source: LiteralText, *, as_objects: bool
) -> tuple[tuple[int, ...], list[ast.expr]]:
    """Return the shape of the nested lists in `node`, and their innermost elements in order.

    With `as_objects`, lists of different lengths are themselves elements; otherwise they raise
    `LiteralError`.
    """
    shape: tuple[int, ...] = ()
    level = [node]
    while rows := [item.elts for item in level if isinstance(item, ast.List)]:
        if len(rows) < len(level) or any(len(row) != len(rows[0]) for row in rows):
            if as_objects:  # the lists of this level are elements
                break
            advice = "give all rows the same number of elements"
            raise source.error(node, "the rows of this array differ in length", advice)
        shape = (*shape, len(rows[0]))
        level = [cell for row in rows for cell in row]
    return shape, level


def _parse_shape(
    node: ast.expr, read: _ElementReader, source: LiteralText, *, is_empty: bool
) -> tuple[int, ...]:
    """Return the shape in `shape=`, which numpy displays only for arrays without elements.

    Raises `LiteralError` if an array of this shape has elements, or if the displayed array is not
    empty.
    """
    value = read(node, 0)
    items = value.items if isinstance(value, Sequence) else ()
    # `isinstance` would accept a bool as an int.
    lengths = [item.value for item in items if isinstance(item, Atom) and type(item.value) is int]
    is_shape = len(lengths) == len(items) and 0 in lengths and min(lengths) >= 0
    if not is_empty or not is_shape:
        problem = "this is not the shape of an array without elements"
        raise source.error(node, problem, "leave it out, or write it like shape=(0, 3)")
    return tuple(lengths)


def _parse_type(node: ast.expr, source: LiteralText) -> str:
    """Return the element type that `dtype=` names, as in `int`, `np.int64` or `'<U5'`.

    Raises `LiteralError` for an unknown type.
    """
    name: object = None
    match node:
        case ast.Name(name) | ast.Attribute(_, name) | ast.Constant(str() as name):
            pass
    if isinstance(name, str) and (match := _TEXT_DTYPE.fullmatch(name)):
        return "str" if match[1] == "U" else "bytes"
    if name not in _ELEMENT_TYPES:
        advice = f"write one of {', '.join(ELEMENT_KINDS)}"
        raise source.error(node, "arrays of this element type are not supported", advice)
    return _ELEMENT_TYPES[str(name)]


def _infer_type(contents: list[Plain]) -> str:
    """Return the dtype that numpy infers for `contents`, of one type or mixed ints and floats."""
    types = {type(content).__name__ for content in contents}
    if types <= {"int", "float"} and types != {"int"}:
        return "float64"
    # If there are several types, the caller refuses any of them; sorting makes its message
    # deterministic. The default is for content such as None, which the caller refuses too.
    return _ELEMENT_TYPES.get(next(iter(sorted(types))), "float64")


def read_scalar(
    node: ast.Call, name: str, depth: int, read: _ElementReader, source: LiteralText
) -> Scalar:
    """Return the scalar that `node` displays as a call to `np.<name>`.

    Raises `LiteralError` if numpy displays no scalar like this.
    """
    dtype = _ELEMENT_TYPES.get(name, "object")
    if dtype == "object":
        advice = "write the value itself, such as array([[1, 2], [3, 4]]) or np.int64(5)"
        raise source.error(node, f"a call to np.{one_line(name, 40)} is not a literal", advice)
    example = f"np.{name}({_SCALAR_EXAMPLES[ELEMENT_KINDS[dtype]]})"
    if node.keywords or len(node.args) != 1:
        raise source.malformed(node, example)
    value = read(node.args[0], depth + 1)
    element = Atom(_convert_element(dtype, value.value) if isinstance(value, Atom) else None)
    if not _can_represent(dtype, element):
        raise source.malformed(node, example)
    return Scalar(dtype, element.value)


def _convert_element(dtype: str, content: Plain) -> Plain:
    """Return `content` as an element of type `dtype`, rounded to the precision of that type.

    Content that cannot be converted is returned unchanged.
    """
    kind = ELEMENT_KINDS[dtype]
    # `isinstance` would accept a bool as an int.
    if isinstance(content, bool) or not isinstance(content, int | float | complex):
        return content
    float_type = "float32" if dtype == "complex64" else "float64"
    try:
        if kind == "float" and not isinstance(content, complex):
            return round_to_type(dtype, float(content))
        if kind == "complex":
            number = complex(content)
            return complex(
                round_to_type(float_type, number.real), round_to_type(float_type, number.imag)
            )
    except OverflowError:  # an integer too large for any float
        pass
    return content


def _can_represent(dtype: str, element: Atom) -> bool:
    """Return whether `dtype` can represent `element`; `int8` cannot represent 200."""
    if not has_kind(dtype, element) or ELEMENT_KINDS[dtype] != "int":
        return has_kind(dtype, element)
    bits = int(dtype.removeprefix("u").removeprefix("int"))
    lowest = 0 if dtype.startswith("u") else -(1 << bits - 1)
    return isinstance(element.value, int) and lowest <= element.value < lowest + (1 << bits)
