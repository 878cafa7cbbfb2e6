"""Takes arrays and lists of rows for each other, where a step says that either will do.

Whoever has to return a board may make an array of it or a list of lists; one that holds the right
cells is right. What a submission gives is brought into the form of what is expected, wherever in
the value that stands, and then compared and explained as usual.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeGuard

from grader.matching.equality import without_scalar
from grader.values import Array, Atom, Sequence, Value

_ELEMENT_TYPES: Final = {
    "bool": "bool",
    "int": "int64",
    "float": "float64",
    "complex": "complex128",
    "str": "str",
    "bytes": "bytes",
}
"""What numpy makes of a list of such values."""


def in_form_of(expected: Value, got: Value) -> Value:
    """Return `got` with arrays for lists of rows, or the reverse, where `expected` has them."""
    match expected, got:
        case Array(), Sequence("list"):
            return array_of(got) or got
        case Sequence("list"), Array() if got.items or len(got.shape) == 1:
            return rows_of(got)  # without elements there may be rows beyond number
        case Sequence(_, wanted), Sequence(type_name, given, class_name) if len(wanted) == len(
            given
        ):
            return Sequence(type_name, tuple(map(in_form_of, wanted, given)), class_name)
        case _:
            return got


def rows_of(array: Array) -> Value:
    """Return the lists that `tolist` makes of `array`, which has elements or one dimension."""
    return _rows(array.shape, array.items)


def _rows(shape: tuple[int, ...], items: tuple[Value, ...]) -> Value:
    if not shape:
        return items[0]
    step = len(items) // (shape[0] or 1)
    starts = (row * step for row in range(shape[0]))
    return Sequence("list", tuple(_rows(shape[1:], items[at : at + step]) for at in starts))


def array_of(rows: Sequence) -> Array | None:
    """Return the array that numpy makes of lists in lists; None when they differ in length."""
    shape, values = [len(rows.items)], list(rows.items)
    while lists := [value.items for value in values if _is_list(value)]:
        if len(lists) < len(values) or any(len(each) != len(lists[0]) for each in lists):
            return None
        shape.append(len(lists[0]))
        values = [value for each in lists for value in each]
    plain = tuple(map(without_scalar, values))
    return Array(tuple(shape), _element_type(plain), plain)


def _is_list(value: Value) -> TypeGuard[Sequence]:
    return isinstance(value, Sequence) and value.type_name == "list"


def _element_type(values: Iterable[Value]) -> str:
    """Return the type of elements that are all of one type, and else `object`."""
    types = {value.type_name if isinstance(value, Atom) else "object" for value in values}
    if not types:
        return "float64"
    return _ELEMENT_TYPES.get(types.pop(), "object") if len(types) == 1 else "object"
