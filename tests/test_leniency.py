"""What does not count in a comparison is brought into the form of what is expected."""

from __future__ import annotations

from typing import Any, Final

import pytest

from grader.executor.encoding import encode
from grader.values.decoding import decode
from grader.values.equality import equal
from grader.values.leniency import (
    STRICT,
    Ignored,
    Leniency,
    align_text,
    align_value,
    matches_pattern,
)
from grader.values.literals import parse_literal

ORDER: Final = Leniency(ignored=frozenset({Ignored.ORDER}))
TYPES: Final = Leniency(ignored=frozenset({Ignored.TYPES}))
BLANKS: Final = Leniency(ignored=frozenset({Ignored.BLANKS}))
CASE: Final = Leniency(ignored=frozenset({Ignored.CASE}))
NEAR: Final = Leniency(absolute=0.01)
SHARE: Final = Leniency(relative=0.01)
DOTS: Final = Leniency(ellipsis=True)


def alike(expected: str, got: object, leniency: Leniency) -> bool:
    """Return whether `got` does for the literal `expected`."""
    wanted = parse_literal(expected)
    return equal(wanted, align_value(wanted, decode(encode(got)), leniency))


@pytest.mark.parametrize(
    ("expected", "got", "leniency"),
    [
        ("3.14", 3.1416, NEAR),
        ("[1.0, {'a': (2.5, 3)}]", [1.001, {"a": (2.499, 3)}], NEAR),
        ("{1.5, 2.5}", {2.501, 1.499}, NEAR),
        ("3.0", 3, NEAR),
        ("(1+2j)", 1.001 + 2j, NEAR),
        ("nan", float("nan"), NEAR),
        ("[inf, -inf]", [float("inf"), float("-inf")], SHARE),
        ("1000", 1009, SHARE),
        ("0", False, TYPES),
        ("True", 1, TYPES),
        ("2", 2.0, TYPES),
        ("[1, (2, 3)]", (1, [2, 3]), TYPES),
        ("{1, 2}", frozenset({1, 2}), TYPES),
        ("[1, 2, 2, 3]", [2, 3, 2, 1], ORDER),
        ("[[1, 2], [3]]", [[3], [2, 1]], ORDER),
        ("'Hello  world'", "Hello world", BLANKS),
        ("['Yes']", ["yes"], CASE),
        ("'id ... made'", "id 17 made", DOTS),
    ],
)
def test_what_does_not_count_passes(expected: str, got: Any, leniency: Leniency) -> None:
    """It passes where the author has said so, and nowhere else."""
    assert alike(expected, got, leniency)
    assert alike(expected, got, STRICT) is (expected in {"nan", "[inf, -inf]"})


@pytest.mark.parametrize(
    ("expected", "got", "leniency"),
    [
        ("3.14", 3.2, NEAR),
        ("nan", 0.0, NEAR),
        ("1.0", float("nan"), NEAR),
        ("inf", 1e300, SHARE),
        ("True", 1.001, NEAR),
        ("1", True, NEAR),
        ("1000", 1011, SHARE),
        ("0", None, TYPES),
        ("[1, 2]", {1, 2}, TYPES),
        ("2", 3, TYPES),
        ("[1, 2, 2]", [1, 1, 2], ORDER),
        ("[1, 2]", [1, 2, 2], ORDER),
        ("[1, 2]", (2, 1), ORDER),
        ("'ab'", "a b", Leniency(ignored=frozenset({Ignored.CASE}))),
        ("'ab'", "a b", BLANKS),
        ("'a...b'", "acbc", DOTS),
        ("{'a': 1.0}", {"b": 1.0}, NEAR),
        (f"{10**400}", 10**400 + 1, SHARE),
    ],
)
def test_what_counts_does_not_pass(expected: str, got: Any, leniency: Leniency) -> None:
    """What is lenient in one way is strict in all others."""
    assert not alike(expected, got, leniency)


@pytest.mark.parametrize(
    ("expected", "got", "leniency"),
    [
        ("mean: 3.14 m", "mean: 3.1416 m", NEAR),
        ("1 of 3", "1.0 of 3", NEAR),
        ("a  b\nc", "a b c", BLANKS),
        ("Total", "TOTAL", CASE),
        ("b\na\n", "a\nb\n", ORDER),
        ("Dear ..., bye", "Dear Ann, bye", DOTS),
        ("<...Account ... Ann...>", "<bank.Account of Ann>", DOTS),
        ("...", "", DOTS),
    ],
)
def test_text_that_does_not_count(expected: str, got: str, leniency: Leniency) -> None:
    """Text becomes as it is expected, or stays as it is."""
    assert expected == align_text(expected, got, leniency)
    assert got == align_text(expected, got, STRICT)
    assert "quite another" == align_text(f"{expected}!", "quite another", leniency)


@pytest.mark.parametrize(
    ("pattern", "text", "fitting"),
    [
        ("a...a", "a", False),
        ("a...a", "aa", True),
        ("...b...", "abc", True),
        ("a...b...c", "acb", False),
        ("aXY...YZ", "aXYZ", False),
        ("no dots", "no dots", True),
        ("no dots", "no", False),
    ],
)
def test_parts_of_a_pattern_do_not_overlap(pattern: str, text: str, fitting: bool) -> None:
    """Each part stands behind the one before it."""
    assert fitting is matches_pattern(pattern, text)


def test_pairing_off_is_bounded() -> None:
    """Elements in any order cost so much and no more, however they are nested."""
    expected = parse_literal(repr([[[float(i)] * 8 for i in range(20)] for _ in range(20)]))
    got = decode(encode([[[i + 0.5] * 8 for i in range(20)] for _ in range(20)]))
    lenient = Leniency(ignored=frozenset({Ignored.ORDER}), absolute=0.001)
    assert not equal(expected, align_value(expected, got, lenient))
