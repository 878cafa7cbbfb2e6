"""Expected and got side by side: what is marked, what stays level, and what it costs."""

from __future__ import annotations

import random

import pytest

from grader.reporting import comparison
from grader.reporting.comparison import MAX_LINES, ComparedLine, Comparison, compare, unmarked_lines


def marks(lines: tuple[ComparedLine, ...]) -> list[str]:
    """Return the marked pieces of `lines`."""
    return [piece.text for line in lines for piece in line.pieces if piece.differs]


def texts(lines: tuple[ComparedLine, ...]) -> list[str]:
    """Return `lines` as plain text."""
    return ["".join(piece.text for piece in line.pieces) for line in lines]


def test_wrong_cells_of_a_board_are_marked_one_by_one() -> None:
    """A board is compared position by position."""
    both = compare("w-----\n--W---\nWB--B-", "------\n-wW---\nWB--B-")
    assert ["w", "-"] == marks(both.expected)
    assert ["-", "w"] == marks(both.got)
    assert [True, True, False] == [line.differs for line in both.got]


def test_elements_of_values_are_marked_as_a_whole() -> None:
    """Of a set that lacks a position, that position is marked, and no digit of another."""
    both = compare("{(0, 1), (0, 2), (1, 3)}", "{(0, 1), (1, 3)}")
    assert ["(0, 2), "] == marks(both.expected)
    assert [] == marks(both.got)


def test_texts_with_nothing_in_common_are_marked_as_a_whole() -> None:
    """Shared blanks and colons are no resemblance."""
    both = compare("AssertionError: ongeldige actie", "IndexError: list index out of range")
    assert ["AssertionError: ongeldige actie"] == marks(both.expected)
    assert ["IndexError: list index out of range"] == marks(both.got)


def test_a_missing_line_keeps_the_sides_level() -> None:
    """The line after a missing one stands beside its counterpart."""
    both = compare("a\nb\nc", "a\nc")
    assert ["a", "b", "c"] == texts(both.expected)
    assert ["a", "", "c"] == texts(both.got)
    assert ["b"] == marks(both.expected)


@pytest.mark.parametrize(
    ("expected", "got", "marked"),
    [
        ("a b", "a  b", ["··"]),
        ("a b", "a\tb", ["⇥"]),
        ("a b", "a\tc", ["⇥c"]),
        ("(a b)", "(a  b)", ["··"]),
        ("ab", "a b", ["·"]),
        ("ab", "ab ", ["·"]),
    ],
)
def test_blanks_that_differ_can_be_seen(expected: str, got: str, marked: list[str]) -> None:
    """A marked blank is drawn as a dot or an arrow."""
    assert marked == marks(compare(expected, got).got)


def test_blanks_that_keep_an_array_straight_are_not_marked() -> None:
    """A number with a digit more moves all others of an array, and only it is wrong."""
    expected, got = "array([[1, 2],\n       [3, 4]])", "array([[ 1,  2],\n       [ 3, 40]])"
    comparison = compare(expected, got)
    assert [marks(side) for side in (comparison.expected, comparison.got)] == [["4"], ["40"]]


def test_blanks_of_printed_text_are_marked_beside_other_mistakes() -> None:
    """In what is printed they are a mistake of their own."""
    comparison = compare("  a b", "a c")
    assert [marks(side) for side in (comparison.expected, comparison.got)] == [["··", "b"], ["c"]]


def test_equal_texts_have_no_marks() -> None:
    """The same text on both sides is not marked."""
    assert Comparison(unmarked_lines("a\nb"), unmarked_lines("a\nb")) == compare("a\nb", "a\nb")


def test_a_text_that_goes_on_and_on_is_cut_soon_after_the_other() -> None:
    """A loop that prints fills no screen, and the other side has no empty lines to its end."""
    both = compare("a\nb", "a\n" * 1000)
    assert ["a", "b"] == texts(both.expected)
    assert 10 == len(both.got)
    assert "… (+992)" == texts(both.got)[-1]


def test_what_was_expected_is_shown_whole_beside_a_short_text() -> None:
    """Who printed little sees all that should have come."""
    both = compare("a\n" * 30, "a")
    assert ["a"] * 30 == texts(both.expected)[:30]
    assert ["a"] == texts(both.got)


def test_no_more_lines_are_shown_than_anybody_reads() -> None:
    """Long texts end in a line that says how much more there is."""
    shown = texts(compare("x\n" * 1000, "y\n" * 1000).got)
    assert MAX_LINES == len(shown)
    assert "… (+902)" == shown[-1]


def test_control_characters_are_drawn_instead_of_obeyed() -> None:
    """Both sides pass the display before they are compared."""
    both = compare("\x1b[31m", "\u202eabc")
    assert ["␛[31m"] == texts(both.expected)
    assert ["\\u202eabc"] == texts(both.got)


@pytest.mark.parametrize(
    ("budget", "marked"),
    [
        (50, ["4", "5", "4", "5"]),
        (49, ["4", "5", "4, 2, 5"]),
        (24, ["4, 2, 5", "4, 2, 5"]),
    ],
)
def test_all_lines_share_one_budget(
    monkeypatch: pytest.MonkeyPatch, budget: int, marked: list[str]
) -> None:
    """Two stretches of five tokens cost 25; what costs more than is left is marked as a whole."""
    monkeypatch.setattr(comparison, "_MATCHING_BUDGET", budget)
    assert marked == marks(compare("[1, 2, 3]\n[1, 2, 3]", "[4, 2, 5]\n[4, 2, 5]").got)


def test_hostile_texts_are_marked_as_a_whole() -> None:
    """Texts that are made to be hard to compare are beyond the budget, however they are made."""
    rng = random.Random(7)
    left, right = ("{" + " ".join(rng.choice("ab") for _ in range(2000)) for _ in range(2))
    both = compare(left, right)
    assert [1, 1] == [len(marks(both.expected)), len(marks(both.got))]
    lines = ["\n".join("[" + rng.choice("ab") * 30 for _ in range(n)) for n in (99, 98)]
    for left, right in (lines, ("(" * 10_000_000, "[" * 10_000_000)):
        assert compare(left, right).got
