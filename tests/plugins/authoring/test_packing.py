"""A packed suite: one file that asks the same as the suite among the files that it names."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import grader

from grader.errors import UsageError
from grader.judging.rules import KINDS
from grader.plugins.authoring.exercise import find_exercise
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


@pytest.fixture
def double(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the suite of `double`, its spec and its reference."""
    monkeypatch.chdir(tmp_path)
    for name in ("suites", "reference"):
        (tmp_path / name).mkdir()
    head, _, rest = SUITE.partition("given:")
    text = f"{head}spec: ../reference/spec.md\n{rest[rest.index('groups:') :]}"
    (tmp_path / "suites/double.yaml").write_text(text)
    (tmp_path / "reference/spec.md").write_text("Double it.\n")
    (tmp_path / "reference/double.py").write_text("def double(x):\n    return 2 * x\n")
    return tmp_path


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("reference/spec.md", ("pack", "double", "--tested")),
        ("reference/double.py", ("pack", "double", "--tested")),
        ("reference/spec.md", ("pack", "double")),
        ("suites/double.hidden.yaml", ("pack", "double", "--hidden")),
        ("reference/double.py", ("audit", "double")),
        ("reference/spec.md", ("audit", "double", "--only", "clauses")),
        ("reference/double.py", ("generate", "double")),
    ],
)
def test_file_that_is_not_utf8_is_named(
    double: Path, capfd: pytest.CaptureFixture[str], file: str, words: tuple[str, ...]
) -> None:
    """It ends in an error that says what to do, whichever verb reads it."""
    (double / file).write_bytes(b"# caf\xe9\n")
    done = grader(capfd, *words, "--suites", "suites")
    assert 2 == done.code
    assert f"{Path(file).name} is not UTF-8\n  = help: save it as UTF-8\n" in done.err


def test_strict_code_that_is_not_utf8_is_named(double: Path) -> None:
    """It is read as the reference is."""
    (double / "reference/strict").mkdir()
    (double / "reference/strict/double.py").write_bytes(b"# caf\xe9\n")
    exercise = find_exercise("double", double / "suites", None)
    with pytest.raises(UsageError, match=r"double\.py is not UTF-8"):
        exercise.strict_sources()


def test_hidden_suite_is_never_left_out_silently(
    elsewhere: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """An exercise for TESTed has no hidden part, so to ask for one is refused."""
    done = grader(capfd, "pack", "1010", "--tested", "--hidden")
    assert (2, []) == (done.code, list(elsewhere.iterdir()))
    assert "error: --tested cannot be combined with --hidden\n" in done.err
