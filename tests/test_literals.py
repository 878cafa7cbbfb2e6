"""Literals of suites, and text that is none."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.executor.encoding import encode
from grader.protocol import ELEMENT_KINDS, MAX_DEPTH, MAX_INT_BITS, MAX_NODES, MAX_TEXT_CHARS
from grader.values.decoding import decode
from grader.values.display import literal
from grader.values.equality import equal
from grader.values.literals import LiteralError, parse_literal
from grader.values.tree import (
    Array,
    Atom,
    Collection,
    EnumMember,
    Fields,
    Mapping,
    Scalar,
    Sequence,
    Value,
)

ONE: Final = Atom(1)
TWO: Final = Atom(2)
EXAMPLES: Final = "6, 'text', [1, 2] or {(2, 1), (3, 1)}"
OUTCOME: Final = f"write its result, such as {EXAMPLES}"
PART: Final = "executors cannot send a value of this size: expect a part of it"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("None", Atom(None)),
        ("True", Atom(value=True)),
        ("0", Atom(0)),
        ("-12", Atom(-12)),
        ("+12", Atom(12)),
        ("1_000", Atom(1000)),
        ("0xff", Atom(255)),
        ("1.5", Atom(1.5)),
        ("-1e-3", Atom(-0.001)),
        ("inf", Atom(math.inf)),
        ("-inf", Atom(-math.inf)),
        ("2j", Atom(2j)),
        ("-2j", Atom(complex(0, -2))),
        ("1+2j", Atom(1 + 2j)),
        ("(-1.5-2j)", Atom(-1.5 - 2j)),
        ("(inf-infj)", Atom(complex(math.inf, -math.inf))),
        ("'a' \"b\"", Atom("ab")),
        (r"'\d'", Atom(r"\d")),
        ("'漢字'", Atom("漢字")),
        (r"b'\xff'", Atom(b"\xff")),
        ("()", Sequence("tuple", ())),
        ("(1,)", Sequence("tuple", (ONE,))),
        ("1, 2", Sequence("tuple", (ONE, TWO))),
        ("[1, [2]]", Sequence("list", (ONE, Sequence("list", (TWO,))))),
        ("{1, 2}", Collection("set", (ONE, TWO))),
        ("set()", Collection("set", ())),
        ("frozenset()", Collection("frozenset", ())),
        ("frozenset({1})", Collection("frozenset", (ONE,))),
        ("{()}", Collection("set", (Sequence("tuple", ()),))),
        ("{frozenset({1})}", Collection("set", (Collection("frozenset", (ONE,)),))),
        ("{}", Mapping(())),
        ("{1: [2]}", Mapping(((ONE, Sequence("list", (TWO,))),))),
        ("range(3)", Atom(range(3))),
        ("range(3, -3, -2)", Atom(range(3, -3, -2))),
        ("Fraction(-1, 3)", Atom(Fraction(-1, 3))),
        ("Fraction(2)", Atom(Fraction(2))),
        ("Decimal('1.50')", Atom(Decimal("1.50"))),
        ("Position(x=1, y=2)", Fields("Position", (("x", ONE), ("y", TWO)))),
        ("Grid.Position(x=1)", Fields("Position", (("x", ONE),))),
        ("Empty()", Fields("Empty", ())),
        ("Colour.RED", EnumMember("Colour", "RED")),
        ("grid.Colour.RED", EnumMember("Colour", "RED")),
        (
            "{Colour.RED: P(x=1)}",
            Mapping(((EnumMember("Colour", "RED"), Fields("P", (("x", ONE),))),)),
        ),
        ("array([1, 2])", Array((2,), "int64", (ONE, TWO))),
        ("np.array([[1],\n       [2]])", Array((2, 1), "int64", (ONE, TWO))),
        ("array([1., 2])", Array((2,), "float64", (Atom(1.0), Atom(2.0)))),
        ("array([ True, False])", Array((2,), "bool", (Atom(True), Atom(False)))),  # noqa: FBT003
        ("array([1, 2], dtype=uint8)", Array((2,), "uint8", (ONE, TWO))),
        ("array([1, 2], dtype=np.int32)", Array((2,), "int32", (ONE, TWO))),
        ("array([1, 2], dtype=float)", Array((2,), "float64", (Atom(1.0), Atom(2.0)))),
        ("array([1+2j])", Array((1,), "complex128", (Atom(1 + 2j),))),
        ("array(['a', 'bc'], dtype='<U2')", Array((2,), "str", (Atom("a"), Atom("bc")))),
        ("array([b'a'], dtype='|S1')", Array((1,), "bytes", (Atom(b"a"),))),
        ("array([], dtype=float64)", Array((0,), "float64", ())),
        ("array([], shape=(0, 3), dtype=int64)", Array((0, 3), "int64", ())),
        ("array([1, None], dtype=object)", Array((2,), "object", (ONE, Atom(None)))),
        ("array(5)", Array((), "int64", (Atom(5),))),
        ("(1, array([[2]]))", Sequence("tuple", (ONE, Array((1, 1), "int64", (TWO,))))),
        ("np.int64(1)", Scalar("int64", 1)),
        ("np.float32(0.5)", Scalar("float32", 0.5)),
        ("np.float64(inf)", Scalar("float64", math.inf)),
        ("np.str_('a')", Scalar("str", "a")),
        ("np.True_", Scalar("bool", True)),  # noqa: FBT003
        (" \t\n [1,\n 2]\n", Sequence("list", (ONE, TWO))),
        ("1  # one", ONE),
    ],
)
def test_value(text: str, value: Value) -> None:
    """What Python displays is read as the value that it displays, type included."""
    found = parse_literal(text)

    assert value == found
    assert repr(value) == repr(found)


def test_nan() -> None:
    """Numbers that equal nothing, not even themselves, can be expected."""
    signalling = "{Decimal('NaN'), Decimal('sNaN')}"

    assert signalling == literal(parse_literal(signalling))
    assert "nan" == literal(parse_literal("nan"))
    assert "(nan+nanj)" == literal(parse_literal("(nan+nanj)"))


@pytest.mark.parametrize(
    ("text", "column", "problem", "advice"),
    [
        ("", 0, "there is no literal here", f"write one, such as {EXAMPLES}"),
        ("x", 0, "the name x is not a literal", "write text in quotes, such as 'x'"),
        ("(1,\n 'é', x)", 10, "the name x is not a literal", "write text in quotes, such as 'x'"),
        (
            "  \r\n (1,\r\n  x)",
            12,
            "the name x is not a literal",
            "write text in quotes, such as 'x'",
        ),
        ("true", 0, "the name true is not a literal", "write True"),
        ("[NULL]", 1, "the name NULL is not a literal", "write None"),
        ("1 + 2", 0, "a calculation is not a literal", OUTCOME),
        ("1 * 2j", 0, "a calculation is not a literal", OUTCOME),
        ("1j + 2j", 0, "a calculation is not a literal", OUTCOME),
        ("True + 2j", 0, "a calculation is not a literal", OUTCOME),
        ("-True", 0, "a calculation is not a literal", OUTCOME),
        ("--1", 0, "a calculation is not a literal", OUTCOME),
        ("~1", 0, "a calculation is not a literal", OUTCOME),
        ("1 < 2", 0, "a comparison is not a literal", OUTCOME),
        ("[i for i in x]", 0, "a comprehension is not a literal", OUTCOME),
        ("f'{x}'", 0, "an f-string is not a literal", OUTCOME),
        ("[*x]", 1, "unpacking with * is not a literal", OUTCOME),
        (
            "array([0, 1], dtype=bool)",
            0,
            "an array of type bool cannot contain these elements",
            "give all elements the same type, or write dtype=object",
        ),
        (
            "array([1, 'a'])",
            0,
            "an array of type int64 cannot contain these elements",
            "give all elements the same type, or write dtype=object",
        ),
        (
            "array([[1, 2], [3]])",
            6,
            "the rows of this array differ in length",
            "give all rows the same number of elements",
        ),
        (
            "array([1], shape=(0, 1))",
            17,
            "this is not the shape of an array without elements",
            "leave it out, or write it like shape=(0, 3)",
        ),
        *(
            (
                f"array([], shape={shape})",
                16,
                "this is not the shape of an array without elements",
                "leave it out, or write it like shape=(0, 3)",
            )
            for shape in ("(True, 0)", "(0, False)", "(0, 'a')", "(0, 1.5)", "(1,)", "(0, -1)", "0")
        ),
        (
            "array([1], dtype=datetime64)",
            17,
            "arrays of this element type are not supported",
            f"write one of {', '.join(ELEMENT_KINDS)}",
        ),
        (
            "array('i', [1])",
            0,
            "this is not how Python displays such a value",
            "write it like array([[1, 2], [3, 4]])",
        ),
        (
            "np.int8(200)",
            0,
            "this is not how Python displays such a value",
            "write it like np.int8(5)",
        ),
        (
            "np.zeros(3)",
            0,
            "a call to np.zeros is not a literal",
            "write the value itself, such as array([[1, 2], [3, 4]]) or np.int64(5)",
        ),
        ("f()()", 0, "a call is not a literal", OUTCOME),
        ("dict(a=1)", 0, "a call is not a literal", OUTCOME),
        ("lambda: 1", 0, "this expression is not a literal", OUTCOME),
        ("f().x", 0, "this expression is not a literal", OUTCOME),
        (
            "[1, ...]",
            4,
            "`...` is not a literal",
            "write the complete value; no part can be omitted",
        ),
        (
            "{**x, 'b': 2}",
            0,
            "unpacking with ** is not a literal",
            "write all keys, such as {'a': 1, 'b': 2}",
        ),
        (
            "Counter({'a': 1})",
            0,
            "Counter is not a literal",
            "write a dict without its class, such as {'a': 1}",
        ),
        (
            "defaultdict(list, {})",
            0,
            "defaultdict is not a literal",
            "write a dict without its class, such as {'a': 1}",
        ),
        (
            "math.inf",
            0,
            "a name from the module math is not a literal",
            "write the number itself; inf and nan are written without a module",
        ),
        (
            "P(1, y=2)",
            0,
            "fields without names are not a literal",
            "name all fields, such as P(x=1, y=2)",
        ),
        (
            "P(**x)",
            0,
            "fields without names are not a literal",
            "name all fields, such as P(x=1, y=2)",
        ),
        ("P(x=1, x=2)", 0, "a field is given twice", "leave one of them out"),
        ("{1, 2, True}", 7, "an element of a set is given twice", "leave one of them out"),
        ("{(1, 2), (1.0, 2)}", 9, "an element of a set is given twice", "leave one of them out"),
        ("{C.A, C.A}", 6, "an element of a set is given twice", "leave one of them out"),
        (
            "frozenset({1, 1})",
            14,
            "an element of a frozenset is given twice",
            "leave one of them out",
        ),
        ("{'a': 1, 'a': 2}", 9, "a key of a dict is given twice", "leave one of them out"),
        (
            "{[1]}",
            1,
            "a list cannot be hashed, as an element of a set must be",
            "write a tuple or a frozenset instead",
        ),
        (
            "{(1, {2}): 3}",
            1,
            "a set cannot be hashed, as a key of a dict must be",
            "write a tuple or a frozenset instead",
        ),
        (
            "set([1])",
            0,
            "this is not how Python displays such a value",
            "write it like set() or {1, 2}",
        ),
        (
            "frozenset([1])",
            0,
            "this is not how Python displays such a value",
            "write it like frozenset({1})",
        ),
        (
            "frozenset(x={1})",
            0,
            "this is not how Python displays such a value",
            "write it like frozenset({1})",
        ),
        *(
            (
                text,
                0,
                "this is not how Python displays such a value",
                "write it like range(0, 10, 2)",
            )
            for text in ("range()", "range(1, 2, 0)", "range(1.5)", "range([1])", "range(stop=3)")
        ),
        (
            "Fraction(1, 0)",
            0,
            "this is not how Python displays such a value",
            "write it like Fraction(1, 3)",
        ),
        (
            "Decimal('x')",
            0,
            "this is not how Python displays such a value",
            "write it like Decimal('1.5')",
        ),
        (
            "<Grid object at 0x7f00>",
            0,
            "the display of an object is not a literal",
            f"expect a value, such as {EXAMPLES}",
        ),
    ],
)
def test_refused(text: str, column: int, problem: str, advice: str) -> None:
    """What is not a literal is refused with the reason, the place, and what to write instead."""
    with pytest.raises(LiteralError) as caught:
        parse_literal(text)
    error = caught.value

    assert (problem, advice, column) == (error.problem, error.advice, error.column)
    assert f"{problem}; {advice}" == str(error)


@pytest.mark.parametrize(
    ("text", "column", "reason"),
    [
        ("1 +", 3, "invalid syntax"),
        ("  (1,\n2", 2, "'(' was never closed"),
        ("'a", 0, "unterminated string literal (detected at line 1)"),
        ("1\n2", 2, "invalid syntax"),
        ("é é", 2, "invalid syntax"),
        ("(" * 300, 200, "too many nested parentheses"),
    ],
)
def test_no_python(text: str, column: int, reason: str) -> None:
    """What is no Python is refused with Python's own reason, at the place it names."""
    with pytest.raises(LiteralError) as caught:
        parse_literal(text)
    problem = f"this is not a Python literal: {reason}"

    assert problem == caught.value.problem[: len(problem)]
    assert f"write one, such as {EXAMPLES}" == caught.value.advice
    assert column == caught.value.column


