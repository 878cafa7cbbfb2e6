"""How large a value a step may give back, as a suite sets it: in an executor and in the judge."""

from __future__ import annotations

from typing import Final

import pytest
from builders import graded

from grader.judging.record import CaseResult
from grader.sandbox.zygote import Zygote
from grader.verdict import Verdict

CASES: Final = """
limits: {{{limits}}}
groups: [{{id: g, points: 1}}]
sessions:
- id: s
  steps:
  - {{do: f(), returns: '{expected}', group: g}}
"""
NEST: Final = """
def f():
    value = 0
    for _ in range({depth}): value = {wrap}
    return value
"""


def case(zygote: Zygote, source: str, limits: str, expected: str = "0") -> CaseResult:
    """Return the only case of a submission of which `f()` must give `expected`."""
    (result,) = graded(zygote, CASES.format(limits=limits, expected=expected), source).cases
    return result


@pytest.mark.parametrize(
    ("limits", "value", "excess"),
    [
        ("value_items: 3", "[1, 2, 3]", "nodes"),
        ("value_depth: 1", "[[1]]", "depth"),
        ("value_chars: 3", "'abcd'", "text"),
        ("int_digits: 20", "10 ** 21", "digits"),
    ],
)
def test_a_value_over_a_limit_is_told_as_too_large(
    zygote: Zygote, limits: str, value: str, excess: str
) -> None:
    """The student reads in which way the value is too large, and the case is wrong."""
    result = case(zygote, f"def f(): return {value}", limits)
    assert Verdict.WRONG is result.verdict
    assert [f"wrong.too_large.{excess}"] == [each.key for each in result.explanation]


@pytest.mark.parametrize(
    ("limits", "expected", "value"),
    [
        ("value_items: 30001", f"[{'0,' * 30_000}]", "[0] * 30_000"),
        ("value_chars: 150000", f'"{"x" * 150_000}"', "'x' * 150_000"),
        ("int_digits: 6000", hex(10**5_999), "10 ** 5_999"),
    ],
)
def test_a_higher_limit_lets_larger_values_pass(
    zygote: Zygote, limits: str, expected: str, value: str
) -> None:
    """What a suite expects above the defaults, a submission can give back."""
    assert Verdict.PASSED is case(zygote, f"def f(): return {value}", limits, expected).verdict


@pytest.mark.parametrize(
    ("wrap", "opening", "closing"),
    [
        ("[value]", "[", "]"),
        ("(value,)", "(", ",)"),
        ("{0: value}", "{0: ", "}"),
        ("frozenset({value})", "frozenset({", "})"),
    ],
)
@pytest.mark.parametrize("limit", ["", "import sys\nsys.setrecursionlimit(1)\n"])
def test_the_deepest_values_run_into_no_recursion_limit(
    zygote: Zygote, wrap: str, opening: str, closing: str, limit: str
) -> None:
    """Values as deep as any suite allows are sent, compared and shown, right or wrong."""
    source = limit + NEST.format(depth=100, wrap=wrap)
    for content, verdict in (("0", Verdict.PASSED), ("1", Verdict.WRONG)):
        expected = opening * 100 + content + closing * 100
        assert verdict is case(zygote, source, "value_depth: 100", expected).verdict


def test_who_sends_more_than_the_suite_allows_has_tampered(zygote: Zygote) -> None:
    """The judge counts for itself: an executor that forgets its limits is found out."""
    source = """
    import gc
    def f():
        for each in gc.get_objects():
            if type(each).__name__ == "LiveSession":
                object.__setattr__(each._caps, "value_items", 1_000)
        return [0] * 10
    """
    assert Verdict.TAMPERED is case(zygote, source, "value_items: 10").verdict
    assert Verdict.WRONG is case(zygote, source, "value_items: 11").verdict


def test_too_much_for_one_reply_is_output(zygote: Zygote) -> None:
    """Limits that are high in every way at once do not make a longer reply."""
    limits = "value_items: 100000, value_chars: 300000"
    source = "def f(): return ['\\U0001f600' * 290_000, *[-1.7976931348623157e308] * 90_000]"
    assert Verdict.OUTPUT is case(zygote, source, limits).verdict
