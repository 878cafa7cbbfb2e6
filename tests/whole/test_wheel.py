"""An installation without a checkout has all that a course of one's own begins with."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from command_line import COMMAND

from grader.plugins.authoring.samples import exercise_kinds, sample_course_files, sample_files

FOLDERS = ("docs", "reference", "samples", "submissions", "testsuites")


@pytest.mark.installs(one_in=None)
@pytest.mark.timeout(900)  # the installation may have to be waited for, on a busy machine
def test_an_installation_makes_and_grades_a_course(installed: Path, tmp_path: Path) -> None:
    """Samples come out of the archive as they are in a checkout, and each verb finds the course."""
    environment = {
        key: value
        for key, value in os.environ.items()
        if key not in {"PYTHONPATH", "GRADER_SUITES"}
    }

    def run(*words: str, folder: Path) -> str:
        done = subprocess.run(
            [installed, *COMMAND, *words],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert 0 == done.returncode, done.stderr
        return done.stdout

    run("sample", "sample", folder=tmp_path)
    assert dict(sample_course_files()) == {
        path.relative_to(tmp_path / "sample").as_posix(): path.read_bytes()
        for path in (tmp_path / "sample").rglob("*")
        if path.is_file()
    }
    run("derive", "akari", "--check", folder=tmp_path / "sample/reference/akari")
    run("new", "course", "course", folder=tmp_path)
    course = tmp_path / "course"
    for kind in exercise_kinds():
        run("new", "exercise", f"my-{kind}", "--like", kind, folder=course)
    run("derive", "my-class", folder=course)
    run("grade", "reference/my-class/faulty", "--exercise", "my-class", folder=course)
    assert (course / "reports/index.html").is_file()
    run("pack", folder=course / "reference")
    assert (course / "reference/packed/my-class.yaml").is_file()


def test_samples_are_data_of_five_folders() -> None:
    """What the build puts into the archive, the only names that are looked for."""
    build = (Path(__file__).resolve().parents[2] / "hatch_build.py").read_text(encoding="utf-8")
    assert f"FOLDERS = {FOLDERS!r}".replace("'", '"') in build
    assert {name.partition("/")[0] for name, _ in sample_course_files()} < set(FOLDERS)
    assert list(sample_files("samples/course"))