def test_too_many_digits() -> None:
    """A decimal number that Python refuses to convert is refused with Python's reason."""
    with pytest.raises(LiteralError) as caught:
        parse_literal("9" * 5000)

    assert caught.value.problem.startswith("this is not a Python literal: Exceeds the limit (4300")


@pytest.mark.parametrize(
    "text",
    ["-" * 90_000 + "1", "1" + "+1" * 40_000, "a" + ".b" * 40_000, "f" + "()" * 40_000, "'\ud800'"],
    ids=["signs", "sum", "attributes", "calls", "surrogate"],
)
def test_beyond_the_parser(text: str) -> None:
    """What Python's parser gives up on is refused as well."""
    with pytest.raises(LiteralError) as caught:
        parse_literal(f" {text}")

    assert "Python cannot parse this" == caught.value.problem
    assert f"write a literal, such as {EXAMPLES}" == caught.value.advice
    assert 1 == caught.value.column


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("[" * (MAX_DEPTH + 2) + "]" * (MAX_DEPTH + 2), "more than 40 levels deep"),
        (f"[{'1,' * MAX_NODES}]", "more than 20,000 elements"),
        (f"'{'x' * 60_000}' , b'{'x' * 30_000}'", "more than 100,000 characters of text"),
        (hex(1 << MAX_INT_BITS), "an int of 16,385 bits"),
        (f"-{hex(1 << MAX_INT_BITS)}", "an int of 16,385 bits"),
        (f"1{'0' * 400}+1j", "a real part that exceeds the range of floats"),
        (f"{'P' * 201}(x=1)", "a name of more than 200 characters"),
        (f"{'P' * 201}.a", "a name of more than 200 characters"),
        (f"P.{'a' * 201}", "a name of more than 200 characters"),
    ],
    ids=["depth", "nodes", "text", "int", "negative int", "complex", "name", "class", "member"],
)
def test_too_large(text: str, size: str) -> None:
    """A value that no executor could send cannot be expected either."""
    with pytest.raises(LiteralError) as caught:
        parse_literal(text)

    assert f"this value is too large: {size}" == caught.value.problem
    assert PART == caught.value.advice


