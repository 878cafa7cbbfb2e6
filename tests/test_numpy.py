"""Values of numpy, for the exercises that ask for it: how they travel, are shown and compared."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.executor.encoding import encode, register_numpy
from grader.judging.matching import match
from grader.protocol import Excess, ValueLimits
from grader.reporting.wording import format_message
from grader.sandbox.observation import Observation, Returned
from grader.suite.expectations import Returns
from grader.values.decoding import decode
from grader.values.display import literal, short_value
from grader.values.equality import comparison_key, equal
from grader.values.literals import parse_literal
from grader.values.tree import Array, Atom, Opaque, Scalar, Sequence, TooLarge, Value, caps_for

register_numpy(np)


def travelled(value: object, caps: ValueLimits | None = None) -> Value:
    """Return `value` as the judge sees it."""
    sent = encode(value) if caps is None else encode(value, caps)
    return decode(json.loads(json.dumps(sent)))


# Values


@pytest.mark.parametrize(
    ("given", "seen"),
    [
        (np.array([[1, 2]]), Array((1, 2), "int64", (Atom(1), Atom(2)))),
        (np.array([[1], [2]]).T, Array((1, 2), "int64", (Atom(1), Atom(2)))),
        (np.array([1, 2], dtype=">i2"), Array((2,), "int16", (Atom(1), Atom(2)))),
        (np.array(0.5), Array((), "float64", (Atom(0.5),))),
        (np.array(["a", ""]), Array((2,), "str", (Atom("a"), Atom("")))),
        (np.array([None], dtype=object), Array((1,), "object", (Atom(None),))),
        (np.zeros((0, 3)), Array((0, 3), "float64", ())),
        (np.uint64(2**64 - 1), Scalar("uint64", 2**64 - 1)),
        (np.longlong(5), Scalar("int64", 5)),
        (np.float64(0.5), Scalar("float64", 0.5)),
        (np.True_, Scalar("bool", True)),  # noqa: FBT003
        (np.str_("a"), Scalar("str", "a")),
        (np.complex64(1j), Scalar("complex64", 1j)),
        (np.ma.array([1]), Opaque("MaskedArray")),
        (np.array([(1, 2.0)], dtype="i4,f8"), Opaque("ndarray")),
        (np.array(["2020-01-01"], dtype="M8[D]"), Opaque("ndarray")),
        (np.longdouble(1), Opaque("longdouble")),
        (np.broadcast_to(np.int8(1), (10**6, 10**6)), TooLarge("ndarray", Excess.NODES)),
    ],
    ids=repr,
)
def test_how_values_travel(given: object, seen: Value) -> None:
    """An array is its shape, its type of elements and these; what is none travels as an object."""
    assert seen == travelled(given)


def test_no_code_of_a_subclass_runs() -> None:
    """A class of a submission that is an array travels as an object, whatever it defines."""

    class Board(np.ndarray[Any, Any]):
        def __getattribute__(self, name: str) -> Any:
            raise AssertionError(name)

    class Number(np.float64):
        def item(self, *_: Any) -> Any:
            raise AssertionError

    assert Opaque("Board") == travelled(np.zeros(2).view(Board))
    assert Opaque("Number") == travelled(Number(1))


def test_text_that_is_none_travels_as_an_object() -> None:
    """Bytes that no character has do not take the encoder down."""
    assert Opaque("ndarray") == travelled(np.array([2**31 - 1], dtype=np.uint32).view("U1"))


@pytest.mark.parametrize("value", [np.zeros((2, 3), int), (1, np.array(["ab"])), np.int8(3)])
def test_caps_are_counted_on_both_sides(value: object) -> None:
    """What a suite expects says how large an answer may be, and one element less is too few."""
    caps = caps_for(travelled(value))
    assert travelled(value) == travelled(value, caps)
    less = ValueLimits(
        value_items=caps.value_items - 1,
        value_depth=caps.value_depth,
        value_chars=caps.value_chars,
    )
    assert isinstance(travelled(value, less), TooLarge)


def test_scalars_in_sets() -> None:
    """A number of numpy is an element of a set, and no other than the plain number."""
    assert equal(parse_literal("{5, 6}"), travelled({np.int64(5), 6}))


def test_sequences_of_scalars_stay_what_they_are() -> None:
    """A tuple of numpy's integers travels as a tuple of them, for reports to show."""
    value = travelled((np.int64(1), [np.float64(2)]))
    assert (
        Sequence("tuple", (Scalar("int64", 1), Sequence("list", (Scalar("float64", 2.0),))))
        == value
    )


