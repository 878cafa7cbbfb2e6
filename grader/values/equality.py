"""Compares two values by type and content, floats up to rounding errors, in bounded time.

`True` does not equal `1`, a tuple does not equal a list, and sets have no order. Floats have a
tolerance, but only where the *expected* value is a float. A numpy scalar equals the plain number in
it. Arrays are equal if they have the same shape, kind of elements, and elements; the element size
in bits does not count. Only text that the grader itself generates is hashed, so that a reply full
of numbers with colliding hashes takes no longer than any other.

Where a step accepts either, arrays and lists of rows are equal, because the submission's value is
first converted to the form of the expected one.
"""

from __future__ import annotations

import math
import typing
from collections.abc import Iterable
from decimal import Decimal
from typing import Final, TypeVar
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
    contains_fields,
    named_tuple_classes,
    unwrap_scalar,
    with_named_tuples,
)

_Item = TypeVar("_Item")

RELATIVE_TOLERANCE: Final = 1e-9
ABSOLUTE_TOLERANCE: Final = 1e-12
_MAX_COMPARISONS: Final = 2_000
"""All pairs of elements of two sets are compared if there are at most this many pairs."""
_MAX_TOLERANT: Final = 1_000
"""If there are more pairs, the elements of sets up to this size are paired in sorted order. In even
larger sets, floats must be exact."""
_MAX_SHIFT: Final = 4
"""How many positions a rounding error can move an element in that order."""
_ELEMENT_TYPES: Final = {
    "bool": "bool",
    "int": "int64",
    "float": "float64",
    "complex": "complex128",
    "str": "str",
    "bytes": "bytes",
}
"""The dtype that numpy infers for a list of values, keyed by their type."""


def equal(expected: Value, got: Value) -> bool:  # noqa: C901 - one case per kind of value
    """Return whether `got` equals `expected` in type and content, up to rounding errors.

    Parts whose content is not known are equal to nothing, not even to themselves.
    """
    match expected, got:
        case (TooLarge() | Opaque(), _) | (_, TooLarge() | Opaque()):
            return False
        case (Scalar(), _) | (_, Scalar()):
            return equal(unwrap_scalar(expected), unwrap_scalar(got))
        case Array(), Array():
            return (
                expected.shape == got.shape
                and expected.kind == got.kind
                and all(map(equal, expected.items, got.items))
            )
        case Atom(), Atom():
            return expected.type_name == got.type_name and _have_same_content(expected, got)
        case Sequence(), Sequence():
            # A named tuple is accepted where a plain one is expected, as only its display differs.
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
                and not any(unmatched_elements(expected, got))
            )
        case Mapping(), Mapping():
            missing, extra, pairs = pair_items(expected, got)
            return (
                len(expected.items) == len(got.items)
                and not (missing or extra)
                and all(equal(value, got_value) for _, value, got_value in pairs)
            )
        case Fields(class_name, fields), Fields(got_class_name, got_fields):
            names, got_names = ([name for name, _ in items] for items in (fields, got_fields))
            values = (value for _, value in got_fields)
            is_same_class = class_name == got_class_name and names == got_names
            return is_same_class and _have_equal_values(fields, values)
        case Fields(class_name, fields), Sequence("tuple", items, got_class_name):
            # A suite displays a named tuple with field names, which executors do not send.
            return class_name == got_class_name and _have_equal_values(fields, items)
        case EnumMember(), EnumMember():
            return expected == got
        case _:
            return False


def _have_equal_values(fields: tuple[tuple[str, Value], ...], got: Iterable[Value]) -> bool:
    values, got_values = [value for _, value in fields], list(got)
    return len(values) == len(got_values) and all(map(equal, values, got_values))


def equal_cached(expected: Value, got: Value) -> bool:
    """Return `equal(expected, got)`, from a cache if possible.

    Most submissions return the same values, and decoding shares one tree among equal ones.
    """
    if not (isinstance(expected, Node) and isinstance(got, Node)):
        return equal(expected, got)
    key = (id(expected), id(got))
    cached = _CACHE.get(key)  # by id, as hashing trees takes as long as comparing them
    # The references are checked, as an id can be reused once its object is deleted.
    if cached is not None and cached[0]() is expected and cached[1]() is got:
        return cached[2]
    are_equal = equal(expected, got)
    if len(_CACHE) >= _MAX_CACHED:
        _CACHE.clear()  # also drops the entries of values that no longer exist
    _CACHE[key] = ref(expected), ref(got), are_equal
    return are_equal


_CACHE: Final[dict[tuple[int, int], tuple[ref[Node], ref[Node], bool]]] = {}
_MAX_CACHED: Final = 8192


def _have_same_content(expected: Atom, got: Atom) -> bool:
    """Return whether two atoms of one type have equal content, up to rounding errors."""
    match expected.value, got.value:
        case float() as expected_content, float() as got_content:
            return _are_close(expected_content, got_content)
        case complex() as expected_content, complex() as got_content:
            return _are_close(expected_content.real, got_content.real) and _are_close(
                expected_content.imag, got_content.imag
            )
        case Decimal() as expected_content, Decimal() as got_content:
            return _decimal_text(expected_content) == _decimal_text(got_content)
        case expected_content, got_content:
            return expected_content == got_content


