"""`grader pytest` on a suite: items for cases and rules, and nothing that a log would obey."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from textwrap import dedent
from typing import Final

import pytest
import test_hidden_suites as hidden
import test_rules_ways_in as ruled
from command_line import process, write
from test_cli_logs import SPEAKS, commands
from test_hostile_configuration import ROOT, try_inside
from test_other_systems import SAMPLES, SYSTEMS, elsewhere
from test_rules_ways_in import BROKEN, COSTING, REMARKED

RULE: Final = f"rule: {COSTING}"


@pytest.fixture
def with_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder, with a suite that has rules; it is a root of its own."""
    monkeypatch.chdir(tmp_path)
    write("sample.yaml", ruled.SUITE)
    write("pytest.ini", "[pytest]\n")
    for variable in ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "PYTEST_CURRENT_TEST"):
        monkeypatch.delenv(variable, raising=False)


def outcomes(source: str) -> dict[str, str]:
    """Return what became of each item of pytest on `source`."""
    write("sample.py", source)
    done = process("pytest", "sample.yaml", "--submission=sample.py", "--junitxml=out.xml")
    assert done.code in {0, 1}, done.err
    found = {}
    for case in ET.parse("out.xml").getroot().iter("testcase"):
        kinds = [child.tag for child in case if child.tag in {"failure", "error", "skipped"}]
        found[str(case.get("name"))] = kinds[0] if kinds else "passed"
    return found


@pytest.mark.usefixtures("with_rules")
def test_rules_that_cost_are_items_behind_the_cases() -> None:
    """One that is kept passes, and a remark is no item."""
    assert [("double/1", "passed"), (RULE, "passed")] == list(outcomes(REMARKED).items())


@pytest.mark.usefixtures("with_rules")
def test_a_broken_rule_fails_with_its_evidence() -> None:
    """The report is our text, with the place, and no traceback."""
    assert [("double/1", "passed"), (RULE, "failure")] == list(outcomes(BROKEN).items())
    text = ET.parse("out.xml").getroot().findtext(".//testcase/failure") or ""
    assert "sample.py:3:5" in text
    assert "Traceback" not in text


@pytest.mark.usefixtures("with_rules")
@pytest.mark.parametrize("source", ["def treble(x):\n    return 3 * x\n", "def double(:\n"])
def test_a_rule_that_nobody_can_judge_is_skipped(source: str) -> None:
    """Without the function, or without a file that is Python, the cases tell what is wrong."""
    assert "skipped" == outcomes(source)[RULE]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("submission", ["mine.py", "##[error]missing.py"])
def test_items_cannot_speak_to_a_ci_system(submission: str) -> None:
    """What pytest prints about a submission, or that there is none, holds no command either."""
    write("mine.py", SPEAKS)
    done = process("pytest", "testsuites/double.yaml", f"--submission={submission}")
    assert 1 == done.code
    assert "#\\#[error]" in done.out
    assert [] == commands(done.out + done.err)


@pytest.mark.commands
def test_the_public_suite_is_taken_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The plugin has an item for each public case, and none for a hidden suite."""
    monkeypatch.chdir(tmp_path)
    write("sample.yaml", hidden.SUITE)
    write("sample.hidden.yaml", hidden.HIDDEN)
    write("an.py", dedent(hidden.COPIED))
    for name, code, said in (
        ("sample.yaml", 0, "3 passed"),
        ("sample.hidden.yaml", 2, "is only the hidden part of a suite"),
    ):
        done = process("pytest", name, "--submission=an.py")
        assert (code, True) == (done.code, said in done.out), done.out


@pytest.mark.commands
@SYSTEMS
def test_other_systems_tell_the_same(system: str, tmp_path: Path) -> None:
    """The items of a suite pass and fail by the verdicts."""
    sample = f"--submission={SAMPLES}/jacobs_robbe.py"
    options = ("--capture=sys", "--no-header", "-q")
    words = ("grader", "pytest", "testsuites/yinyang.yaml", sample, *options)
    done = elsewhere(system, tmp_path, *words)
    assert 1 == done.returncode
    assert "8 failed, 46 passed" in done.stdout


@pytest.mark.commands
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere submissions may do what users may")
def test_nothing_of_a_hand_in_runs_in_pytest(tmp_path: Path) -> None:
    """Who stands in a hand-in that configures pytest runs none of its files."""
    try_inside(tmp_path, ("pytest", f"{ROOT}/testsuites/yinyang.yaml", "--submission=."))
