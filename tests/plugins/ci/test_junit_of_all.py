"""What JUnit XML tells of all that a record can hold, and what it keeps to itself."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import test_hidden_suites as hidden
import test_modules as modules
import test_reporting_hostility as hostility
from counterexample_samples import SHOWN, SMALL_ONLY, graded
from filed_runs import filed
from record_samples import HOSTILE_TEXTS, hostile_record
from ruled_records import hostile
from test_counterexamples_in_reports import LUCKY, SECRETS

from grader.judging.record import Record
from grader.plugins.ci.junit import junit_xml
from grader.sandbox.zygote import Zygote
from grader.suite.model import Suite


def written(record: Record) -> str:
    """Return the report on a record."""
    return junit_xml([record]).decode()


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_hostile_text_leaves_it_whole(name: str) -> None:
    """A parser reads it, whatever evidence of rules says."""
    ET.fromstring(junit_xml([hostile(HOSTILE_TEXTS[name])]))


def test_text_that_cannot_be_seen_is_shown() -> None:
    """Letters made of tags, fillers and selectors reach no reader unseen."""
    text = written(hostile_record(hostility.UNSEEN))
    assert not set(hostility.UNSEEN) & set(text)
    assert "\\U000e0041\\u180e\\u115f" in text


def test_students_read_nothing_hidden(zygote: Zygote, tmp_path: Path) -> None:
    """Of the hidden cases of a group it has how many of their demands are met, and no more."""
    record = hidden.graded(zygote, hidden.COPIED)
    filed(tmp_path, record, junit=tmp_path / "junit.xml")
    text = written(record)
    for said in (text, (tmp_path / "junit.xml").read_text(encoding="utf-8")):
        assert 2 == said.count('name="hidden"')
        for secret in ("zebra", "4711", hidden.whole().seed):
            assert secret not in said


def test_students_do_not_read_how_hidden_cases_failed(zygote: Zygote) -> None:
    """However a hidden case fails, it says the same."""
    assert 1 == len({written(hidden.failing(zygote, *each)) for each in hidden.FAILING})


@pytest.mark.parametrize("source", [SMALL_ONLY, LUCKY])
def test_nothing_of_scored_sessions_is_told(zygote: Zygote, source: str) -> None:
    """Neither what a hidden session asks nor what it expects."""
    said = written(graded(zygote, source))
    assert not [secret for secret in SECRETS if secret in said]


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """A suite of several modules."""
    return modules.suite_in(tmp_path, modules.SUITE)


def test_a_case_was_tried_on_ours(zygote: Zygote, suite: Suite, tmp_path: Path) -> None:
    """It is said of a case that passed, and of no other."""
    record = modules.graded(zygote, suite, tmp_path, Shape="def make(:\n")
    testcases = ET.fromstring(junit_xml([record])).iter("testcase")
    outs = {case.get("name"): case.findtext("system-out") for case in testcases}
    assert modules.BOTH in (outs["game/1"] or "")
    assert "Shape.py is not valid Python" in (outs["game/1"] or "")
    assert outs["point/1"] is None


def test_junit_tells_it_once(zygote: Zygote) -> None:
    """In JUnit XML it stands with the count of what failed in the group."""
    root = ET.fromstring(junit_xml([graded(zygote, SMALL_ONLY)]))
    said = [each for each in root.iter("testcase") if each.find("system-out") is not None]
    assert ["hidden"] == [each.get("name") for each in said]
    assert SHOWN in (said[0].findtext("system-out") or "")
