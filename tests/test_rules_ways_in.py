"""What rules do where a submission comes in: exit code, `--json`, and items of pytest."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

pytestmark = pytest.mark.commands

SUITE: Final = """\
exercise: sample
title: Sample
language: en
module: sample
defines: [double, treble]
groups:
  - id: double
    points: 4
sessions:
  - id: example
    steps:
      - do: double(2)
        returns: "4"
        group: double
rules:
  loops:
    - functions: [double]
      forbid: [for]
      points: 1
    - functions: [treble]
      forbid: [while]
"""
KEPT: Final = """\
def double(x):
    return 2 * x


def treble(x):
    return 3 * x
"""
BROKEN: Final = """\
def double(x):
    total = 0
    for _ in range(2):
        total += x
    return total


def treble(x):
    return 3 * x
"""
REMARKED: Final = """\
def double(x):
    return 2 * x


def treble(x):
    total = 0
    while total < 3 * x:
        total += 1
    return total
"""
COSTING: Final = "loops/double"
REMARK: Final = "loops/treble"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the suite `sample.yaml`; it is a root of its own."""
    (tmp_path / "sample.yaml").write_text(SUITE)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    monkeypatch.chdir(tmp_path)
    for variable in ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "PYTEST_CURRENT_TEST"):
        monkeypatch.delenv(variable, raising=False)
    return tmp_path


def run(source: str, *command: str) -> subprocess.CompletedProcess[str]:
    """Run Python with `command` in the current folder, where `sample.py` has `source`."""
    Path("sample.py").write_text(source)
    environment = {key: text for key, text in os.environ.items() if not key.startswith("COV")}
    return subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )


def checked(source: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Return what `grader check` makes of `source`."""
    words = ("check", "sample.py", "--exercise", "sample", "--suites", ".", *options)
    return run(source, "-c", "from grader.cli.verbs import main; main()", *words)


def rules(source: str) -> dict[str, dict[str, Any]]:
    """Return the rules in the summary of `source`, by id."""
    (entry,) = json.loads(checked(source, "--json").stdout)["submissions"]
    return {rule["id"]: rule for rule in entry["rules"]}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("source", "code"), [(KEPT, 0), (REMARKED, 0), (BROKEN, 1)])
def test_exit_code_is_1_for_a_broken_rule_that_costs(source: str, code: int) -> None:
    """All cases pass; a rule that costs points fails the check, a remark does not."""
    done = checked(source)
    assert code == done.returncode, done.stderr
    assert ("You must not use" in done.stdout) is (source != KEPT)


@pytest.mark.usefixtures("here")
def test_summary_has_the_rules() -> None:
    """`--json` tells of each rule what became of it, and where."""
    found = rules(BROKEN)
    assert ("BROKEN", 1.0, True) == tuple(
        found[COSTING][k] for k in ("verdict", "penalty", "costs")
    )
    assert [["sample.py", 3, 5, "for"]] == found[COSTING]["hits"]
    assert ("PASSED", 0.0, False) == tuple(
        found[REMARK][k] for k in ("verdict", "penalty", "costs")
    )
