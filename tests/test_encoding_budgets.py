"""The budgets of a value that travels: within them it comes home, over one it is too large."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from travelling_values import Point, as_value, travelled

from grader.executor.encoding import encode
from grader.protocol import (
    HIGHEST_CAPS,
    MAX_DEPTH,
    MAX_INT_BITS,
    MAX_NODES,
    MAX_REPLY_BYTES,
    MAX_TEXT_CHARS,
    Excess,
    ValueLimits,
)
from grader.values.decoding import decode
from grader.values.tree import TooLarge, Value


def endless() -> list[object]:
    """Return a list that contains itself."""
    loop: list[object] = []
    loop.append(loop)
    return loop


def deep(depth: int, wrap: Callable[[object], object]) -> object:
    """Return 0 wrapped `depth` times."""
    value: object = 0
    for _ in range(depth):
        value = wrap(value)
    return value


def shared(levels: int) -> list[object]:
    """Return a small graph of lists with 2 ** `levels` paths through it."""
    value: list[object] = [1]
    for _ in range(levels):
        value = [value, value]
    return value


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        (endless(), TooLarge("list", Excess.DEPTH)),
        (deep(MAX_DEPTH + 1, lambda inner: [inner]), TooLarge("list", Excess.DEPTH)),
        (deep(MAX_DEPTH + 1, lambda inner: {0: inner}), TooLarge("dict", Excess.DEPTH)),
        (deep(50_000, lambda inner: (inner,)), TooLarge("tuple", Excess.DEPTH)),
        ([0] * MAX_NODES, TooLarge("list", Excess.NODES)),
        (set(range(MAX_NODES + 1)), TooLarge("set", Excess.NODES)),
        (dict.fromkeys(range(MAX_NODES)), TooLarge("dict", Excess.NODES)),
        (shared(30), TooLarge("list", Excess.NODES)),
        ("x" * (MAX_TEXT_CHARS + 1), TooLarge("str", Excess.TEXT)),
        (["x" * 60_000] * 2, TooLarge("list", Excess.TEXT)),
        (b"x" * 100_000_000, TooLarge("bytes", Excess.TEXT)),
        (1 << MAX_INT_BITS, TooLarge("int", Excess.DIGITS)),
        (1 << 10_000_000, TooLarge("int", Excess.DIGITS)),
        ([1 << MAX_INT_BITS], TooLarge("list", Excess.DIGITS)),
        (Fraction(1, 1 << MAX_INT_BITS), TooLarge("Fraction", Excess.DIGITS)),
        (Decimal("1" * (MAX_TEXT_CHARS + 1)), TooLarge("Decimal", Excess.TEXT)),
        (Point(1, endless()), TooLarge("Point", Excess.DEPTH)),
    ],
    ids=lambda each: f"{each.type_name}-{each.excess}" if isinstance(each, TooLarge) else "",
)
def test_budgets_end_in_a_word(value: object, seen: Value) -> None:
    """Whatever goes over a budget travels as too large, with the budget that it went over."""
    assert seen == travelled(value)


@pytest.mark.parametrize(
    "value",
    [
        deep(MAX_DEPTH, lambda inner: [inner]),
        [0] * (MAX_NODES - 1),
        "x" * MAX_TEXT_CHARS,
        b"x" * (MAX_TEXT_CHARS // 2),
        (1 << MAX_INT_BITS) - 1,
        -(1 << MAX_INT_BITS) + 1,
        range(10**1000),
        Decimal("1E+999999999"),
    ],
    ids=lambda each: type(each).__name__,
)
def test_the_largest_values_of_each_budget_travel(value: object) -> None:
    """What is just within a budget comes home whole: both sides count the same."""
    assert as_value(value) == travelled(value)


def within(value: object, **caps: int) -> Value:
    """Return `value` as the judge sees it when both sides keep to `caps`."""
    held_to = ValueLimits(**caps)
    return decode(json.loads(json.dumps(encode(value, held_to))), held_to)


@pytest.mark.parametrize(
    ("cap", "most", "value", "excess"),
    [
        ("value_items", 4, [1, {2}], Excess.NODES),
        ("value_items", 4, range(3), Excess.NODES),
        ("value_items", 3, {1: None}, Excess.NODES),
        ("value_items", 3, {1, 2}, Excess.NODES),
        ("value_depth", 2, [[0]], Excess.DEPTH),
        ("value_depth", 1, Fraction(1, 3), Excess.DEPTH),
        ("value_chars", 5, ["abc", "de"], Excess.TEXT),
        ("value_chars", 4, b"ab", Excess.TEXT),
        ("value_chars", 7, ["abc", b"ab"], Excess.TEXT),
        ("value_chars", 4, Decimal("1.50"), Excess.TEXT),
        ("int_bits", 100, 1 << 99, Excess.DIGITS),
        ("int_bits", 100, [-1 << 99], Excess.DIGITS),
    ],
)
def test_a_suite_may_set_the_budget(cap: str, most: int, value: Any, excess: str) -> None:
    """Just within a budget of the suite a value comes home whole; with one less it does not."""
    assert as_value(value) == within(value, **{cap: most})
    assert TooLarge(type(value).__name__, excess) == within(value, **{cap: most - 1})


@pytest.mark.parametrize(
    "value",
    [
        deep(HIGHEST_CAPS.value_depth, lambda inner: [inner]),
        deep(HIGHEST_CAPS.value_depth, lambda inner: {0: inner}),
        deep(HIGHEST_CAPS.value_depth, lambda inner: frozenset({inner})),
        [-1.7976931348623157e308] * (HIGHEST_CAPS.value_items - 1),
        [-(1 << 63) + 1] * (HIGHEST_CAPS.value_items - 1),
        "\U0001f600" * HIGHEST_CAPS.value_chars,
        b"x" * (HIGHEST_CAPS.value_chars // 2),
        (1 << HIGHEST_CAPS.int_bits) - 1,
    ],
    ids=lambda each: type(each).__name__,
)
def test_the_largest_values_of_any_suite_fit_into_a_reply(value: object) -> None:
    """Up to the highest caps a value comes home whole, and there is room for it in a frame."""
    tagged = json.dumps(encode(value, HIGHEST_CAPS), separators=(",", ":"))
    assert as_value(value) == decode(json.loads(tagged), HIGHEST_CAPS)
    assert len(tagged) < MAX_REPLY_BYTES * 0.9
