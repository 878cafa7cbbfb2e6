"""Tagged JSON from an executor becomes a value of the judge's own, or a breach of the protocol."""

from __future__ import annotations

import json
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from travelling_values import BUILT_IN

from grader.errors import ProtocolError
from grader.executor.encoding import encode
from grader.protocol import (
    MAX_DEPTH,
    MAX_INT_BITS,
    MAX_NAME_CHARS,
    MAX_NODES,
    MAX_TEXT_CHARS,
    SMALL_INT_BITS,
    Excess,
    ValueLimits,
    ValueTag,
)
from grader.sandbox.session_runs import value_caps
from grader.suite.limits import Limits
from grader.values.decoding import decode
from grader.values.tree import (
    Array,
    Atom,
    Collection,
    EnumMember,
    Fields,
    Mapping,
    Opaque,
    Scalar,
    Sequence,
    TooLarge,
    Value,
    caps_for,
)

_DICTS: Final[dict[str | None, Callable[[Any], Any]]] = {
    None: dict,
    "Counter": Counter,
    "OrderedDict": OrderedDict,
    "defaultdict": lambda items: defaultdict(None, items),
}


def nested(depth: int) -> object:
    """Return the tagged JSON of a list in a list, and so on, `depth` deep."""
    tagged: object = 0
    for _ in range(depth):
        tagged = ["l", [tagged]]
    return tagged


def rebuilt(value: Value) -> Any:
    """Return the Python object that a plain `value` stands for; raises `TypeError` for others."""
    match value:
        case Atom(content):
            return content
        case Sequence("tuple", items, None):
            return tuple(map(rebuilt, items))
        case Sequence("list", items):
            return list(map(rebuilt, items))
        case Collection("set", items):
            return set(map(rebuilt, items))
        case Collection(_, items):
            return frozenset(map(rebuilt, items))
        case Mapping(items, class_name):
            return _DICTS[class_name]((rebuilt(key), rebuilt(item)) for key, item in items)
        case _:
            raise TypeError("only the executor has such objects")


GOOD: Final[list[tuple[object, Value]]] = [
    (None, Atom(None)),
    (True, Atom(True)),  # noqa: FBT003
    (1, Atom(1)),
    (2**63 - 1, Atom(2**63 - 1)),
    (-(2**63) + 1, Atom(-(2**63) + 1)),
    ("text", Atom("text")),
    (["i", "0x10000000000000000"], Atom(2**64)),
    (["i", "-0x10000000000000000"], Atom(-(2**64))),
    (["f", "1.5"], Atom(1.5)),
    (["f", "-inf"], Atom(float("-inf"))),
    (["c", "1.0", "-0.5"], Atom(1 - 0.5j)),
    (["b", "00ff"], Atom(b"\x00\xff")),
    (["r", 0, 5, 2], Atom(range(0, 5, 2))),
    (["q", 1, 3], Atom(Fraction(1, 3))),
    (["m", "1.50"], Atom(Decimal("1.50"))),
    (["t", [1]], Sequence("tuple", (Atom(1),))),
    (["t", [1], "Point"], Sequence("tuple", (Atom(1),), "Point")),
    (["l", []], Sequence("list", ())),
    (["s", ["a"]], Collection("set", (Atom("a"),))),
    (["z", []], Collection("frozenset", ())),
    (["d", [[1, None]]], Mapping(((Atom(1), Atom(None)),))),
    (["d", [], "Counter"], Mapping((), "Counter")),
    (["D", "P", [["x", 1]]], Fields("P", (("x", Atom(1)),))),
    (["a", "int64", [2, 1], [1, 2]], Array((2, 1), "int64", (Atom(1), Atom(2)))),
    (["a", "float32", [1], [["f", "0.5"]]], Array((1,), "float32", (Atom(0.5),))),
    (["a", "object", [1], [["l", []]]], Array((1,), "object", (Sequence("list", ()),))),
    (["a", "str", [0, 9], []], Array((0, 9), "str", ())),
    (["a", "bool", [], [True]], Array((), "bool", (Atom(True),))),  # noqa: FBT003
    (["n", "uint8", 255], Scalar("uint8", 255)),
    (["n", "bool", True], Scalar("bool", True)),  # noqa: FBT003
    (["E", "Colour", "RED"], EnumMember("Colour", "RED")),
    (["o", "Grid"], Opaque("Grid")),
    (["!", "list", "nodes"], TooLarge("list", Excess.NODES)),
]


@pytest.mark.parametrize(("tagged", "value"), GOOD, ids=lambda each: str(each)[:40])
def test_every_shape_of_the_protocol_is_read(tagged: object, value: Value) -> None:
    """Each tag has its node, and text keeps apart what Python holds for equal."""
    assert repr(value) == repr(decode(json.loads(json.dumps(tagged))))


def test_every_tag_is_in_the_table() -> None:
    """No tag of the protocol lacks an example above."""
    tags = {tag for name, tag in vars(ValueTag).items() if name.isupper()}
    assert tags == {tagged[0] for tagged, _ in GOOD if isinstance(tagged, list)}


