"""Rules and advice in `results.json` and JUnit XML."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from record_samples import case, group, record
from ruled_records import advice, hit, one_of_each, rule, ruled

from grader.judging.record import Record
from grader.plugins.ci.junit import junit_xml
from grader.reporting.results import MAX_SUMMED_HITS, as_json, summary_of
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
    assert MAX_SUMMED_HITS == len(entry["rules"][0]["hits"])


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


def rule_cases(given: Record) -> Iterator[tuple[str | None, str | None, str]]:
    """Yield class, name and outcome of each testcase of a rule."""
    for each in ET.fromstring(junit_xml([given])).iter("testcase"):
        tags = [child.tag for child in each if child.tag != "properties"]
        if (each.get("classname") or "").endswith(".rules"):
            yield each.get("classname"), each.get("name"), tags[0] if tags else "passed"


def test_rules_that_cost_are_testcases() -> None:
    """Broken fails, what nobody can tell is skipped, and a remark is no testcase."""
    assert [
        ("yinyang.rules", "kept", "passed"),
        ("yinyang.rules", "skipped", "skipped"),
        ("yinyang.rules", "review", "skipped"),
        ("yinyang.rules", "capped", "failure"),
        ("yinyang.rules", "dear", "failure"),
    ] == list(rule_cases(one_of_each()))


def test_failure_of_a_rule_says_why_and_where() -> None:
    """The message is the first evidence; the rest stands below it, and the penalty beside it."""
    given = ruled(rule("dear", penalty=2.0, hits=(hit(),)))
    root = ET.fromstring(junit_xml([given]))
    failure = root.find("*/testcase/failure")
    assert failure is not None
    assert ("BROKEN", "File evidence for dear") == (failure.get("type"), failure.get("message"))
    assert (failure.text or "").endswith("detail of dear\nBoard.py:41:5: for cell in board[row]:")
    assert root.find("*/testcase/properties/property[@name='penalty'][@value='2']") is not None
    assert ("5", "1") == (root.get("tests"), root.get("failures"))


def test_remarks_go_to_the_output_of_the_suite() -> None:
    """A rule that costs nothing never fails; what it found is there to be read."""
    given = ruled(rule("remark", costs=False), rule("good", RuleVerdict.PASSED, costs=False))
    root = ET.fromstring(junit_xml([given]))
    output = root.findtext("testsuite/system-out") or ""
    assert "evidence for remark" in output
    assert "good" not in output
    assert "0" == root.get("failures")


def test_a_group_called_rules_does_not_hide_a_rule() -> None:
    """Names stay apart when a case and a rule have the same."""
    base = record(group("rules", case("same")))
    names = [name for _, name, _ in rule_cases(replace(base, rules=(rule("same"),)))]
    assert ["same", "same [2]"] == names
