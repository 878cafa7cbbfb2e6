"""Rules and advice on the terminal."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from ruled_records import advice, hit, one_of_each, printed, rule, ruled

from grader.reporting.terminal import rule_text
from grader.verdict import RuleVerdict


def test_terminal_shows_what_asks_for_something_and_counts_the_rest() -> None:
    """A rule in a few lines, with the place as editors write it."""
    given = ruled(
        rule("kept", RuleVerdict.PASSED),
        rule("skipped", RuleVerdict.SKIPPED),
        rule("dear", penalty=2.0, hits=tuple(hit(n) for n in range(1, 8)), spec_line=190),
    )
    assert (
        "✗ Rules  1 of 3 kept\n"
        "  ✗ not kept  −2 points\n"
        "    File demand of dear\n"
        "    File evidence for dear\n"
        "    File detail of dear\n"
        "    Board.py:1:5  for cell in board[row]:\n"
        "    Board.py:2:5  for cell in board[row]:\n"
        "    Board.py:3:5  for cell in board[row]:\n"
        "    Board.py:4:5  for cell in board[row]:\n"
        "    Board.py:5:5  for cell in board[row]:\n"
        "    and 2 more\n"
        "    See the exercise: spec.md, line 190.\n"
        "\n"
        "  – 1 rule not checked\n"
    ) in printed(given)


def test_terminal_tells_on_top_what_rules_cost() -> None:
    """The score is followed by why it is not higher."""
    score, cost = printed(ruled(rule(penalty=2.0))).splitlines()[1:3]
    assert score.startswith("2 of 4 points")
    assert "Broken rules cost you 2 points." == cost


def test_terminal_ends_the_result_with_five_pieces_of_advice() -> None:
    """Advice is the last block, before the foot that tells of isolation."""
    tips = tuple(advice(n, (hit(n + 1),), count=3) for n in range(8))
    text = printed(ruled(rule(), tips=tips))
    assert [f"advice {n:02}" for n in range(5)] == re.findall(r"advice \d\d", text)
    assert "    Board.py:1:5  for cell in board[row]:\n    and 2 more\n" in text
    assert "  And 3 more tips.\n\nLevel 2 of 3." in text
    assert text.index("✗ Rules") < text.index("Readability: tips")


@pytest.mark.parametrize("width", [10, 24, 40])
def test_narrow_terminals_hold_it(width: int) -> None:
    """No line is wider than the terminal."""
    given = replace(one_of_each(), advice=(advice(0, (hit(),)),))
    assert max(map(len, printed(given, width).splitlines())) <= width


def test_ascii_terminals_hold_it() -> None:
    """Signs have a stand-in where the terminal knows no others, the minus among them."""
    text = printed(one_of_each(), encoding="ascii")
    assert "x not kept  -1.5 points" in text
    assert "\\u" not in text


def test_terminal_without_rules_has_no_word_of_them() -> None:
    """Nothing is added for a suite without rules."""
    text = printed(ruled())
    assert "Rules" not in text
    assert "Readability" not in text


def test_one_rule_as_text() -> None:
    """The plain text of one rule is what the terminal shows of it."""
    given = ruled(rule("dear", penalty=2.0, hits=(hit(),)))
    text = rule_text(given.rules[0], given)
    assert text.startswith("  ✗ not kept  −2 points\n    File demand of dear\n")
    assert text.endswith("Board.py:41:5  for cell in board[row]:")
