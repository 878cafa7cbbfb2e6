"""What a student is told about values and objects that a step returns, and which of them pass."""

from __future__ import annotations

from dataclasses import make_dataclass
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matched_steps import gave, raised, returns, sentences

from grader.judging.matching import compare_observer, match
from grader.judging.printing import expected_text
from grader.judging.results import PASSED
from grader.reporting.wording import format_message
from grader.suite.expectations import Completes, Expectation, Prints, Raises, SameAs
from grader.values.differences import MAX_LISTED, value_differences
from grader.values.equality import equal
from grader.values.tree import Atom, Collection, Fields, Mapping, Sequence, Value
from grader.verdict import Verdict

Point = make_dataclass("Point", ["x", "y"])
Wide = make_dataclass("Point", ["x", "y", "z"])


class Pair(NamedTuple):
    """A named tuple."""

    x: int
    y: int


@pytest.mark.parametrize(
    ("expected", "got", "said"),
    [
        ("5", 6, ["Expected 5, but your code gives 6."]),
        ("5", True, ["A value of type int is expected, but your code gives one of type bool."]),
        ("1", True, ["The value is right, but its type is bool; it should be int."]),
        ("5", 5.0, ["The value is right, but its type is float; it should be int."]),
        ("5", "5", ["The value is right, but its type is str; it should be int."]),
        ("(1, 2)", [1, 2], ["The value is right, but its type is list; it should be tuple."]),
        ("{1, 2}", [2, 1], ["The value is right, but its type is list; it should be set."]),
        (
            "5",
            None,
            [
                (
                    "Your code gives None where a value of type int is expected. "
                    "A function that ends without a `return` gives None as well."
                )
            ],
        ),
        ("None", 5, ["Expected None, but your code gives 5."]),
        ("None", "", ["Expected None, but your code gives ''."]),
        (
            "5",
            object(),
            ["Your code gives an object of class object, where a value of type int is expected."],
        ),
        (
            "[1, 2]",
            [1, 3],
            ["At [1]: expected 2, but your code gives 3."],
        ),
        (
            "[1, (2, 3)]",
            [1, [2, 3]],
            [
                "At [1]: expected (2, 3), but your code gives [2, 3].",
                "The value is right, but its type is list; it should be tuple.",
            ],
        ),
        ("[1, 2, 3]", [1], ["The length is 1; it should be 3.", "Missing: 2, 3"]),
        ("[1]", [1, 2], ["The length is 2; it should be 1.", "Extra: 2"]),
        ("[5, 3, 1]", [5], ["The length is 1; it should be 3.", "Missing: 3, 1"]),
        ("(1,)", (1, 3, 2), ["The length is 3; it should be 1.", "Extra: 3, 2"]),
        (
            "[1, 2]",
            [0],
            ["The length is 1; it should be 2.", "At [0]: expected 1, but your code gives 0."],
        ),
        (
            "{1, 2}",
            {2, 3},
            [
                "The set does not contain the right elements.",
                "Missing: 1",
                "Extra: 3",
            ],
        ),
        (
            "{3, 1, 2}",
            set(),
            ["The set does not contain the right elements.", "Missing: 1, 2, 3"],
        ),
        (
            "{'a': 1}",
            {"b": 1},
            [
                "The dictionary does not have the right keys.",
                "Missing keys: 'a'",
                "Extra keys: 'b'",
            ],
        ),
        ("{'a': 1}", {"a": 2}, ["At ['a']: expected 1, but your code gives 2."]),
        ("Point(x=1, y=2)", Point(1, 3), ["At .y: expected 2, but your code gives 3."]),
        (
            "Point(x=1, y=2)",
            Wide(1, 2, 3),
            ["Expected Point(x=1, y=2), but your code gives Point(x=1, y=2, z=3)."],
        ),
        ("Point(x=1, y=2, z=3)", Point(1, 2), ["Missing: z"]),
        (
            "Pair(x=1, y=2)",
            Pair(1, 3),
            ["Expected Pair(x=1, y=2), but your code gives Pair(1, 3)."],
        ),
        (
            "Colour.RED",
            1,
            ["A value of type Colour is expected, but your code gives one of type int."],
        ),
        (
            "'a'",
            "b",
            [
                "The text is not what was expected.",
                (
                    "First difference on line 1, at character 1: "
                    "expected `a`, but your code gives `b`."
                ),
            ],
        ),
        ("'a'", "", ["The text is empty."]),
        (
            "'Yes'",
            "yes",
            [
                "Only upper and lower case differ.",
                (
                    "First difference on line 1, at character 1: "
                    "expected `Yes`, but your code gives `yes`."
                ),
            ],
        ),
        (
            "'a b'",
            "ab",
            [
                "Only spaces, tabs or line ends differ.",
                (
                    "First difference on line 1, at character 2: "
                    "expected `a b`, but your code gives `ab`."
                ),
            ],
        ),
        (
            "'a\\tb c'",
            "a b\xa0c",
            [
                "Only spaces, tabs or line ends differ.",
                (
                    "First difference on line 1, at character 2: "
                    r"expected `a\tb c`, but your code gives `a b\xa0c`."
                ),
            ],
        ),
        (
            "'caf\u00e9'",
            "cafe\u0301",
            [
                (
                    "Only the encoding of accented letters differs: an accent can be part of its "
                    "letter, or a character after it. Both look the same. If you pasted this "
                    "text, type the accented letters again."
                ),
                (
                    "First difference on line 1, at character 4: "
                    r"expected `caf\xe9`, but your code gives `cafe\u0301`."
                ),
            ],
        ),
        (
            "'1-2'",
            "1\u20132",
            [
                (
                    "Only characters that look alike differ, such as straight and curly quotes, "
                    "or a hyphen and a dash. Use the same characters as the expected text."
                ),
                (
                    "First difference on line 1, at character 2: "
                    r"expected `1-2`, but your code gives `1\u20132`."
                ),
            ],
        ),
        (
            "'e'",
            "e" + "\u0301" * 90_000,
            [
                "The text is not what was expected.",
                (
                    "First difference on line 1, at character 2: expected `e`, but your code gives "
                    f"`e{chr(0x301) * 79}… (+89921)`."
                ),
            ],
        ),
        (
            "'a\\nb'",
            "a",
            ["The text is not what was expected.", "The number of lines is 1; it should be 2."],
        ),
        (
            "'a'",
            "a\nb",
            [
                "The text is not what was expected.",
                "There are 2 lines; there should be only 1.",
            ],
        ),
        ("[]", [0] * 20_000, ["Your code gives a value of type list with far too many elements."]),
        ("''", "x" * 100_001, ["Your code gives a value of type str with far too much text."]),
        ("0", 1 << 20_000, ["Your code gives a value of type int with far too many digits."]),
    ],
    ids=lambda each: type(each).__name__,
)
def test_values_that_differ(expected: str, got: object, said: list[str]) -> None:
    """The first sentence says what kind of mistake it is, the others where."""
    outcome = match(returns(expected), gave(got), {})
    assert Verdict.WRONG is outcome.verdict
    assert said == sentences(outcome)
    assert outcome.expected is not None
    assert outcome.got is not None


