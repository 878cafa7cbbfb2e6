"""A packed suite: one file that asks the same as the suite among the files that it names."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import grader

from grader.judging.rules import KINDS
from grader.suite.diagnostics import InvalidSuite
from grader.suite.files import load_suite, load_whole_suite
from grader.suite.loading import parse_suite

ROOT = Path(__file__).resolve().parents[3]
SUITE = """\
exercise: double
title: Double
language: en
module: double
defines: [double]
given: {helper: code/helper.py}
packed:
  code/helper.py: "%s"
groups: [{id: g, points: 1}]
sessions:
  - id: s
    steps:
      - {do: double(2), returns: "4", group: g}
"""


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, in which we stand; suites are those of the project."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GRADER_SUITES", str(ROOT / "testsuites"))
    return tmp_path


@pytest.mark.parametrize("exercise", ["1010", "triomino"])
def test_a_packed_suite_asks_the_same_without_its_files(
    elsewhere: Path, exercise: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Code and sessions are the same, hidden ones with the lines of the spec that settle them."""
    done = grader(capfd, "pack", exercise, "--hidden", "--out", "alone")
    assert f"warning: {exercise}.hidden.yaml is not for students" in done.err
    there = load_whole_suite(ROOT / f"testsuites/{exercise}.yaml", KINDS)
    here = load_whole_suite(elsewhere / f"alone/{exercise}.yaml", KINDS)
    for key in ("given", "checkers", "stand_ins", "sessions", "groups", "files"):
        assert repr(getattr(there, key)) == repr(getattr(here, key))
    assert "$schema" not in (elsewhere / f"alone/{exercise}.yaml").read_text()


def test_hidden_suites_are_packed_only_when_asked(
    elsewhere: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """What is handed to students must not hold them by an oversight; without names, all go."""
    assert 0 == grader(capfd, "pack").code
    assert {"1010.yaml", "akari.yaml", "str8ts.yaml", "triomino.yaml", "yinyang.yaml"} == {
        path.name for path in (elsewhere / "packed").iterdir()
    }


def test_packing_never_replaces_the_suites_themselves(
    elsewhere: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A folder that holds the suite is refused, and a packed suite is packed as it is."""
    assert 0 == grader(capfd, "pack", "1010").code
    packed = elsewhere / "packed/1010.yaml"
    before = packed.read_text()
    done = grader(capfd, "pack", "1010", "--suites", "packed")
    assert (2, before) == (done.code, packed.read_text())
    assert "--out is the folder of the suites themselves: packed" in done.err
    assert 0 == grader(capfd, "pack", "1010", "--suites", "packed", "--out", "again").code
    assert before == (elsewhere / "again/1010.yaml").read_text()


def test_what_is_packed_goes_before_what_lies_there(tmp_path: Path) -> None:
    """A suite that was carried away means the files that it came with."""
    (tmp_path / "code").mkdir()
    (tmp_path / "code/helper.py").write_text("LARGEST = 1\n")
    (tmp_path / "double.yaml").write_text(SUITE % "LARGEST = 9")
    assert {"helper": "LARGEST = 9"} == load_suite(tmp_path / "double.yaml", KINDS).given


def test_packed_code_is_checked_as_a_file_is() -> None:
    """What is no Python is refused with the place that names it."""
    with pytest.raises(InvalidSuite) as caught:
        parse_suite((SUITE % "LARGEST = ").encode(), "double.yaml", KINDS)
    (problem,) = caught.value.diagnostics
    assert 6 == problem.line
    assert "'code/helper.py' is not valid Python" in problem.message
