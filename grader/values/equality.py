"""Compares values: typed, total, and in time that a submission cannot blow up.

`True` is not `1`, a tuple is not a list, a set has no order. Floats have a tolerance, but only
where the *expected* value is a float. A numpy scalar equals the number it holds. Arrays are equal
by shape, kind of elements and elements; the size of the elements in bits does not count. Only text
that we wrote is hashed, so that a reply full of colliding numbers costs no more than any other.

Where a step accepts either, arrays and lists of rows are equal: the submission's value is first
converted to the form of the expected one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal
from typing import Final
from weakref import ref

from grader.values.array_text import atom_text
from grader.values.tree import (
    Array,
    Atom,
    Collection,
    EnumMember,
    Fields,
    Mapping,
    Node,
    Opaque,
    Scalar,
    Sequence,
    TooLarge,
    Value,
)

RELATIVE_TOLERANCE: Final = 1e-9
ABSOLUTE_TOLERANCE: Final = 1e-12
_MAX_COMPARISONS: Final = 2_000
"""All pairs of elements of two sets are compared, up to this many pairs."""
_MAX_TOLERANT: Final = 1_000
"""Larger sets of floats are paired in sorted order up to this size; beyond, they must be exact."""
_MAX_SHIFT: Final = 4
"""How many places a rounding error may move an element in that order."""
_ELEMENT_TYPES: Final = {
    "bool": "bool",
    "int": "int64",
    "float": "float64",
    "complex": "complex128",
    "str": "str",
    "bytes": "bytes",
}
"""The dtype that numpy infers for a list of such values."""


def equal(expected: Value, got: Value) -> bool:  # noqa: C901 - one case per kind of value
    """Return whether `got` is what was `expected`, type included."""
    match expected, got:
        case (TooLarge() | Opaque(), _) | (_, TooLarge() | Opaque()):
            return False
        case (Scalar(), _) | (_, Scalar()):
            return equal(without_scalar(expected), without_scalar(got))
        case Array(), Array():
            return (
                expected.shape == got.shape
                and expected.kind == got.kind
                and all(map(equal, expected.items, got.items))
            )
        case Atom(), Atom():
            return expected.type_name == got.type_name and _same_content(expected, got)
        case Sequence(), Sequence():
            # A named tuple is fine where a plain tuple is expected: only its display differs.
            return (
                expected.type_name == got.type_name
                and expected.class_name in {None, got.class_name}
                and len(expected.items) == len(got.items)
                and all(map(equal, expected.items, got.items))
            )
        case Collection(), Collection():
            return (
                expected.type_name == got.type_name
                and len(expected.items) == len(got.items)
                and not any(unmatched(expected, got))
            )
        case Mapping(), Mapping():
            missing, extra, pairs = paired_items(expected, got)
            return (
                len(expected.items) == len(got.items)
                and not (missing or extra)
                and all(equal(e, g) for _, e, g in pairs)
            )
        case Fields(), Fields():
            return (
                expected.class_name == got.class_name
                and [name for name, _ in expected.items] == [name for name, _ in got.items]
                and all(
                    equal(e, g) for (_, e), (_, g) in zip(expected.items, got.items, strict=True)
                )
            )
        case Fields(class_name, items), Sequence("tuple", values, given) if given is not None:
            # A suite shows a named tuple with its field names; executors do not send those.
            return (
                class_name == given
                and len(items) == len(values)
                and all(equal(e, g) for (_, e), g in zip(items, values, strict=True))
            )
        case EnumMember(), EnumMember():
            return expected == got
        case _:
            return False


def known_equal(expected: Value, got: Value) -> bool:
    """Return `equal(expected, got)`, cached: most students return the same value object."""
    if not (isinstance(expected, Node) and isinstance(got, Node)):
        return equal(expected, got)
    key = (id(expected), id(got))
    cached = _CACHE.get(key)  # by id: hashing the trees would take as long as comparing them
    if cached is not None and cached[0]() is expected and cached[1]() is got:
        return cached[2]
    are_equal = equal(expected, got)
    if len(_CACHE) >= _MAX_CACHED:
        _CACHE.clear()  # also drops the entries of values that are gone
    _CACHE[key] = ref(expected), ref(got), are_equal
    return are_equal


_CACHE: Final[dict[tuple[int, int], tuple[ref[Node], ref[Node], bool]]] = {}
_MAX_CACHED: Final = 8192


def without_scalar(value: Value) -> Value:
    """Return `value`, or for a numpy scalar the plain number, text or bool that it holds."""
    return Atom(value.value) if isinstance(value, Scalar) else value


def _same_content(expected: Atom, got: Atom) -> bool:
    match expected.value, got.value:
        case float() as wanted, float() as given:
            return _close(wanted, given)
        case complex() as wanted, complex() as given:
            return _close(wanted.real, given.real) and _close(wanted.imag, given.imag)
        case Decimal() as wanted, Decimal() as given:
            return _decimal_text(wanted) == _decimal_text(given)
        case wanted, given:
            return wanted == given


def _decimal_text(number: Decimal) -> str:
    """Return a text that is the same for two numbers if and only if they are equal.

    Signalling NaNs raise when compared, and arithmetic rounds and overflows; text does neither.
    """
    sign, digits, exponent = number.as_tuple()
    if not isinstance(exponent, int):
        return str(number)
    if not any(digits):
        return "0"
    text = "".join(map(str, digits))
    significant = text.rstrip("0").lstrip("0")
    return f"{'-' * sign}{significant}E{exponent + len(text) - len(text.rstrip('0'))}"


def _close(expected: float, got: float) -> bool:
    if math.isnan(expected) or math.isnan(got):  # Python's nan differs from itself
        return math.isnan(expected) and math.isnan(got)
    return math.isclose(expected, got, rel_tol=RELATIVE_TOLERANCE, abs_tol=ABSOLUTE_TOLERANCE)


def unmatched(expected: Collection, got: Collection) -> tuple[list[Value], list[Value]]:
    """Return the elements missing from `got`, and its extra ones."""
    expected_by_key = {key_of(item): item for item in expected.items}
    got_by_key = {key_of(item): item for item in got.items}
    missing = [item for key, item in expected_by_key.items() if key not in got_by_key]
    extra = [item for key, item in got_by_key.items() if key not in expected_by_key]
    return _without_close_pairs(missing, extra)


def _without_close_pairs(
    missing: list[Value], extra: list[Value]
) -> tuple[list[Value], list[Value]]:
    """Return `missing` and `extra` without the pairs that differ by a rounding error only."""
    remaining, searched = extra, len(extra)
    if len(missing) * len(extra) > _MAX_COMPARISONS:
        if len(missing) != len(extra) or len(missing) > _MAX_TOLERANT:
            return missing, extra
        missing, remaining, searched = _in_rough_order(missing), _in_rough_order(extra), _MAX_SHIFT
    remaining, unpaired = list(remaining), []
    for item in missing:
        partner = next(
            (i for i, other in enumerate(remaining[:searched]) if equal(item, other)), None
        )
        if partner is None:
            unpaired.append(item)
        else:
            del remaining[partner]
    return unpaired, remaining


def _in_rough_order(items: list[Value]) -> list[Value]:
    """Return `items` in an order that rounding errors hardly change."""
    return sorted(items, key=lambda item: key_of(_rounded(item)))


def _rounded(value: Value) -> Value:
    """Return `value` with the floats in it rounded, in the kinds of value likely in sets."""
    match value:
        case Atom(float() as number):
            return Atom(float(f"{number:.6g}"))  # far coarser than a rounding error
        case Atom(complex() as number):
            return Sequence("tuple", (_rounded(Atom(number.real)), _rounded(Atom(number.imag))))
        case Sequence(type_name, items):
            return Sequence(type_name, tuple(map(_rounded, items)))
        case Collection(type_name, items):
            return Collection(type_name, tuple(map(_rounded, items)))
        case _:
            return value


def paired_items(
    expected: Mapping, got: Mapping
) -> tuple[list[Value], list[Value], list[tuple[Value, Value, Value]]]:
    """Return missing keys, extra keys, and (key, expected, got) for the keys in both."""
    expected_by_key = {key_of(key): (key, value) for key, value in expected.items}
    got_by_key = {key_of(key): (key, value) for key, value in got.items}
    missing = [pair[0] for key, pair in expected_by_key.items() if key not in got_by_key]
    extra = [pair[0] for key, pair in got_by_key.items() if key not in expected_by_key]
    both = [
        (*pair, got_by_key[key][1]) for key, pair in expected_by_key.items() if key in got_by_key
    ]
    return missing, extra, both


def key_of(value: Value) -> str:  # noqa: C901 - one case per kind of value
    """Return a text that is the same for equal values and different for unequal ones.

    Python hashes text with a secret of the process, so these keys cannot be made to collide.
    """
    match value:
        case Scalar(_, content):
            return key_of(Atom(content))
        case Array(shape, _, items):
            return f"array {value.kind} {shape}({_keys(items)})"
        case Atom(Decimal() as number):
            return f"Decimal {_decimal_text(number)}"
        case Atom(content):
            # `hex` is fast for long integers, unlike decimal.
            exact = hex(content) if type(content) is int else atom_text(content)
            return f"{value.type_name} {exact}"
        case Sequence(type_name, items):
            return f"{type_name}({_keys(items)})"
        case Collection(type_name, items):
            return f"{type_name}({','.join(sorted(map(key_of, items)))})"
        case Mapping(items):
            pairs = sorted(f"{key_of(key)}:{key_of(item)}" for key, item in items)
            return f"dict({','.join(pairs)})"
        case Fields(class_name, fields):  # names are quoted: a submission chooses them
            return (
                f"{class_name!r}({','.join(f'{name!r}={key_of(item)}' for name, item in fields)})"
            )
        case EnumMember(class_name, member):
            return f"{class_name!r}.{member!r}"
        case Opaque(class_name):
            return f"<{class_name!r}>"
        case TooLarge(type_name, excess):
            return f"<{type_name!r} {excess}>"


def _keys(items: Iterable[Value]) -> str:
    return ",".join(map(key_of, items))


def alike(expected: Value, got: Value) -> bool:
    """Return whether `got` holds the right content in the wrong type.

    Numbers count by value, sequences and sets by their elements, text by what it would display.
    """
    match without_scalar(expected), without_scalar(got):
        case Atom(bool() | int() | float() as wanted), Atom(bool() | int() | float() as given):
            return wanted == given
        case (Atom(str() as text), Atom(bool() | int() | float() as number)) | (
            Atom(bool() | int() | float() as number),
            Atom(str() as text),
        ):
            return len(text) < 100 and text == atom_text(number)
        case Sequence(_, some), Sequence(_, others):
            return len(some) == len(others) and all(map(_equal_or_alike, some, others))
        case (Sequence() | Collection()) as one, (Sequence() | Collection()) as other:
            return sorted(map(key_of, one.items)) == sorted(map(key_of, other.items))
        case _:
            return False


def _equal_or_alike(expected: Value, got: Value) -> bool:
    return equal(expected, got) or alike(expected, got)


def in_form_of(expected: Value, got: Value) -> Value:
    """Return `got` with lists of rows as arrays, or the reverse, where `expected` has them."""
    match expected, got:
        case Array(), Sequence("list"):
            return array_of(got) or got
        case Sequence("list"), Array() if got.items or len(got.shape) == 1:
            return _rows(got.shape, got.items)  # an empty array could claim billions of rows
        case Sequence(_, wanted), Sequence(type_name, given, class_name) if len(wanted) == len(
            given
        ):
            return Sequence(type_name, tuple(map(in_form_of, wanted, given)), class_name)
        case _:
            return got


def _rows(shape: tuple[int, ...], items: tuple[Value, ...]) -> Value:
    """Return the nested lists of an array that has elements or one dimension, as `tolist` does."""
    if not shape:
        return items[0]
    step = len(items) // (shape[0] or 1)  # a dimension may have no elements
    starts = (row * step for row in range(shape[0]))
    return Sequence(
        "list", tuple(_rows(shape[1:], items[start : start + step]) for start in starts)
    )


def array_of(rows: Sequence) -> Array | None:
    """Return the array that numpy makes of nested lists; None if their lengths differ."""
    shape, values = [len(rows.items)], list(rows.items)
    while lists := [
        value.items for value in values if isinstance(value, Sequence) and value.type_name == "list"
    ]:
        if len(lists) < len(values) or any(len(each) != len(lists[0]) for each in lists):
            return None
        shape.append(len(lists[0]))
        values = [value for each in lists for value in each]
    plain = tuple(map(without_scalar, values))
    types = {value.type_name if isinstance(value, Atom) else "object" for value in plain}
    dtype = "object" if types else "float64"
    if len(types) == 1:
        dtype = _ELEMENT_TYPES.get(types.pop(), "object")
    return Array(tuple(shape), dtype, plain)
