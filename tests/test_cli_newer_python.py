"""What the command line says of submissions that are written for a newer Python."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import pytest
from command_line import RIGHT, grader, write

from grader.cli import terminal

NEWER: Final = f"{RIGHT}try: pass\nexcept ValueError, TypeError: pass\n"

pytestmark = [
    pytest.mark.skipif(sys.version_info >= (3, 14), reason="nothing newer is known"),
    pytest.mark.skipif(sys.platform == "win32", reason="an interpreter is a script here"),
]


def interpreter(folder: Path, name: str, exit_code: int) -> None:
    """Put an interpreter in `folder` that ends with `exit_code`."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\nexit {exit_code}\n")
    path.chmod(0o755)


@pytest.mark.usefixtures("here")
def test_check_tells_of_a_newer_interpreter(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that runs is named, with how to use it; one that is but a name is passed over."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for name, exit_code in (("python3.13", 0), ("python3.14", 127), ("python3.15", 0)):
        interpreter(tmp_path / "bin", name, exit_code)
    done = grader(capfd, "check", write("mine.py", NEWER), "--exercise", "double")
    assert 1 == done.code
    assert "warning: submissions written for Python 3.14 cannot be graded" in done.err
    assert f"{tmp_path}/bin/python3.15; to use it" in done.err
    assert "PYTHON=python3.15 scripts/setup" in done.err


@pytest.mark.usefixtures("here")
def test_grade_tells_what_would_be_needed(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there is none, it is said which to install; and nothing where ours will do."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "right.py").write_text(RIGHT)
    options = ("--exercise", "double", "--no-reports", "--jobs", "1")
    assert "Python" not in grader(capfd, "grade", str(folder), *options).err
    (folder / "newer.py").write_text(NEWER)
    said = grader(capfd, "grade", str(folder), *options).err
    how = "install Python 3.14, remove .venv and run: PYTHON=python3.14 scripts/setup"
    assert f"= help: to use it, {how}" in said


@pytest.mark.usefixtures("here")
def test_who_has_installed_the_grader_is_not_sent_to_a_script(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a checkout has the script that sets it up."""
    monkeypatch.setattr(terminal, "SETUP_SCRIPT", tmp_path / "setup")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    path = write("mine.py", NEWER)
    said = grader(capfd, "check", path, "--exercise", "double").err
    how = "install Python 3.14, and then python3.14 -m pip install sessiongrader"
    assert f"= help: to use it, {how}" in said
    interpreter(tmp_path / "bin", "python3.14", 0)
    said = grader(capfd, "check", path, "--exercise", "double").err
    assert "install the grader for it: python3.14 -m pip install sessiongrader" in said
