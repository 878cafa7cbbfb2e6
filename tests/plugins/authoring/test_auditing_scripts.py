"""The audit of a suite that runs programs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from command_line import grader

from grader.plugins.authoring.auditing.programs import MAIN_PROGRAM, wrong_programs

GUARDED = "def f():\n    return 1\n\nif __name__ == '__main__':\n    print(f() + 2)\n"


def test_a_main_program_has_mutants_where_it_is_run(tmp_path: Path) -> None:
    """Otherwise nothing could tell them from the reference."""
    run = wrong_programs({"m": GUARDED}, (MAIN_PROGRAM,), tmp_path)
    imported = wrong_programs({"m": GUARDED}, ("f",), tmp_path)
    lines = [{each.mutant.line for each in made if each.mutant} for made in (run, imported)]
    assert [True, False] == [5 in found for found in lines]
    assert [True, True] == [2 in found for found in lines]
    assert not any(4 in found for found in lines)


def test_the_audit_of_a_script(
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Slips in it are killed, and who has learnt the screens has all points."""
    shutil.copytree(root / "tests/plugins/authoring/scripts/total", tmp_path / "reference/total")
    (tmp_path / "testsuites").mkdir()
    monkeypatch.chdir(tmp_path)
    assert 0 == grader(capfd, "derive", "reference/total/spec.md").code
    done = grader(capfd, "audit", "total", "--json", "--jobs", "1")
    audit = json.loads(done.out)
    assert 0 == done.code
    slips = audit["killed"]["slips"]
    assert slips["killed"] == slips["of"] > 5
    assert 1.0 == audit["hard_coded"]["common"]