def test_largest() -> None:
    """The caps themselves are within the caps."""
    deepest = "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1)
    longest = "x" * (MAX_TEXT_CHARS - 2)

    assert deepest == literal(parse_literal(deepest))
    assert Atom(longest) == parse_literal(f"'{longest}'")
    assert Atom((1 << MAX_INT_BITS) - 1) == parse_literal(hex((1 << MAX_INT_BITS) - 1))


def test_text_too_long() -> None:
    """Text beyond the cap is not even parsed."""
    with pytest.raises(LiteralError) as caught:
        parse_literal("(" * (MAX_TEXT_CHARS + 1))

    assert "a literal of 100,001 characters is too long" == caught.value.problem
    assert "write at most 100,000" == caught.value.advice


def nested(values: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    """Return a strategy for values that hold `values`."""
    items = st.lists(values, max_size=4).map(tuple)
    names = st.sampled_from(["x", "y", "z"])
    fields = st.lists(st.tuples(names, values), max_size=3, unique_by=lambda field: field[0])
    return (
        st.builds(Sequence, st.sampled_from(["list", "tuple"]), items)
        | st.builds(Mapping, st.lists(values, max_size=1).map(lambda v: tuple((ONE, e) for e in v)))
        | st.builds(Fields, st.just("Position"), fields.map(tuple))
    )


ATOMS: Final = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.complex_numbers(),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.binary(),
    st.fractions(),
    st.decimals(),
    st.builds(range, st.integers(-9, 9), st.integers(-9, 9), st.sampled_from([-2, 1, 3])),
).map(Atom)


@settings(derandomize=True)
@given(st.recursive(ATOMS | st.just(EnumMember("Colour", "RED")), nested, max_leaves=12))
def test_round_trip(value: Value) -> None:
    """What a report shows of a value can be copied into a suite."""
    assert equal(value, parse_literal(literal(value)))


@settings(derandomize=True)
@given(st.sets(st.integers() | st.text(st.characters(exclude_categories=["Cs"]), max_size=5)))
def test_sets(elements: set[int | str]) -> None:
    """A set as Python displays it is the set that an executor sends."""
    assert equal(decode(encode(elements)), parse_literal(repr(elements)))


@settings(derandomize=True, max_examples=300)
@given(st.text(alphabet="1aé'\"([{}]),:=.-+*j\\\n\r\t #\x00", max_size=12))
def test_any_text(text: str) -> None:
    """Any text whatsoever is a literal, or is refused at a place within it."""
    column = 0
    try:
        parse_literal(text)
    except LiteralError as error:
        column = error.column

    assert 0 <= column <= len(text)