_DTYPES = ["bool", "int8", "uint64", "int64", "float16", "float32", "float64", "<U3", "S2", "O"]
_SHAPES = st.lists(st.integers(0, 3), max_size=3).map(tuple)
_NUMBERS = st.one_of(
    st.integers(-120, 120), st.floats(-1e4, 1e4).filter(lambda x: x == 0 or abs(x) > 1e-3)
)


@st.composite
def arrays(draw: st.DrawFn) -> Any:
    """Return an array of any type and shape."""
    shape, dtype = draw(_SHAPES), draw(st.sampled_from(_DTYPES))
    numbers = draw(st.lists(_NUMBERS, min_size=27, max_size=27))
    if "int" in dtype:
        numbers = [int(abs(number)) % 100 for number in numbers]
    size = int(np.prod(shape))
    return np.array(numbers[:size], dtype=object).reshape(shape).astype(dtype)


@given(arrays())
def test_what_is_shown_can_be_expected(array: Any) -> None:
    """The display of an array is a literal, and stands for that very array."""
    value = travelled(array)
    assert equal(value, value)
    for text in (literal(value), short_value(value, 10_000)):
        assert comparison_key(value) == comparison_key(parse_literal(text))
    assert "\n" not in short_value(value, 10_000)


@given(arrays())
def test_what_is_shown_is_what_numpy_shows(array: Any) -> None:
    """Arrays look as they look in the interpreter, but nothing is left out or rounded."""
    if array.dtype.kind == "U" and array.size:  # room for more than there is cannot be seen
        array = array.astype("U")
    with np.printoptions(
        linewidth=10**6, threshold=10**6, precision=17, suppress=True, floatmode="maxprec"
    ):
        shown = repr(array)
    if "e" not in literal(travelled(array)) or array.dtype.kind != "f":
        assert shown.split(", dtype='")[0] == literal(travelled(array)).split(", dtype='")[0]


@pytest.mark.parametrize(
    "value",
    [np.int64(5), np.float32(0.1), np.float64("nan"), np.True_, np.str_("a"), np.bytes_(b"")],
)
def test_scalars_are_shown_as_numpy_shows_them(value: Any) -> None:
    """A scalar says of which type it is."""
    assert repr(value) == literal(travelled(value))


# Expectations


def said(expected: str, got: object, *, as_lists: bool = False, language: str = "en") -> list[str]:
    """Return what is said about `got`; nothing when it is right."""
    observation = Observation(outcome=Returned(value=travelled(got), identity=0))
    expectation = Returns(parse_literal(expected), expected, as_lists)
    outcome = match(expectation, observation, {})
    assert outcome.passed == (not outcome.explanation)
    return [format_message(each, language) for each in outcome.explanation]


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        ("array([[1, 2], [3, 4]])", np.array([[1, 2], [3, 4]])),
        ("array([1, 2])", np.array([1, 2], dtype=np.int8)),
        ("array([0.3])", np.array([0.1 + 0.2])),
        ("array([0.1], dtype=float32)", np.array([0.1], dtype=np.float32)),
        ("array([True])", np.array([True])),
        ("array(['a'])", np.array(["a"], dtype="U9")),
        ("array([1, None], dtype=object)", np.array([1, None])),
        ("5", np.int64(5)),
        ("np.int64(5)", 5),
        ("np.int64(5)", np.int32(5)),
        ("0.3", np.float64(0.1 + 0.2)),
        ("True", np.True_),
        ("'a'", np.str_("a")),
        ("(1, 2)", (np.int64(1), np.int64(2))),
        ("(1, array([[0]]))", (1, np.zeros((1, 1), int))),
    ],
)
def test_what_answers_an_expectation(expected: str, got: object) -> None:
    """The shape, the kind and the elements count, and not how many bits there are."""
    assert [] == said(expected, got)


