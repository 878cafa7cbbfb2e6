"""Printed text compared with what was to be printed, and too much of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matched_steps import gave, returns, sentences

from grader.judging.matching import match
from grader.judging.results import PASSED
from grader.sandbox.observation import Observation
from grader.suite.expectations import Prints
from grader.values.differences import comparable_lines
from grader.verdict import Verdict


@pytest.mark.parametrize(
    "printed",
    ["a\nb\n", "a\nb", "a  \nb\t\n", "a\r\nb\r\n", "a\nb\n\n\n", "a\nb\n   \n"],
)
def test_what_an_example_cannot_show_does_not_count(printed: str) -> None:
    """Blanks at line ends, kinds of line end and final newlines are not asked for."""
    assert match(Prints("a\nb\n"), gave(None, printed), {}) == PASSED


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        ("", ["The text is empty."]),
        ("\n\n", ["The text is empty."]),
        ("a\n\nb", ["Only spaces, tabs or line ends differ."]),
        (" a\nb", ["Only spaces, tabs or line ends differ."]),
        ("ab", ["Only spaces, tabs or line ends differ."]),
        ("A\nb", ["Only upper and lower case differ."]),
        ("a", ["The text is not what was expected.", "The number of lines is 1; it should be 2."]),
        (
            "a\nb\nc",
            [
                "The text is not what was expected.",
                "There are 3 lines; there should be only 2.",
            ],
        ),
        (
            "a\nc",
            [
                "The text is not what was expected.",
                (
                    "First difference on line 2, at character 1: "
                    "expected `b`, but your code gives `c`."
                ),
            ],
        ),
    ],
)
def test_printed_text_that_differs(printed: str, said: list[str]) -> None:
    """White space only, case only and other differences are told apart."""
    outcome = match(Prints("a\nb\n"), gave(None, printed), {})
    assert Verdict.WRONG is outcome.verdict
    assert said == sentences(outcome)[: len(said)]


def test_a_returned_value_does_not_matter_where_text_is_expected() -> None:
    """A step that must print may return what it likes."""
    assert match(Prints("a"), gave(5, "a\n"), {}) == PASSED


@given(st.text("ab \t\r\n", max_size=12))
def test_printed_texts_are_alike_up_to_what_counts(text: str) -> None:
    """A text passes where it is expected, also with its line ends cleaned."""
    for printed in (text, "\n".join(comparable_lines(text)) + "\n"):
        assert match(Prints(text), gave(None, printed), {}) == PASSED


def test_too_much_output_never_passes() -> None:
    """A step that printed more than its limit fails, even when all else was right."""
    flood = Observation(outcome=gave(5).outcome, stdout="x" * 50_000, overflowed=True)
    outcome = match(returns("5"), flood, {})
    assert Verdict.OUTPUT is outcome.verdict
    assert outcome.got is not None
    assert len(outcome.got) < 5_000