def _decimal_text(number: Decimal) -> str:
    """Return text that is the same for two numbers if and only if they are equal.

    Comparing signalling NaNs would raise, and decimal arithmetic could round or overflow.
    """
    sign, digits, exponent = number.as_tuple()
    if not isinstance(exponent, int):
        return str(number)
    if not any(digits):
        return "0"
    text = "".join(map(str, digits))
    significant = text.rstrip("0").lstrip("0")
    return f"{'-' * sign}{significant}E{exponent + len(text) - len(text.rstrip('0'))}"


def _are_close(expected: float, got: float) -> bool:
    """Return whether two floats are equal up to a rounding error, or both are nan."""
    if math.isnan(expected) or math.isnan(got):  # nan != nan
        return math.isnan(expected) and math.isnan(got)
    return math.isclose(expected, got, rel_tol=RELATIVE_TOLERANCE, abs_tol=ABSOLUTE_TOLERANCE)


def unmatched_elements(expected: Collection, got: Collection) -> tuple[list[Value], list[Value]]:
    """Return the elements of `expected` missing from `got`, and the extra elements of `got`."""
    got_by_key = {comparison_key(item): item for item in got.items}
    expected_by_key = _by_expected_key([(item, item) for item in expected.items], got_by_key)
    missing = [item for key, item in expected_by_key.items() if key not in got_by_key]
    extra = [item for key, item in got_by_key.items() if key not in expected_by_key]
    return _remove_close_pairs(missing, extra)


def _remove_close_pairs(
    missing: list[Value], extra: list[Value]
) -> tuple[list[Value], list[Value]]:
    """Return `missing` and `extra` without pairs of elements that differ only by rounding errors.

    Elements of larger sets are compared only with near neighbours in sorted order, or not at all.
    """
    remaining, search_count = extra, len(extra)
    if len(missing) * len(extra) > _MAX_COMPARISONS:
        if len(missing) != len(extra) or len(missing) > _MAX_TOLERANT:
            return missing, extra
        missing, remaining = _sort_roughly(missing), _sort_roughly(extra)
        search_count = _MAX_SHIFT
    remaining, unpaired = list(remaining), []
    for item in missing:
        for index, candidate in enumerate(remaining[:search_count]):
            if equal(item, candidate):
                del remaining[index]
                break
        else:
            unpaired.append(item)
    return unpaired, remaining


def _sort_roughly(items: list[Value]) -> list[Value]:
    """Return `items` sorted in an order that rounding errors hardly change."""
    return sorted(items, key=lambda item: comparison_key(_round_floats(item)))


def _round_floats(value: Value) -> Value:
    """Return `value` with its floats rounded, including those inside sequences and sets."""
    match value:
        case Atom(float() as number):
            return Atom(float(f"{number:.6g}"))  # far coarser than a rounding error
        case Atom(complex() as number):
            return Sequence(
                "tuple", (_round_floats(Atom(number.real)), _round_floats(Atom(number.imag)))
            )
        case Sequence(type_name, items):
            return Sequence(type_name, tuple(map(_round_floats, items)))
        case Collection(type_name, items):
            return Collection(type_name, tuple(map(_round_floats, items)))
        case _:
            return value


def pair_items(
    expected: Mapping, got: Mapping
) -> tuple[list[Value], list[Value], list[tuple[Value, Value, Value]]]:
    """Return the missing keys, the extra keys, and the items whose keys are in both dicts.

    Each of those items is a tuple of the key, the expected value and the actual value.
    """
    got_by_key = {comparison_key(key): (key, value) for key, value in got.items}
    expected_by_key = _by_expected_key(
        [(key, (key, value)) for key, value in expected.items],
        {text: key for text, (key, _) in got_by_key.items()},
    )
    missing = [pair[0] for key, pair in expected_by_key.items() if key not in got_by_key]
    extra = [pair[0] for key, pair in got_by_key.items() if key not in expected_by_key]
    shared = [
        (*pair, got_by_key[key][1]) for key, pair in expected_by_key.items() if key in got_by_key
    ]
    return missing, extra, shared


def _by_expected_key(
    expected: Iterable[tuple[Value, _Item]], got: typing.Mapping[str, Value]
) -> dict[str, _Item]:
    """Return the items of `expected`, keyed by the comparison key of an equal value in `got`.

    `expected` contains pairs of a value and the item to return for it, and `got` is keyed by
    comparison key. A value without an equal one in `got` has a key of its own.
    """
    pairs = list(expected)
    # A suite displays a named tuple with field names, as `equal` says; executors send a tuple.
    has_fields = any(contains_fields(value) for value, _ in pairs)
    class_names = named_tuple_classes(got.values()) if has_fields else ()
    by_key = {}
    for value, item in pairs:
        key = comparison_key(with_named_tuples(value, class_names))
        # Comparison keys leave out the classes of named tuples.
        is_other_class = class_names and key in got and not equal(value, got[key])
        by_key[comparison_key(value) if is_other_class else key] = item
    return by_key


