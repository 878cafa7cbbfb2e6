"""Values that no interpreter could hold, which an executor may forge: they gain nothing.

The judge does not ask whether the elements of a set differ, or whether a key can be hashed. So
comparing and showing must be right, total and cheap without that.
"""

from __future__ import annotations

import ast
import sys
from decimal import Decimal
from itertools import permutations
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.errors import ProtocolError
from grader.values.decoding import decode
from grader.values.differences import value_differences
from grader.values.display import literal, render_value, short_value
from grader.values.equality import are_alike, comparison_key, equal
from grader.values.expressions import ExpressionError, expression
from grader.values.literals import parse_literal
from grader.values.tree import Atom, Collection, Mapping, Value

FORGED: Final[dict[str, object]] = {
    "one element twice": ["s", [1, 1]],
    "an element thrice": ["s", [2, 2, 2]],
    "elements that Python takes for equal": ["s", [1, True, ["f", "1.0"]]],
    "NaN twice": ["s", [["f", "nan"], ["f", "nan"]]],
    "numbers that raise when they are compared": ["s", [["m", "sNaN"], ["m", "sNaN"], 1]],
    "a list in a set": ["s", [["l", [1]], ["l", [1]]]],
    "a set of sets of dicts": ["s", [["s", [["d", [[1, 2]]]]], ["s", []]]],
    "an array in a set": ["z", [["a", "int64", [2], [1, 2]]]],
    "a key twice": ["d", [["a", 1], ["a", 1]]],
    "a key twice, with other values": ["d", [["a", 1], ["a", 2]]],
    "keys that Python takes for equal": ["d", [[1, "a"], [True, "b"]]],
    "a list for a key": ["d", [[["l", []], 1], [["l", []], 1]]],
    "a dict for a key": ["d", [[["d", [[1, 1]]], 1], [["d", []], 1]]],
    "a field twice": ["D", "P", [["x", 1], ["x", 2]]],
    "text that is code": ["l", ["'+exit()+'", ["b", "272b"], ["n", "str", "') or exit("]]],
    "a range of long numbers": ["r", ["i", hex(10**4_500)], ["i", hex(10**4_600)], 1],
    "a class name that is none": ["o", "a\0\ud800"],
    "a part that is too large": ["l", [["!", "list", "nodes"], 1]],
    "a number without room": ["a", "int8", [2], [300, -300]],
    "more digits than fit": ["a", "float16", [2], [["f", "0.1"], ["f", "1e+300"]]],
    "text that no array keeps": ["a", "str", [1], ["a\0"]],
    "no elements, and lengths beyond memory": ["a", "int64", [0, 2**62, 2**62], []],
    "a scalar without room": ["n", "uint8", -1],
    "a scalar of no kind": ["n", "object", None],
    "sets in sets": ["s", [["s", [["s", [1, 1]], ["s", [1, 1]]]], ["s", [["s", [1]]]]]],
}
EXPECTED: Final = (
    *("1", "'a'", "[1, 2]", "{1}", "{1, 2}", "{2, 3, 4}", "{1.0}", "{0.1, 0.2}", "{nan}", "set()"),
    *("{'a': 1}", "{'a': 1, 'b': 2}", "{1: 'a'}", "{1: 'a', 2: 'b'}", "{}", "P(x=1)"),
    *("P(x=1, y=2)", "array([1, 2])", "array([[1, 2], [3, 4]])", "np.int64(5)", "frozenset({1})"),
    "{frozenset({frozenset({1})})}",
)


def in_other_orders(value: Value) -> list[Value]:
    """Return `value` with the elements of its sets and dicts in every order."""
    match value:
        case Collection(type_name, items):
            return [Collection(type_name, order) for order in permutations(items)]
        case Mapping(items, class_name):
            return [Mapping(order, class_name) for order in permutations(items)]
        case _:
            return [value]


@pytest.mark.parametrize("tagged", FORGED.values(), ids=FORGED.keys())
def test_forged_values_are_compared_and_shown(tagged: object) -> None:
    """Nothing raises, whichever side a forged value is on, and in whatever order it came."""
    first, *orders = in_other_orders(decode(tagged))
    for expected in map(parse_literal, EXPECTED):
        assert {equal(expected, first)} >= {equal(expected, again) for again in orders}
        assert {are_alike(expected, first)} >= {are_alike(expected, again) for again in orders}
        assert value_differences(expected, first)
    for other in map(decode, FORGED.values()):  # as where a session is compared with itself
        assert equal(other, first) == equal(other, first)
        assert value_differences(other, first)
    for shown in (render_value(first), short_value(first, 80), literal(first)):
        assert shown


