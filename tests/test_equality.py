"""Comparison is total and typed: what counts as the same value, and what does not."""

from __future__ import annotations

import enum
import math
from collections import Counter, OrderedDict
from dataclasses import make_dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.executor.encoding import encode
from grader.values.decoding import decode
from grader.values.equality import are_alike, comparison_key, equal
from grader.values.literals import parse_literal
from grader.values.tree import (
    Atom,
    Collection,
    EnumMember,
    Fields,
    Mapping,
    Opaque,
    Sequence,
    TooLarge,
    Value,
)


def seen(value: object) -> Value:
    """Return `value` as the judge sees it."""
    return decode(encode(value))


class Pair(NamedTuple):
    """A named tuple."""

    x: int
    y: int


class Couple(NamedTuple):
    """A named tuple of another class."""

    x: int
    y: int


class Colour(enum.Enum):
    """An enum."""

    RED = 1
    BLUE = 2


class Other(enum.Enum):
    """An enum with a member of the same name."""

    RED = 1


Point = make_dataclass("Point", ["x", "y"])
Place = make_dataclass("Place", ["x", "y"])
NAN = float("nan")

EQUAL: list[tuple[Any, Any]] = [
    (None, None),
    (1, 1),
    (10**400, 10**400),
    ("", ""),
    ("e\u0301", "e\u0301"),
    (b"a", b"a"),
    (1.0, 1.0 + 1e-12),
    (0.3, 0.1 + 0.2),
    (1e300, 1e300 * (1 + 1e-10)),
    (0.0, -0.0),
    (0.0, 1e-13),
    (math.inf, math.inf),
    (NAN, NAN),
    (NAN, -NAN),
    (1 + 2j, 1 + 2.0000000001j),
    (complex(NAN, 1), complex(NAN, 1)),
    (Decimal("1.5"), Decimal("1.50")),
    (Decimal(100), Decimal("1E2")),
    (Decimal(0), Decimal("-0.00")),
    (Decimal("NaN"), Decimal("NaN")),
    (Decimal("sNaN"), Decimal("sNaN")),
    (Decimal("-Infinity"), Decimal("-Infinity")),
    (Decimal("1E+9999999"), Decimal("10E+9999998")),
    (Fraction(1, 2), Fraction(2, 4)),
    (range(0, 5, 2), range(0, 6, 2)),
    (range(0), range(5, 5)),
    ([1, [2, (3,)]], [1, [2, (3,)]]),
    ({1, 2, 3}, {3, 2, 1}),
    ({(0, 1), (2, 3)}, {(2, 3), (0, 1)}),
    ({0.3, 5}, {5, 0.1 + 0.2}),
    ({(0.3, "a")}, {(0.1 + 0.2, "a")}),
    (frozenset({1}), frozenset({1})),
    ({"a": [1], "b": 2}, {"b": 2, "a": [1]}),
    ({"a": 1}, OrderedDict(a=1)),
    ({"a": 2}, Counter("aa")),
    ({1: 0.3}, {1: 0.1 + 0.2}),
    ((1, 2), Pair(1, 2)),
    (Point(1, [2]), Point(1, [2])),
    (Point(0.3, 0), Point(0.1 + 0.2, 0)),
    (Colour.RED, Colour.RED),
    ([], []),
]


@pytest.mark.parametrize(("expected", "got"), EQUAL, ids=range(len(EQUAL)))
def test_equal(expected: object, got: object) -> None:
    """The same value, as far as its type can tell, is accepted."""
    assert equal(seen(expected), seen(got))


UNEQUAL: list[tuple[Any, Any]] = [
    (True, 1),
    (1, True),
    (False, 0),
    (None, False),
    (None, 0),
    (1, 1.0),
    (1.0, 1),
    (1, "1"),
    ("a", b"a"),
    ("a", "A"),
    ("a", "a "),
    ("\u00e9", "e\u0301"),
    (10**18, 10**18 + 1),
    (10**400, 10**400 + 1),
    (1.0, 1.0 + 1e-8),
    (0.0, 1e-11),
    (1.0, NAN),
    (NAN, 0.0),
    (math.inf, -math.inf),
    (math.inf, 1.7e308),
    (1.0, 1 + 0j),
    (1 + 1j, 1 - 1j),
    (Decimal("1.5"), 1.5),
    (Decimal("1.00000000000000000000000000001"), Decimal(1)),
    (Decimal("NaN"), Decimal("sNaN")),
    (Decimal("Infinity"), Decimal(0)),
    (Decimal(1), Decimal(-1)),
    (Decimal("1E+9999999"), Decimal("1E+9999998")),
    (Fraction(1, 2), 0.5),
    (Fraction(2, 1), 2),
    (range(3), [0, 1, 2]),
    (range(3), range(4)),
    ((1, 2), [1, 2]),
    ([1, 2], (1, 2)),
    ([1, 2], [2, 1]),
    ([1], [1, 1]),
    ([True], [1]),
    ({1, 2}, {1, 2, 3}),
    ({1, 2, 3}, {1, 2}),
    ({1}, {True}),
    ({1}, {1.0}),
    ({1}, [1]),
    ({1}, frozenset({1})),
    (frozenset({(1, 2)}), frozenset({(2, 1)})),
    (set(), {}),
    ({"a": 1}, {"a": 2}),
    ({"a": 1}, {"a": True}),
    ({1: "a"}, {True: "a"}),
    ({"a": 1}, {"b": 1}),
    ({"a": 1}, {"a": 1, "b": 2}),
    ({"a": 1}, [("a", 1)]),
    (Pair(1, 2), (1, 2)),
    (Point(1, 2), Place(1, 2)),
    (Point(1, 2), Point(2, 1)),
    (Point(1, 2), (1, 2)),
    (Point(1, 2), {"x": 1, "y": 2}),
    (Colour.RED, Colour.BLUE),
    (Colour.RED, Other.RED),
    (Colour.RED, 1),
    (object(), object()),
    ([object()], [object()]),
    ("x" * 200_000, "x" * 200_000),
]