def test_a_value_that_contains_itself() -> None:
    """Nesting without an end has a sentence of its own."""
    loop: list[object] = []
    loop.append(loop)
    said = (
        "Your code gives a value of type list that is nested too deeply to be checked; "
        "does it contain itself?"
    )
    assert [said] == sentences(match(returns("[]"), gave(loop), {}))


@pytest.mark.parametrize("text", ["5", "[1, 2]", "{(2, 1)}", "'a'", "None", "0.1", "{1: {2}}"])
def test_the_right_value_passes(text: str) -> None:
    """The expected value passes, whatever the step printed besides."""
    value = eval(text)
    assert match(returns(text), gave(value, stdout="debug"), {}) == PASSED


@pytest.mark.parametrize(
    ("expected", "stdout"),
    [("5", "5\n"), ("'abc'", "abc"), ("'abc'", "'abc'\n"), ("[1]", " [1] \n")],
)
def test_printed_instead_of_returned(expected: str, stdout: str) -> None:
    """The most common mistake of beginners is named as such."""
    said = (
        "Your code prints the right value, but does not return it. Use `return` instead of `print`."
    )
    assert [said] == sentences(match(returns(expected), gave(None, stdout), {}))


def test_printing_something_else_is_not_taken_for_the_answer() -> None:
    """Only the right value, printed, is a printed answer."""
    outcome = match(returns("5"), gave(None, "6"), {})
    assert "wrong.none" == outcome.explanation[0].key


