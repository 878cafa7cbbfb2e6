"""Tests that read a submission as a file, or run it as a command."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from grader.plugins.own_tests.proxying.bypassing import BypassDetector

READ, TOUCH = os.O_RDONLY, os.O_CREAT | os.O_WRONLY


@pytest.fixture
def watch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BypassDetector:
    """A submission with `main`, a folder that is shared, and a file of that name elsewhere."""
    for name in ("shared", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "other" / "main.py").touch()
    monkeypatch.chdir(tmp_path)
    return BypassDetector(["main"], lambda: [tmp_path / "shared"])


@pytest.mark.parametrize(
    ("command", "folder"),
    [
        ([sys.executable, "main.py"], None),
        (["python3", "-u", "-X", "dev", "main.py"], None),
        (["py", "-3", "-Im", "main"], None),
        (["python", "-mmain"], None),
        ([Path("main.py")], None),
        (["python", "main.py"], "handed"),
        (["python", "handed/main.py"], None),
        ('"C:/Python/python.exe" main.py 3', None),
        ("python3 main.py < input.txt", None),
        (b"python3 'main.py'", None),
        (["sh", "-c", "echo 3 | python3 main.py"], None),
        (["coverage", "run", "main.py"], None),
        (["python", "-m", "coverage", "run", "-m", "main"], None),
        (["timeout", "5", "python", "main.py"], None),
        (["python", "-m", "doctest", "main.py"], None),
        (["python", "-c", "import sys; from main import f; print(f())"], None),
    ],
)
def test_a_submission_is_not_run(
    watch: BypassDetector, command: object, folder: str | None
) -> None:
    """Nor is any program that is given its file, or its module."""
    assert "as a command" in str(watch.running_complaint(command, folder))


@pytest.mark.parametrize(
    ("command", "folder"),
    [
        ([], None),
        (["grep", "main"], None),
        (["python", "-c", "pass"], None),
        (["python", "-c", "import sys"], None),
        (["python", "-m", "doctest", "other/main.py"], None),
        (["python", "tool.py"], None),
        (None, None),
        (["python", "other/main.py"], None),
        (["python", "main.py"], "other"),
        (["python", "shared/main.py"], None),
        ('python "tool.py', None),
    ],
)
def test_honest_commands_are_run(
    watch: BypassDetector, command: object, folder: str | None
) -> None:
    """Files that are there are no submission."""
    assert watch.running_complaint(command, folder) is None


def test_only_reading_what_is_not_there_is_refused(watch: BypassDetector) -> None:
    """To make a file is no reading; what is missing in a shared folder was not written."""
    assert "reads main.py as a file" in str(watch.reading_complaint("main.py", "r", READ))
    assert "reads main.py as a file" in str(watch.reading_complaint(b"main.py", None, READ))
    assert watch.reading_complaint("main.py", None, TOUCH) is None
    assert watch.reading_complaint("shared/main.py", "r", READ) is None
    assert watch.reading_complaint("other/main.py", "r", READ) is None
    assert watch.reading_complaint("tool.py", "r", READ) is None