MALFORMED: Final[dict[str, object]] = {
    "a float without its tag": 1.5,
    "an object": {"l": []},
    "no tag at all": [],
    "a tag that is a number": [1, []],
    "a tag that is a list": [["l"], []],
    "an unknown tag": ["x", 1],
    "an empty tag": ["", 1],
    "a long integer without its tag": 2**63,
    "a long negative integer without its tag": -(2**63),
    "an integer without digits": ["i", ""],
    "an integer that is a number": ["i", 5],
    "an integer that is no hexadecimal": ["i", "0xg"],
    "an integer with too many parts": ["i", "0x1", "0x2"],
    "an integer without parts": ["i"],
    "an integer over the cap": ["i", hex(1 << MAX_INT_BITS)],
    "an integer far over the cap": ["i", "f" * (MAX_INT_BITS + 1)],
    "a float that is a number": ["f", 1.5],
    "a float that is none": ["f", "one"],
    "a float with an endless text": ["f", "1" * 1000],
    "a complex number with one part": ["c", "1.0"],
    "a complex number of no numbers": ["c", "1.0", "j"],
    "bytes that are a number": ["b", 1],
    "bytes of no hexadecimal": ["b", "zz"],
    "half a byte": ["b", "0"],
    "a range with two parts": ["r", 0, 1],
    "a range with step zero": ["r", 0, 1, 0],
    "a range of text": ["r", "0", "1", "1"],
    "a range of a boolean": ["r", True, 1, 1],
    "a range of ranges": ["r", ["r", 0, 1, 1], 1, 1],
    "a fraction by zero": ["q", 1, 0],
    "a fraction of an object": ["q", ["o", "Evil"], 1],
    "a decimal that is none": ["m", "one"],
    "a decimal that is a number": ["m", 1],
    "an empty decimal": ["m", ""],
    "a tuple of no list": ["t", "abc"],
    "a tuple with a name that is none": ["t", [], 1],
    "a tuple with too many parts": ["t", [], "P", "Q"],
    "a list with a name": ["l", [], "List"],
    "a list that is an object": ["l", {}],
    "a set without parts": ["s"],
    "a frozenset of null": ["z", None],
    "a dict of no pairs": ["d", [1, 2]],
    "a dict with a triple": ["d", [[1, 2, 3]]],
    "a dict that is an object": ["d", {"a": 1}],
    "a dict of an unknown class": ["d", [], "ChainMap"],
    "a dict of a class that is code": ["d", [], "__import__('os').abort() or dict"],
    "a dict of a class that is a number": ["d", [], 1],
    "a dict with a malformed key": ["d", [[["x"], 1]]],
    "fields without a class": ["D", [["x", 1]]],
    "fields of which the name is a number": ["D", "P", [[1, 1]]],
    "a class name that is too long": ["o", "x" * (MAX_NAME_CHARS + 1)],
    "an array of an unknown type": ["a", "int7", [1], [1]],
    "an array of a type that is a list": ["a", [], [1], [1]],
    "an array without a shape": ["a", "int64", [1]],
    "an array whose shape is a number": ["a", "int64", 1, [1]],
    "an array with too few elements": ["a", "int64", [2], [1]],
    "an array with too many elements": ["a", "int64", [], [1, 2]],
    "an array with a negative length": ["a", "int64", [-1, -1], [1]],
    "an array with a length that is true": ["a", "int64", [True], [1]],
    "an array with a length that is a float": ["a", "int64", [1.0], [1]],
    "an array with a length of many digits": ["a", "int64", [0, 10**4_000], []],
    "an array of too many dimensions": ["a", "int64", [1] * 65, [1]],
    "an array whose elements are no list": ["a", "int64", [1], 1],
    "an array with an element of another type": ["a", "int64", [1], [["f", "1.0"]]],
    "an array of integers that holds truth": ["a", "int64", [1], [True]],
    "an array of numbers that holds a list": ["a", "int64", [1], [["l", []]]],
    "an array with too many elements in all": ["a", "int64", [MAX_NODES], [0] * MAX_NODES],
    "a scalar of an unknown type": ["n", "longdouble", ["f", "1.0"]],
    "a scalar that is a list": ["n", "int64", ["l", []]],
    "an enum without a member": ["E", "Colour"],
    "an enum of numbers": ["E", 1, 2],
    "an object without a class": ["o"],
    "an object of a null": ["o", None],
    "an unknown excess": ["!", "list", "charm"],
    "an excess that cannot be hashed": ["!", "list", []],
    "an excess of a number": ["!", 1, "nodes"],
    "too deep": nested(MAX_DEPTH + 1),
    "too many elements": ["l", [0] * MAX_NODES],
    "too many elements in all": ["l", [["l", [0] * (MAX_NODES // 2)]] * 2],
    "too many pairs": ["d", [[1, 1]] * (MAX_NODES // 2)],
    "too much text": "x" * (MAX_TEXT_CHARS + 1),
    "too much text in all": ["l", ["x" * (MAX_TEXT_CHARS // 2 + 1)] * 2],
    "too many bytes": ["b", "00" * (MAX_TEXT_CHARS // 2 + 1)],
}


@pytest.mark.parametrize("tagged", MALFORMED.values(), ids=MALFORMED.keys())
def test_malformed_values_are_refused(tagged: object) -> None:
    """What is out of shape, or over the caps, is a breach of the protocol."""
    with pytest.raises(ProtocolError):
        decode(tagged)


@pytest.mark.parametrize("tag", [tagged[0] for tagged, _ in GOOD if isinstance(tagged, list)])
@pytest.mark.parametrize("parts", [0, 4, 5, 50])
def test_no_tag_takes_any_number_of_parts(tag: str, parts: int) -> None:
    """Every tag has its own shape; surplus parts are not overlooked."""
    with pytest.raises(ProtocolError):
        decode([tag, *[[]] * parts])


def test_the_deepest_value_allowed_is_read() -> None:
    """The cap on depth is the encoder's own: neither side is stricter than the other."""
    assert isinstance(decode(nested(MAX_DEPTH)), Sequence)


@pytest.mark.parametrize(
    ("cap", "most", "tagged"),
    [
        ("value_items", 3, ["l", [1, 2]]),
        ("value_items", 3, ["d", [[1, 2]]]),
        ("value_items", 4, ["r", 1, 2, 1]),
        ("value_depth", 1, ["l", [1]]),
        ("value_chars", 3, ["l", ["ab", "c"]]),
        ("value_chars", 4, ["b", "00ff"]),
        ("value_chars", 3, ["m", "1.5"]),
        ("int_bits", 70, ["i", hex((1 << 70) - 1)]),
    ],
)
def test_what_is_over_a_cap_of_the_suite_is_a_breach(
    cap: str, most: int, tagged: list[object]
) -> None:
    """The judge holds a value to what the suite allows; one that it let through is no excuse."""
    for _ in range(2):
        decode(tagged, ValueLimits(**{cap: most}))
        with pytest.raises(ProtocolError):
            decode(tagged, ValueLimits(**{cap: most - 1}))


@given(BUILT_IN)
def test_the_lowest_caps_for_a_value(value: object) -> None:
    """A value travels within the caps that it is said to need, and within no lower ones.

    None and truth values travel within any.
    """
    if value is None or isinstance(value, bool):
        assert value is encode(
            value, ValueLimits(value_items=0, value_depth=0, value_chars=0, int_bits=0)
        )
        return
    caps = caps_for(decode(encode(value)))
    assert repr(decode(encode(value))) == repr(decode(encode(value, caps), caps))
    for name in ("value_items", "value_depth", "value_chars", "int_bits"):
        if (most := getattr(caps, name)) and (name != "int_bits" or most > SMALL_INT_BITS):
            assert "!" in cast("list[object]", encode(value, replace(caps, **{name: most - 1})))


def test_caps_come_with_the_limits_of_a_session() -> None:
    """Those that are not among the limits have their default; other limits do not matter."""
    assert ValueLimits(value_depth=7, int_bits=99) == ValueLimits.from_limits(
        {"value_depth": 7, "int_bits": 99, "output_chars": 5}
    )


def test_the_usual_caps_are_the_default_limits() -> None:
    """What a suite says nothing about is the same to the limits, the executor and the decoder."""
    assert ValueLimits() == value_caps(Limits())


_TAGS: Final = [tag for name, tag in vars(ValueTag).items() if name.isupper()]
_SCRAPS: Final = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from([*_TAGS, "0x1", "1.0", "nan", "nodes", "Counter", "ff", "1_0", " 1 ", "٣"]),
)
_JSON: Final = st.recursive(
    _SCRAPS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.text(max_size=3), inner, max_size=2),
        st.builds(lambda tag, parts: [tag, *parts], st.sampled_from(_TAGS), st.lists(inner)),
        st.builds(
            lambda tag, parts: [tag, parts],
            st.sampled_from([ValueTag.LIST, ValueTag.TUPLE, ValueTag.SET, ValueTag.DICT]),
            st.lists(inner, max_size=4),
        ),
    ),
    max_leaves=12,
)


@given(_JSON)
def test_any_json_is_a_value_or_a_breach(tagged: object) -> None:
    """Whatever an executor sends is read or refused, and never takes the judge down.

    What is accepted and can be rebuilt here is a value that our encoder does send.
    """
    try:
        value = decode(tagged)
    except ProtocolError:
        return
    try:
        rebuilt_value = rebuilt(value)
    except TypeError:
        return  # an object, or a set of what cannot be hashed: forged, and of no use
    again = decode(json.loads(json.dumps(encode(rebuilt_value))))
    assert in_any_order(encode(rebuilt(again))) == in_any_order(encode(rebuilt_value))


def in_any_order(sent: object) -> str:
    """Return a text of what an encoder `sent` in which the order of a set does not show."""
    match sent:
        case [ValueTag.SET | ValueTag.FROZENSET as tag, [*items]]:
            return f"{tag}{sorted(map(in_any_order, items))}"
        case [*parts]:
            return f"[{', '.join(map(in_any_order, parts))}]"
        case _:
            return repr(sent)
