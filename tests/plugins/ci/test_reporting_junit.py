"""JUnit XML: what CI systems read."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

import pytest
from record_samples import (
    HOSTILE_TEXTS,
    case,
    group,
    hostile_record,
    line,
    one_case_per_verdict,
    record,
    secretive_record,
)

from grader.judging.record import LineStatus, Record, SourceLine
from grader.messages import message
from grader.plugins.ci.junit import junit_xml
from grader.verdict import Status, Verdict, Visibility

ILLEGAL_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def parsed(*records: Record) -> ET.Element:
    """Return the parsed XML of `records`."""
    return ET.fromstring(junit_xml(records))


def outcomes(root: ET.Element) -> dict[str, str]:
    """Return what became of each testcase, by name."""
    return {each.attrib["name"]: _outcome(each) for each in root.iter("testcase")}


def _outcome(testcase: ET.Element) -> str:
    tags: Iterator[str] = (child.tag for child in testcase if child.tag != "properties")
    return next(tags, "passed")


def properties(element: ET.Element) -> dict[str, str]:
    """Return the properties of a suite or a testcase."""
    return {each.attrib["name"]: each.attrib["value"] for each in element.findall("*/property")}


def test_each_verdict_has_its_outcome() -> None:
    """The student's failures are failures, ours are errors, and what did not run is skipped."""
    special = {"PASSED": "passed", "SKIPPED": "skipped", "NOT_RUN": "skipped", "FAULT": "error"}
    assert {f"f/{v.value}": special.get(v.value, "failure") for v in Verdict} == outcomes(
        parsed(one_case_per_verdict())
    )


def test_counts_add_up() -> None:
    """The counts of a suite are those of its testcases, and the totals those of the suites."""
    root = parsed(one_case_per_verdict(), one_case_per_verdict())
    counts = {"tests": "13", "failures": "9", "errors": "1", "skipped": "2"}
    assert [counts, counts] == [{key: suite.attrib[key] for key in counts} for suite in root]
    assert {"name": "grader", "tests": "26", "failures": "18", "errors": "2", "skipped": "4"} == (
        root.attrib
    )


def test_suite_is_a_submission_with_its_points() -> None:
    """The suite has the id of the record; student, score and isolation are properties."""
    (suite,) = parsed(record(group("f", case()), id="s-1", student="Elise"))
    assert "s-1" == suite.attrib["name"]
    assert {
        "student": "Elise",
        "score": "1",
        "max_score": "1",
        "isolation": "2",
        "isolation_gaps": "uid_dropped",
    }.items() <= (properties(suite).items())


def test_testcase_has_its_class_and_points() -> None:
    """A testcase is filed under exercise and group, and has its points."""
    (testcase,) = parsed(record(group("maak_wit", case("maak_wit/1")))).iter("testcase")
    assert {"classname": "yinyang.maak_wit", "name": "maak_wit/1"} == testcase.attrib
    assert {"points": "1", "max_points": "1"} == properties(testcase)


def test_failure_tells_why() -> None:
    """The message is the first sentence; the text has everything that the student may know."""
    failing = case(
        "f/1",
        Verdict.WRONG,
        code="f(2)",
        explanation=(
            message("report.how_file", file="one"),
            message("report.how_file", file="two"),
        ),
        expected="1",
        got="2",
        transcript=(line("x = 1", ""), line("f(2)", "2\n", LineStatus.FAILED)),
        source=SourceLine(file="f.py", line=3, function="f", text="return 2"),
        cause="x = 1",
    )
    (failure,) = parsed(record(group("f", failing))).iter("failure")
    assert {"message": "File one", "type": "WRONG"} == failure.attrib
    for part in (
        "f(2)\n\nFile one\nFile two",
        "Expected:\n1",
        "Your code gave:\n2",
        ">>> x = 1\n>>> f(2)\n2",
        "In your file f.py, line 3:\nreturn 2",
        "This step failed first:\nx = 1",
    ):
        assert part in (failure.text or "")


def test_names_are_unique() -> None:
    """Cases that are called the same, in any case, do not hide each other."""
    given = record(group("f", case("f/1"), case("f/1"), case("f/1\x00"), case("f/1\u2400")))
    names = [
        (each.attrib["classname"], each.attrib["name"]) for each in parsed(given).iter("testcase")
    ]
    assert len(set(names)) == len(names) == 4


def test_the_hidden_cases_of_a_group_are_one() -> None:
    """Of hidden cases there is a count, no detail, and no points."""
    hidden = case("f/secret", Verdict.WRONG, visibility=Visibility.HIDDEN, expected="secret")
    xml = junit_xml([record(group("f", case("f/1"), hidden))])
    assert b"secret" not in xml
    assert {"f/1": "passed", "hidden": "failure"} == outcomes(ET.fromstring(xml))


def test_secrets_stay_out() -> None:
    """Nothing of hidden and staff cases but verdicts is in the file."""
    assert b"s3cr3t" not in junit_xml([secretive_record("s3cr3t")])


def test_ungradable_submission_fails_with_its_reason() -> None:
    """A submission that cannot be run is a failure, beside its skipped cases."""
    given = record(
        group("f", case("f/1", Verdict.NOT_RUN)),
        status=Status.UNGRADABLE,
        remarks=(message("report.how_file", file="the reason"),),
    )
    root = parsed(given)
    assert {"submission": "failure", "f/1": "skipped"} == outcomes(root)
    (failure,) = root.iter("failure")
    assert "File the reason" == failure.text


def test_fault_of_a_submission_is_an_error() -> None:
    """What we failed to grade is no failure of the student."""
    root = parsed(record(group("f", case("f/1", Verdict.FAULT)), status=Status.FAULT))
    assert {"submission": "error", "f/1": "error"} == outcomes(root)


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_hostile_text_gives_legal_xml(name: str) -> None:
    """Whatever a submission says, the file parses and holds no character that XML forbids."""
    xml = junit_xml([hostile_record(HOSTILE_TEXTS[name])])
    assert not ILLEGAL_IN_XML.search(xml.decode("utf-8"))
    (suite,) = ET.fromstring(xml)
    assert str(len(Verdict)) == suite.attrib["tests"]
    assert len(xml) < 2_000_000


def test_no_records_give_an_empty_file() -> None:
    """A run without submissions is legal as well."""
    assert "0" == parsed().attrib["tests"]
