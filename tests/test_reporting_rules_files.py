"""Rules and advice in `results.json` as a program reads them."""

from __future__ import annotations

import json
from pathlib import Path

from ruled_records import advice, hit, rule, ruled

from grader.reporting.results import MAX_SUMMARY_HITS, as_json, summary_of
from grader.reporting.wording import phrase
from grader.verdict import RuleVerdict

# results.json


def test_results_hold_rules_and_advice() -> None:
    """The verdict, the evidence in words, the penalty, and the places."""
    given = ruled(rule("dear", penalty=2.0, hits=(hit(),)), tips=(advice(7, (hit(3),), count=4),))
    entry = summary_of(given)
    assert [
        {
            "id": "dear",
            "verdict": "BROKEN",
            "evidence": "File evidence for dear File detail of dear",
            "penalty": 2.0,
            "costs": True,
            "function": "Board.is_filled_row",
            "group": None,
            "hits": [["Board.py", 41, 5, "for"]],
        }
    ] == entry["rules"]
    assert [
        {
            "kind": "unused",
            "text": "File advice 07",
            "count": 4,
            "places": [["Board.py", 3, 5, "for"]],
        }
    ] == entry["advice"]


def test_results_without_rules_are_as_before() -> None:
    """No rules are an empty list, and without advice there is no word of it."""
    entry = summary_of(ruled())
    assert [] == entry["rules"]
    assert "advice" not in entry


def test_results_hold_so_many_places() -> None:
    """A file full of loops does not fill the summary."""
    entry = json.loads(as_json(summary_of(ruled(rule(hits=(hit(),) * 1000)))))
    assert MAX_SUMMARY_HITS == len(entry["rules"][0]["hits"])


def test_results_page_has_every_key_of_rules_and_advice(root: Path) -> None:
    """Every key has its row in the reference."""
    page = (root / "docs/reference/results.md").read_text(encoding="utf-8")
    entry = json.loads(as_json(summary_of(ruled(rule(), tips=(advice(),)))))
    for key in (*entry["rules"][0], *entry["advice"][0]):
        assert f"| `{key}` |" in page


def test_verdicts_page_has_every_verdict_of_a_rule(root: Path) -> None:
    """Every verdict has its row, with the word that students read."""
    page = (root / "docs/reference/verdicts.md").read_text(encoding="utf-8")
    for verdict in RuleVerdict:
        assert f"| `{verdict}` | {phrase('en', f'report.rule_{verdict}')} |" in page
    assert f"“{phrase('en', 'report.rule_review')}”" in page


# JUnit XML
