"""Sets and dicts hold what an interpreter can hold in them, told without Python's own hash."""

from __future__ import annotations

import sys
from decimal import Decimal
from fractions import Fraction

import pytest

from grader.decoding import decode
from grader.elements import _key_of_atom, check_elements
from grader.errors import ProtocolError
from grader.executor.encoding import encode
from grader.values import Atom, Collection, Mapping, Sequence, Value

POSSIBLE: list[object] = [
    {1, 2.5, "1", b"1", None, 1j, Fraction(1, 3), Decimal("0.1"), 0.1},
    {float("nan"), float("nan"), Decimal("NaN")},
    {float("inf"), float("-inf")},
    {Decimal("1E+400"), Decimal("1E+401"), Decimal("Infinity"), Decimal("-1E+400")},
    {Decimal(2) ** 1100, Decimal(2) ** 1100 + 1},
    {1 << 16_383, Fraction(1, (1 << 16_383) + 1), Decimal("1E+999999999")},
    {range(0), range(1), range(0, 9, 3), range(0, 9, 2)},
    {(1, (2,)), (1, 2), frozenset({1, 2}), frozenset({frozenset()})},
    {number * sys.hash_info.modulus for number in range(100)},
    [{1: {2}, "a": [{}]}],
]
EQUAL: list[tuple[object, object]] = [
    (1, True),
    (0, -0.0),
    (2, Decimal("2.00")),
    (Decimal("1E+400"), Decimal("10E+399")),
    (float("-inf"), Decimal("-Infinity")),
    (0.5, Fraction(1, 2)),
    (3, 3 + 0j),
    (float("inf"), Decimal("Infinity")),
    (range(0), range(5, 5)),
    (range(1), range(0, 7, 9)),
    ((1, "a"), (True, "a")),
    (frozenset({1, 2}), frozenset({2.0, 1})),
]


@pytest.mark.parametrize("value", POSSIBLE)
def test_what_python_holds_is_accepted(value: object) -> None:
    """Different elements are told apart, whatever their types and their hashes."""
    check_elements(decode(encode(value)))


@pytest.mark.parametrize("pair", EQUAL, ids=str)
@pytest.mark.parametrize("kind", ["set", "dict", "nested"])
def test_equal_elements_are_refused(pair: tuple[object, object], kind: str) -> None:
    """A set or a dict holds one of two equal values, whatever their types."""
    assert pair[0] == pair[1]
    items = tuple(decode(encode(each)) for each in pair)
    forged: Value = Collection("set", items)
    if kind == "dict":
        forged = Mapping(tuple((item, Atom(1)) for item in items))
    if kind == "nested":
        forged = Sequence("list", (Collection("frozenset", items),))
    with pytest.raises(ProtocolError):
        check_elements(forged)


@pytest.mark.parametrize(
    "element",
    [
        Sequence("list", ()),
        Collection("set", ()),
        Mapping(()),
        Sequence("tuple", (Mapping(()),)),
        Atom(Decimal("sNaN")),
    ],
    ids=str,
)
def test_what_cannot_be_hashed_is_no_element(element: Value) -> None:
    """A list, a set, a dict or a signalling NaN stands in no set, nor does a tuple of one."""
    with pytest.raises(ProtocolError):
        check_elements(Collection("set", (element,)))


def test_numbers_are_told_apart_by_text() -> None:
    """Integers of one hash have keys that nobody can make collide."""
    keys = {_key_of_atom(number * sys.hash_info.modulus) for number in range(1_000)}
    assert len(keys) == len(set(map(hash, keys))) == 1_000