@pytest.mark.parametrize(
    ("expected", "got", "sentences"),
    [
        (
            "array([[1, 2], [3, 4]])",
            np.zeros((2, 4), int),
            ["Your array has shape (2, 4); it should be (2, 2)."],
        ),
        (
            "array([1, 2])",
            np.array([1.0, 2.0]),
            ["Your array contains values of type float; they should be of type int."],
        ),
        (
            "array([[1, 2], [3, 4]])",
            np.array([[1, 2], [3, 5]]),
            ["At [1, 1] (row 1, column 1, counted from 0): expected 4, but your code gives 5."],
        ),
        (
            "array([1, 2, 3, 4, 5, 6])",
            np.zeros(6, int),
            [
                "At [0]: expected 1, but your code gives 0.",
                "At [1]: expected 2, but your code gives 0.",
                "At [2]: expected 3, but your code gives 0.",
                "At [3]: expected 4, but your code gives 0.",
                "2 more elements differ.",
            ],
        ),
        (
            "(1, array([[0]]))",
            (1, np.ones((1, 1), int)),
            [
                "At [1]: expected array([[0]]), but your code gives array([[1]]).",
                (
                    "At [1][0, 0] (row 0, column 0, counted from 0): expected 0,"
                    " but your code gives 1."
                ),
            ],
        ),
        (
            "array([[1, 2]])",
            [[1, 2]],
            [
                (
                    "Your code gives a list where a numpy array is expected;"
                    " `np.array(...)` turns a list into an array."
                )
            ],
        ),
        (
            "[[1, 2]]",
            np.array([[1, 2]]),
            [
                (
                    "Your code gives a numpy array where a list is expected;"
                    " the method `tolist()` turns an array into a list."
                )
            ],
        ),
        (
            "array([[1, 2], [3, 4]])",
            [[1, 2], [3]],
            [
                (
                    "Your code gives a list where a numpy array is expected,"
                    " and its rows do not all have the same length."
                )
            ],
        ),
        ("5", np.int64(6), ["Expected 5, but your code gives np.int64(6)."]),
        ("5", np.float64(5), ["The value is right, but its type is np.float64; it should be int."]),
        ("True", np.int64(1), ["The value is right, but its type is np.int64; it should be bool."]),
        (
            "array([1])",
            5,
            ["A value of type ndarray is expected, but your code gives one of type int."],
        ),
    ],
)
def test_what_differs(expected: str, got: object, sentences: list[str]) -> None:
    """The first sentence says what a student has to change."""
    assert sentences == said(expected, got)


@pytest.mark.parametrize("language", ["nl", "es"])
def test_what_differs_in_other_languages(language: str) -> None:
    """Every sentence is there in the language of the course."""
    for got in (np.zeros((2, 4)), np.array([1.5]), np.array([2]), [1], [[1], []]):
        told, english = said("array([1])", got, language=language), said("array([1])", got)
        assert told
        assert not set(told) & set(english)


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        ("array([[1, 2], [3, 4]])", [[1, 2], [3, 4]]),
        ("[[1, 2], [3, 4]]", np.array([[1, 2], [3, 4]])),
        ("array([[1, 2]])", [[np.int64(1), 2]]),
        ("(1, array([[1]]))", (1, [[1]])),
        ("[(4, array([[0, 0]]))]", [(4, [[0, 0]])]),
        ("[]", np.array([])),
    ],
)
def test_lists_for_arrays_where_the_step_says_so(expected: str, got: object) -> None:
    """Either will do with `as_lists`, anywhere in the value, and neither without."""
    assert [] == said(expected, got, as_lists=True)
    assert said(expected, got)


@pytest.mark.parametrize(
    ("expected", "got", "sentence"),
    [
        ("array([[1, 2]])", [[1, 2, 3]], "Your array has shape (1, 3); it should be (1, 2)."),
        ("array([[1]])", [[1.0]], "Your array contains values of type float"),
        ("array([[1, 2]])", [[1, True]], "At [0, 1] (row 0, column 1, counted from 0): expected 2"),
        ("array([[1, 2]])", [[1, 2], [3]], "Your code gives a list whose rows do not all"),
        ("array([[1, 2]])", [(1, 2)], "Your array has shape (1,); it should be (1, 2)."),
        ("[[1, 2]]", np.array([[1, 3]]), "At [0]: expected [1, 2], but your code gives [1, 3]."),
        ("[[1]]", np.zeros((10**9, 0)), "Your code gives a numpy array where a list is expected"),
    ],
)
def test_lists_for_arrays_have_to_be_right(expected: str, got: object, sentence: str) -> None:
    """With `as_lists` everything else still counts."""
    assert said(expected, got, as_lists=True)[0].startswith(sentence)