@pytest.mark.parametrize(("expected", "got"), UNEQUAL, ids=range(len(UNEQUAL)))
def test_unequal(expected: object, got: object) -> None:
    """A value of another type, or one that only looks the same, is refused."""
    assert not equal(seen(expected), seen(got))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Pair(x=1, y=2)", Pair(1, 2)),
        ("Point(x=1, y=2)", Point(1, 2)),
        ("Colour.RED", Colour.RED),
        ("{(2, 1), (3, 1)}", {(3, 1), (2, 1)}),
        ("[nan, -inf]", [NAN, -math.inf]),
        ("Decimal('1.50')", Decimal("1.5")),
        ("range(0, 3)", range(3)),
        ("-0.5j", -0.5j),
    ],
)
def test_displays_of_a_suite_match_the_values_themselves(text: str, value: object) -> None:
    """What a suite writes as Python displays it, is what comes from an executor."""
    assert equal(parse_literal(text), seen(value))


@pytest.mark.parametrize("text", ["Pair(x=2, y=1)", "Pair(x=1)", "Other(x=1, y=2)"])
def test_named_tuples_have_a_name_and_a_length(text: str) -> None:
    """The display of another named tuple does not match."""
    assert not equal(parse_literal(text), seen(Pair(1, 2)))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{Pair(x=1, y=2): 3}", {Pair(1, 2): 3}),
        ("{(Pair(x=1, y=2), 5): 3}", {(Pair(1, 2), 5): 3}),
        ("{frozenset({Pair(x=1, y=2)}): 3}", {frozenset({Pair(1, 2)}): 3}),
        (repr({Pair(n, 0) for n in range(99)}), {Pair(n, 0) for n in range(99)}),
    ],
)
def test_named_tuples_are_found_in_sets_and_as_keys(text: str, value: object) -> None:
    """Those of another class, or with other fields, are not."""
    expected = parse_literal(text)
    assert equal(expected, seen(value))
    assert not equal(parse_literal(text.replace("Pair", "Other")), seen(value))
    assert not equal(parse_literal(text.replace("x=1,", "x=-1,")), seen(value))


def test_classes_of_named_tuples_are_compared_in_sets_and_as_keys() -> None:
    """`Pair(1, 0)` and `Couple(1, 0)` are equal in Python, but are displayed differently."""
    expected = parse_literal("{Pair(x=1, y=0), Pair(x=2, y=0)}")
    assert equal(expected, seen({Pair(1, 0), Pair(2, 0)}))
    assert not equal(expected, seen({Couple(1, 0), Pair(2, 0)}))
    keys = parse_literal("{Pair(x=1, y=0): 1, Pair(x=2, y=0): 2}")
    assert not equal(keys, seen({Couple(1, 0): 1, Pair(2, 0): 2}))


def test_a_named_tuple_is_expected_by_name_only_when_it_says_so() -> None:
    """The fields of a dataclass are never a plain tuple."""
    assert not equal(Fields("tuple", (("x", Atom(1)),)), seen((1,)))


def test_objects_and_excesses_equal_nothing() -> None:
    """What cannot be looked into is never accepted, not even against itself."""
    for value in (Opaque("X"), TooLarge("list", "nodes")):
        assert not equal(value, value)
        assert not equal(Atom(1), value)
        assert not equal(Sequence("list", (value,)), Sequence("list", (value,)))


def test_tolerance_is_for_the_expected_float_only() -> None:
    """An integer is exact, however near."""
    assert not equal(seen(10**15), seen(1e15))
    assert not equal(seen([1]), seen([1.0]))


