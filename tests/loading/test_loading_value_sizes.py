"""Values that a suite expects, against the limits that it sets for values."""

from __future__ import annotations

import pytest

from grader.judging.rules import KINDS
from grader.suite.expectations import Returns
from grader.suite.loading import InvalidSuite, parse_suite

SUITE = """\
exercise: x
title: X
language: en
module: x
defines: []
{limits}
groups: [{{id: g, points: 1}}]
sessions: [{{id: s, steps: [{{do: f(), returns: '{value}', group: g}}]}}]
"""


def problems(value: str, limits: str = "") -> list[tuple[str, str | None]]:
    """Return what is said of a suite that expects `value`: place and message, and the way out."""
    line = f"limits: {{{limits}}}" if limits else ""
    try:
        suite = parse_suite(SUITE.format(limits=line, value=value).encode(), "s.yaml", KINDS)
    except InvalidSuite as invalid:
        return [(f"{one.line}:{one.column} {one.message}", one.help) for one in invalid.diagnostics]
    assert isinstance(suite.sessions[0].steps[0].expectation, Returns)
    return []


@pytest.mark.parametrize(
    ("limit", "at_most", "value"),
    [
        ("value_items", 3, "[1, 2]"),
        ("value_items", 4, "range(5)"),
        ("value_items", 3, "Fraction(1, 2)"),
        ("value_items", 5, "{1: 2, 3: 4}"),
        ("value_items", 3, "P(x=1, y=2)"),
        ("value_depth", 2, "[{1}]"),
        ("value_depth", 3, "[{(1,): 1}]"),
        ("value_chars", 5, '["abc", "de"]'),
        ("value_chars", 6, 'b"abc"'),
        ("value_chars", 4, 'Decimal("1.50")'),
        ("value_chars", 18, "9223372036854775808"),
        ("int_digits", 24, "9" * 24),
        ("int_digits", 30, f"-{'9' * 30}"),
    ],
)
def test_a_value_is_held_to_each_limit(limit: str, at_most: int, value: str) -> None:
    """What is just within a limit loads; with a limit that is lower by one it is refused."""
    assert [] == problems(value, f"{limit}: {at_most}")
    below = at_most - 1
    said = (
        f"8:47 this value is over the limit '{limit}' ({below:,}), so no submission can return it"
    )
    advice = f"raise `{limit}` under `limits` to {at_most}, or expect only a part of the value"
    assert [(said, advice)] == problems(value, f"{limit}: {below}")


@pytest.mark.parametrize(
    ("limits", "value"),
    [
        ("value_items: 100000", f"[{'1,' * 99_999}]"),
        ("value_depth: 100", f"{'frozenset({' * 100}1{'})' * 100}"),
        ("value_chars: 300000", f'"{"x" * 299_998}"'),
        ("int_digits: 20000, value_chars: 200000", hex(10**20_000 - 1)),
    ],
)
def test_the_largest_values_that_any_suite_can_expect(limits: str, value: str) -> None:
    """With the highest limits much larger values can be expected than without."""
    assert [] == problems(value, limits)
    assert problems(value)


def test_each_limit_is_told() -> None:
    """A value that is over two limits is told so at once."""
    found = problems("[[1]]", "value_items: 2, value_depth: 1")
    assert [
        "raise `value_items` under `limits` to 3",
        "raise `value_depth` under `limits` to 2",
    ] == [(advice or "").partition(",")[0] for _, advice in found]