@pytest.mark.parametrize("tagged", FORGED.values(), ids=FORGED.keys())
def test_forged_values_are_written_as_expressions_of_known_names(tagged: object) -> None:
    """A checker of the author's is handed a forged value as code, which calls nothing else."""
    try:
        tree = ast.parse(expression(decode(tagged)), mode="eval")
    except ExpressionError:
        return
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert {"set", "frozenset", "float", "Decimal", "array", "scalar", "range"} >= names
    assert not any(isinstance(node, ast.Attribute | ast.BinOp) for node in ast.walk(tree))


@pytest.mark.parametrize("tagged", FORGED.values(), ids=FORGED.keys())
def test_no_forged_value_is_two_right_answers(tagged: object) -> None:
    """What equals every expectation would be right in a hidden session without its input."""
    right = [text for text in EXPECTED if equal(parse_literal(text), decode(tagged))]
    assert len(right) <= 1


_ELEMENTS: Final = st.one_of(st.integers(0, 3), st.booleans(), st.sampled_from("ab"), st.none())


@given(st.sets(_ELEMENTS, max_size=4), st.lists(_ELEMENTS, max_size=5))
def test_a_forged_set_is_right_when_it_has_just_the_elements(
    wanted: set[object], given_items: list[object]
) -> None:
    """Each element that is expected has to be there, and as often: once."""
    expected = Collection("set", tuple(map(Atom, wanted)))  # type: ignore[arg-type]
    got = Collection("set", tuple(map(Atom, given_items)))  # type: ignore[arg-type]
    as_often = sorted(map(comparison_key, expected.items)) == sorted(map(comparison_key, got.items))
    assert as_often == equal(expected, got)


@given(
    st.dictionaries(_ELEMENTS, st.integers(0, 1), max_size=3),
    st.lists(st.tuples(_ELEMENTS, st.integers(0, 1)), max_size=4),
)
def test_a_forged_dict_is_right_when_it_has_just_the_items(
    wanted: dict[object, int], given_items: list[tuple[object, int]]
) -> None:
    """A key that is given twice is one too many, whichever value it has."""
    expected = Mapping(tuple((Atom(key), Atom(item)) for key, item in wanted.items()))  # type: ignore[arg-type]
    got = Mapping(tuple((Atom(key), Atom(item)) for key, item in given_items))  # type: ignore[arg-type]
    as_often = sorted(
        f"{comparison_key(k)} {comparison_key(v)}" for k, v in expected.items
    ) == sorted(f"{comparison_key(k)} {comparison_key(v)}" for k, v in got.items)
    assert as_often == equal(expected, got)


@pytest.mark.parametrize("floats", [(0.3, 0.3), (0.3, 0.30000000000000004), (0.1, 0.1)])
def test_rounding_errors_make_no_element_count_twice(floats: tuple[float, float]) -> None:
    """Of elements that are as good as equal each is paired off once."""
    got = Collection("set", tuple(map(Atom, floats)))
    assert not equal(parse_literal("{0.1, 0.3}"), got)
    assert not equal(parse_literal("{0.3}"), got)


def test_colliding_elements_are_never_hashed() -> None:
    """Thousands of integers of one hash, given twice, are compared by text of our own making."""
    colliding = [number * sys.hash_info.modulus for number in range(5_000)]
    assert 1 == len(set(map(hash, colliding)))
    got = Collection("set", tuple(map(Atom, [*colliding, *colliding])))
    keys = set(map(comparison_key, got.items))
    assert len(colliding) == len(keys)
    assert not equal(parse_literal("{1, 2}"), got)


@pytest.mark.parametrize(
    ("tagged", "value"),
    [
        (["i", "0x5"], 5),
        (["i", "0_5"], 5),
        (["f", "1"], 1.0),
        (["f", " 1_0.0 "], 10.0),
        (["b", "FF 00"], b"\xff\0"),
        (["m", "1e5"], Decimal("1E+5")),
    ],
)
def test_numbers_may_be_spelt_as_one_likes(tagged: object, value: object) -> None:
    """Another spelling is the same number, and worth the same."""
    assert repr(value) == repr(getattr(decode(tagged), "value", None))


@pytest.mark.parametrize(
    "tagged",
    [
        ["a", "float64", [1], [["l", []]]],
        ["a", "float64", [1], ["1.0"]],
        ["a", "int64", [1], [True]],
        ["n", "str", ["b", "00"]],
        ["!", "list", "charm"],
    ],
)
def test_what_the_judge_relies_on_is_still_asked(tagged: object) -> None:
    """Elements of an array are of its kind, and each excess has its sentence."""
    with pytest.raises(ProtocolError):
        decode(tagged)