def test_a_close_element_answers_for_one_element_only() -> None:
    """In a set, two expected floats need two floats."""
    assert not equal(seen({1.0, 2.0}), seen({1.0 + 1e-12, 1.0 - 1e-12}))


def test_duplicate_keys_do_not_make_a_dict_equal() -> None:
    """A forged dict that has one key twice is not the dict that has it once."""
    pair = (Atom(1), Atom(2))
    assert not equal(Mapping((pair,)), Mapping((pair, pair)))


def test_colliding_numbers_are_compared_like_any_other() -> None:
    """Integers that share a hash are told apart by their text; nothing of theirs is hashed."""
    period = 2**61 - 1
    numbers = Collection("set", tuple(Atom(index * period) for index in range(1, 9_000)))
    shuffled = Collection("set", tuple(reversed(numbers.items)))
    assert equal(numbers, shuffled)
    assert not equal(numbers, Collection("set", (*shuffled.items[:-1], Atom(-1))))


def test_large_sets_of_floats_must_be_exact() -> None:
    """Beyond some size nothing is paired off one by one; exact sets are still equal."""
    floats = {index + 0.5 for index in range(5_000)}
    assert equal(seen(floats), seen(floats))
    assert not equal(seen(floats), seen({number * (1 + 1e-12) for number in floats}))


_KEYED = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-3, 3),
        st.sampled_from(["", "a", "int 0x1", "1", "),("]),
        st.binary(max_size=1),
        st.sampled_from([Decimal(1), Decimal("1.0"), Decimal("1E0"), Decimal("sNaN")]),
        st.fractions(0, 1, max_denominator=2),
    ).map(Atom),
    lambda inner: st.one_of(
        st.builds(
            Sequence,
            st.sampled_from(["list", "tuple"]),
            st.lists(inner, max_size=3).map(tuple),
        ),
        st.builds(
            lambda name, items: Collection(
                name, tuple({comparison_key(item): item for item in items}.values())
            ),
            st.sampled_from(["set", "frozenset"]),
            st.lists(inner, max_size=3),
        ),
        st.builds(
            lambda pairs: Mapping(
                tuple({comparison_key(pair[0]): pair for pair in pairs}.values())
            ),
            st.lists(st.tuples(inner, inner), max_size=3),
        ),
        st.builds(
            lambda name, items: Fields(name, tuple(items)),
            st.sampled_from(["P", "tuple", "list"]),
            st.lists(st.tuples(st.sampled_from(["x", "y=int 0x1,z"]), inner), max_size=2),
        ),
        st.builds(EnumMember, st.sampled_from(["C", "C.D"]), st.sampled_from(["E", "D.E"])),
    ),
    max_leaves=6,
)


@given(_KEYED)
def test_every_value_equals_itself(value: Value) -> None:
    """Equality is reflexive, NaN included."""
    assert equal(value, value)


@given(_KEYED, _KEYED)
def test_equality_is_symmetric_and_has_a_key(one: Value, other: Value) -> None:
    """Without floats, `key_of` says the same as `equal`, whichever is the expected one."""
    assert equal(one, other) == equal(other, one) == (comparison_key(one) == comparison_key(other))


@given(st.floats(), st.floats())
def test_closeness_of_floats_is_symmetric(one: float, other: float) -> None:
    """It does not matter which of two floats was expected."""
    assert equal(Atom(one), Atom(other)) == equal(Atom(other), Atom(one))


@given(st.lists(st.one_of(st.integers(), st.text(max_size=3), st.floats()), max_size=8))
def test_order_means_nothing_in_a_set(items: list[object]) -> None:
    """A set equals itself in any order of its elements."""
    values = tuple(map(seen, dict.fromkeys(items)))
    assert equal(Collection("set", values), Collection("set", values[::-1]))


@given(st.decimals(), st.decimals())
def test_decimals_are_equal_as_numbers(one: Decimal, other: Decimal) -> None:
    """Finite decimals are equal when Python says so, however they are written."""
    if one.is_finite() and other.is_finite():
        assert (one == other) == equal(Atom(one), Atom(other))


@pytest.mark.parametrize(
    ("expected", "got", "answer"),
    [
        (1, True, True),
        (1, 1.0, True),
        (1, 2.0, False),
        ((1, 2), [1, 2], True),
        ([1, 2], (2, 1), False),
        ([1, [2]], (1.0, (2,)), True),
        ({1, 2}, [2, 1], True),
        ([1, 1], {1}, False),
        ({1}, frozenset({1}), True),
        (12, "12", True),
        ("12", 12, True),
        ("12", 13, False),
        ("None", None, False),
        ({}, [], False),
        ("1", 10**4900, False),
        (10**4900, "1", False),
    ],
    ids=range(16),
)
def test_alike(expected: object, got: object, answer: bool) -> None:
    """The right content in the wrong type is recognised, so that a student can be told so."""
    assert answer == are_alike(seen(expected), seen(got))