@given(st.data())
def test_every_difference_has_a_sentence(data: st.DataObject) -> None:
    """No two values are unequal without a word on why, and no explanation is long."""
    atoms = st.one_of(st.none(), st.booleans(), st.integers(0, 3), st.text("ab\n ", max_size=3))
    nodes: st.SearchStrategy[Value] = st.recursive(
        atoms.map(Atom),
        lambda inner: st.one_of(
            st.builds(
                Sequence, st.sampled_from(["list", "tuple"]), st.lists(inner, max_size=3).map(tuple)
            ),
            st.builds(Collection, st.just("set"), st.lists(inner, max_size=3).map(tuple)),
            st.builds(Mapping, st.lists(st.tuples(inner, inner), max_size=3).map(tuple)),
            st.builds(
                Fields,
                st.just("P"),
                st.lists(st.tuples(st.sampled_from("xyz"), inner), max_size=3).map(tuple),
            ),
        ),
        max_leaves=6,
    )
    expected, got = data.draw(nodes), data.draw(nodes)
    if not equal(expected, got):
        said = [format_message(each, "en") for each in value_differences(expected, got)]
        assert 1 <= len(said) <= 5
        assert max(map(len, said)) < 2_000


@pytest.mark.parametrize(
    "got",
    [
        list(range(19_000)),
        set(range(19_000)),
        dict.fromkeys(range(9_000)),
        ["x" * 99_999],
        "x\n" * 49_000,
        [[["y" * 50_000]]],
        {"k" * 90_000: 1},
        1 << 16_000,
        {(1, 2): {"z" * 90_000}},
        [[]] * 10_000,
        "\x1b" * 100_000,
    ],
    ids=range(11),
)
@pytest.mark.parametrize("expected", ["0", "[1]", "{1}", "{1: 2}", "''", "'a\\nb'", "(1, [2])"])
def test_monstrous_differences_have_short_explanations(expected: str, got: object) -> None:
    """Whatever a submission returns, what is said of it fits on a page."""
    outcome = match(returns(expected), gave(got), {})
    assert 1 <= len(outcome.explanation) <= 5
    assert sum(map(len, sentences(outcome))) < 3_000
    assert outcome.got is not None
    assert len(outcome.got) < 30_000


def test_long_lists_are_cut_and_counted() -> None:
    """Of many missing elements some are named and the others counted."""
    outcome = match(returns("{" + ", ".join(map(str, range(15))) + "}"), gave(set()), {})
    named = ", ".join(map(str, range(MAX_LISTED)))
    assert f"Missing: {named} and 5 more" == sentences(outcome)[1]


def test_escape_codes_of_a_submission_do_not_reach_the_reader() -> None:
    """Texts, class names and messages of a submission are made harmless wherever they are said."""
    evil = "\x1b[2J\u202e<b>"
    seen = [
        match(returns("'a'"), gave(evil), {}),
        match(returns("5"), gave(type(evil, (), {})()), {}),
        match(returns("5"), raised(evil, message=evil), {}),
        match(Raises("ValueError", None), raised(evil, message=evil), {}),
        match(Prints("a"), gave(None, evil), {}),
        match(SameAs("p"), gave(type(evil, (), {})()), {}),
        compare_observer("x", gave("a"), gave(evil)),
    ]
    for outcome in seen:
        for text in (*sentences(outcome), outcome.got or ""):
            assert not set("\x1b\u202e") & set(text)


# The very object


@pytest.mark.parametrize(
    ("got", "identity", "names", "key"),
    [
        (object(), 1, {"p": 1}, None),
        (object(), 2, {"p": 1}, "same.other"),
        (None, None, {"p": 1}, "same.none"),
        (None, None, {"p": None}, "same.none"),
        (5, None, {"p": None}, "same.other"),
        (object(), 1, {}, "same.other"),
    ],
)
def test_the_object_itself(
    got: object, identity: int | None, names: dict[str, Any], key: str | None
) -> None:
    """A copy, another object and nothing at all are not the object itself."""
    outcome = match(SameAs("p"), gave(got, identity=identity), names)
    assert key == (outcome.explanation[0].key if outcome.explanation else None)
    assert (key is None) == outcome.passed


def test_returning_nothing_instead_of_itself() -> None:
    """The advice names the very line that is missing."""
    said = "Your code gives None; it must return p itself. In a method of p that is `return self`."
    assert [said] == sentences(match(SameAs("p"), gave(None), {"p": 1}))


@pytest.mark.parametrize(
    ("expectation", "shown"),
    [
        (returns("{3, 1}"), "{1, 3}"),
        (Prints("a  \nb\n\n"), "a\nb"),
        (Raises("ValueError", None), "ValueError"),
        (Raises("ValueError", "no"), "ValueError: no"),
        (SameAs("p"), "p"),
        (Completes(), None),
    ],
)
def test_expectations_are_shown_as_python_would(
    expectation: Expectation, shown: str | None
) -> None:
    """A report shows what was expected the way an interpreter does."""
    assert shown == expected_text(expectation)