def comparison_key(value: Value) -> str:  # noqa: C901 - one case per kind of value
    """Return text that is the same for exactly equal values and different for all others.

    A numpy scalar has the key of its plain content, and the classes of dicts and named tuples do
    not count. Python salts the hashes of text with a secret, so a submission cannot make these keys
    collide.
    """
    match value:
        case Scalar(_, content):
            return comparison_key(Atom(content))
        case Array(shape, _, items):
            return f"array {value.kind} {shape}({_join_keys(items)})"
        case Atom(Decimal() as number):
            return f"Decimal {_decimal_text(number)}"
        case Atom(content):
            # `hex` is fast for long integers, unlike decimal.
            exact = hex(content) if type(content) is int else atom_text(content)
            return f"{value.type_name} {exact}"
        case Sequence(type_name, items):
            return f"{type_name}({_join_keys(items)})"
        case Collection(type_name, items):
            return f"{type_name}({','.join(sorted(map(comparison_key, items)))})"
        case Mapping(items):
            pairs = sorted(f"{comparison_key(key)}:{comparison_key(item)}" for key, item in items)
            return f"dict({','.join(pairs)})"
        case Fields(class_name, fields):  # names are quoted, as submissions choose them
            texts = (f"{name!r}={comparison_key(item)}" for name, item in fields)
            return f"{class_name!r}({','.join(texts)})"
        case EnumMember(class_name, member):
            return f"{class_name!r}.{member!r}"
        case Opaque(class_name):
            return f"<{class_name!r}>"
        case TooLarge(type_name, excess):
            return f"<{type_name!r} {excess}>"


def _join_keys(items: Iterable[Value]) -> str:
    return ",".join(map(comparison_key, items))


def are_alike(expected: Value, got: Value) -> bool:
    """Return whether `got` has the right content but possibly the wrong type.

    Numbers are compared by value, sequences and sets by their elements, and text with the text that
    Python displays for a number.
    """
    match unwrap_scalar(expected), unwrap_scalar(got):
        case Atom(bool() | int() | float() as expected_number), Atom(
            bool() | int() | float() as got_number
        ):
            return expected_number == got_number
        case (Atom(str() as text), Atom(bool() | int() | float() as number)) | (
            Atom(bool() | int() | float() as number),
            Atom(str() as text),
        ):
            return len(text) < 100 and text == atom_text(number)
        case Sequence(_, items), Sequence(_, got_items):
            return len(items) == len(got_items) and all(map(_equal_or_alike, items, got_items))
        case (Sequence() | Collection()) as left, (Sequence() | Collection()) as right:
            return sorted(map(comparison_key, left.items)) == sorted(
                map(comparison_key, right.items)
            )
        case _:
            return False


def _equal_or_alike(expected: Value, got: Value) -> bool:
    return equal(expected, got) or are_alike(expected, got)


def convert_to_form(expected: Value, got: Value) -> Value:
    """Return `got` with lists of rows converted to arrays, or vice versa, as in `expected`.

    Parts that cannot be converted stay unchanged.
    """
    match expected, got:
        case Array(), Sequence("list"):
            return to_array(got) or got
        case Sequence("list"), Array() if got.items or len(got.shape) == 1:
            # The guard is there because an empty array could claim billions of rows.
            return _nested_lists(got.shape, got.items)
        case Sequence(_, items), Sequence(type_name, got_items, class_name) if len(items) == len(
            got_items
        ):
            return Sequence(type_name, tuple(map(convert_to_form, items, got_items)), class_name)
        case _:
            return got


def _nested_lists(shape: tuple[int, ...], items: tuple[Value, ...]) -> Value:
    """Convert an array that has elements or one dimension to nested lists, as `tolist` does."""
    if not shape:
        return items[0]
    step = len(items) // (shape[0] or 1)  # a dimension can have the length 0
    starts = (row * step for row in range(shape[0]))
    return Sequence(
        "list", tuple(_nested_lists(shape[1:], items[start : start + step]) for start in starts)
    )


def to_array(rows: Sequence) -> Array | None:
    """Return the array that numpy creates from nested lists, or None if their lengths differ."""
    shape, values = [len(rows.items)], list(rows.items)
    while lists := [
        value.items for value in values if isinstance(value, Sequence) and value.type_name == "list"
    ]:
        if len(lists) < len(values) or any(len(inner) != len(lists[0]) for inner in lists):
            return None
        shape.append(len(lists[0]))
        values = [value for inner in lists for value in inner]
    plain = tuple(map(unwrap_scalar, values))
    types = {value.type_name if isinstance(value, Atom) else "object" for value in plain}
    dtype = "object" if types else "float64"
    if len(types) == 1:
        dtype = _ELEMENT_TYPES.get(types.pop(), "object")
    return Array(tuple(shape), dtype, plain)
