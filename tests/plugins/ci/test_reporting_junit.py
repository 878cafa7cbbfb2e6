"""JUnit XML: what CI systems read."""

from __future__ import annotations

import os
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePath

import pytest
from decisions import on_case
from filed_runs import begun, filed, keep
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
from ruled_records import hit, one_of_each, rule, ruled
from test_deciding import GIVEN, told
from test_large_classes import CASES, KEPT_BYTES, peak, wordy

from grader.errors import OutputError
from grader.judging.record import LineStatus, Record, SourceLine
from grader.messages import message
from grader.plugins.ci.junit import junit_xml
from grader.reporting import output
from grader.reporting.output import write_reports
from grader.verdict import RuleVerdict, Status, Verdict, Visibility

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
        "In your file f.py, line 3, in f:\nreturn 2",
        "This step failed first:\nx = 1",
    ):
        assert part in (failure.text or "")


def test_testcase_has_the_place_of_its_failure() -> None:
    """GitLab and Jenkins link to it: it is a path from where the file was named."""
    place = SourceLine(file="f.py", line=3, function="f", text="return 2")
    given = record(group("f", case("f/1", Verdict.ERROR, source=place)))
    for work, path in (("in/f.py", "in/f.py"), ("in", "in/f.py"), (None, "f.py")):
        xml = junit_xml([given], None if work is None else PurePath(work))
        (testcase,) = ET.fromstring(xml).iter("testcase")
        assert (path, "3") == (testcase.get("file"), testcase.get("line"))


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


@pytest.mark.parametrize("room", [100, 1_000_000])
def test_junit_is_the_same_wherever_it_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    """Suites wait in memory or on the disk until the totals are known, and leave nothing there."""
    monkeypatch.setattr(output, "_MEMORY_BYTES", room)
    records = [wordy(number) for number in range(3)]
    filed(tmp_path / "out", *records, junit=tmp_path / "ci.xml")
    assert junit_xml(records) == (tmp_path / "ci.xml").read_bytes()
    assert {"index.html", "results.json", "run.db", "run.lock", "yinyang"} == {
        path.name for path in (tmp_path / "out").iterdir() if not path.name.startswith("page-")
    }


@pytest.mark.parametrize("count", [0, 1, 3])
def test_junit_in_pieces_is_one_document(count: int) -> None:
    """It is what the whole tree would be written as, and its totals are those of its suites."""
    written = junit_xml([wordy(number) for number in range(count)])
    root = ET.fromstring(written)
    assert [count * (CASES + 1), count] == [
        int(root.attrib[name]) for name in ("tests", "failures")
    ]
    ET.indent(root)
    assert written == ET.tostring(root, encoding="utf-8", xml_declaration=True)


def test_no_room_for_what_waits_is_told(
    tmp_path: Path, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that is full when suites are to wait on it ends as any full disk does."""
    monkeypatch.setattr(output, "_MEMORY_BYTES", 100)
    failing = case(verdict=Verdict.WRONG, expected="1", transcript=(line(output="x" * 12_000),) * 3)
    given = record(group("f", failing))
    with begun(small_disk, given) as store:
        keep(store, 0, given)
        left = os.statvfs(small_disk)
        (small_disk / "filling").write_bytes(b"x" * (left.f_bavail - 2) * left.f_frsize)
        write_reports(small_disk, store, index=False)
        (small_disk / "results.json").unlink()
        with pytest.raises(OutputError, match="No space left on device"):
            write_reports(small_disk, store, junit=tmp_path / "ci.xml", index=False)
    assert not (small_disk / "results.json").exists()
    assert not (tmp_path / "ci.xml").exists()


def test_decisions_are_told() -> None:
    """The score is the decided one, and who decided is said."""
    xml = junit_xml([told(GIVEN, on_case(GIVEN, "f/2", 1.0))]).decode()
    assert '<property name="score" value="2" />' in xml
    assert "prof has decided on the points: 1 instead of 0." in xml


def test_little_of_a_submission_stays_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What waits for the totals waits on the disk."""
    monkeypatch.setattr(output, "_MEMORY_BYTES", 1_000)
    file = tmp_path / "ci.xml"
    peak(tmp_path / "few", 10, file)  # what is loaded and laid out once is no matter of this
    growth = (peak(tmp_path / "many", 60, file) - peak(tmp_path / "few", 10, file)) / 50
    assert growth < KEPT_BYTES
