"""A course of one's own: verbs find its suites, its references and the schema by walking up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest
from command_line import grader
from small_specs import REFERENCE, SETTINGS

from grader.errors import UsageError
from grader.plugins.authoring.courses import Course, find_course
from grader.plugins.authoring.exercise import find_exercise
from grader.plugins.authoring.samples import CI, CI_PLATFORMS, sample_files

SPEC: Final = "# Box\n\n>>> Box(2).size()\n2\n"


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course with one exercise and no folder of suites, in which we stand."""
    folder = tmp_path / "reference/box"
    folder.mkdir(parents=True)
    for name, text in {"spec.md": SPEC, "exercise.yaml": SETTINGS, "box.py": REFERENCE}.items():
        (folder / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GRADER_SUITES", raising=False)
    return tmp_path


@pytest.mark.usefixtures("course")
def test_derive_makes_the_folder_of_suites(capfd: pytest.CaptureFixture[str]) -> None:
    """It lies beside `reference`, and the first line of the suite names a schema that is there."""
    assert 3 == grader(capfd, "derive", "reference/box/spec.md", "--check").code
    assert not Path("testsuites").exists()
    assert 0 == grader(capfd, "derive", "reference/box/spec.md").code
    first = Path("testsuites/box.yaml").read_text().splitlines()[0]
    assert "# yaml-language-server: $schema=suite.schema.json" == first
    assert json.loads(Path("testsuites/suite.schema.json").read_text())
    assert (0, "", "") == grader(capfd, "derive", "box", "--check")


@pytest.mark.usefixtures("course")
def test_an_exercise_that_is_not_there_can_be_made(capfd: pytest.CaptureFixture[str]) -> None:
    """Who derives it by name reads how."""
    Path("testsuites").mkdir()
    done = grader(capfd, "derive", "boxes")
    assert (2, True) == (done.code, "grader new exercise boxes" in done.err)


def test_derive_stays_in_the_course_of_the_spec(
    course: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who stands in another course, or in none, leaves nothing there."""
    (course / "testsuites").mkdir()
    elsewhere = course / "reference" / "elsewhere"
    (elsewhere / "testsuites").mkdir(parents=True)
    monkeypatch.chdir(elsewhere)
    assert 0 == grader(capfd, "derive", "../box/spec.md").code
    assert (course / "testsuites/box.yaml").is_file()
    assert [] == list((elsewhere / "testsuites").iterdir())


def test_a_suite_without_a_schema_in_reach_names_none(
    course: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """No line speaks of a file that is not there; `grader schema` brings the file and the line."""
    (course / "testsuites").mkdir()
    suite = course / "testsuites/box.yaml"
    assert 0 == grader(capfd, "derive", "box").code
    assert suite.read_text().startswith("# Derived from ../reference/box/spec.md:")
    done = grader(capfd, "schema")
    assert {"hidden.schema.json", "suite.schema.json"} == {
        Path(line).name for line in done.out.splitlines()
    }
    assert 0 == grader(capfd, "derive", "box").code
    assert suite.read_text().startswith("# yaml-language-server: $schema=suite.schema.json\n")


@pytest.mark.parametrize("line", ["spec: ../reference/box/spec.md\n", ""])
def test_the_reference_is_found_by_the_suite(
    course: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    """By its key `spec`; without one it is in `reference`, under the name of the exercise."""
    assert 0 == grader(capfd, "derive", "reference/box/spec.md").code
    suite = course / "testsuites/box.yaml"
    suite.write_text(suite.read_text().replace("spec: ../reference/box/spec.md\n", line))
    monkeypatch.chdir(course / "reference")
    assert course / "reference/box" == find_exercise("box", None, None).folder.resolve()


@pytest.mark.usefixtures("course")
def test_a_course_is_found_from_below(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its settings mark it, and say in which language its exercises are."""
    Path("grader.toml").write_text('language = "nl"\n')
    top = Path.cwd()
    monkeypatch.chdir("reference/box")
    assert Course(folder=top, language="nl") == find_course()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("langage = 'nl'", "unknown key 'langage' (did you mean 'language'?)"),
        ("language = 'tlh'", "unknown language 'tlh'"),
        ("language = [", "cannot read"),
    ],
)
def test_mistakes_in_the_settings_of_a_course_are_told(course: Path, text: str, said: str) -> None:
    """The file is named, and what is wrong in it."""
    (course / "grader.toml").write_text(text)
    with pytest.raises(UsageError) as caught:
        find_course()
    assert said in caught.value.message
    assert "grader.toml" in caught.value.message


def test_who_stands_in_no_course_learns_how_to_make_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The way out is a command."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as caught:
        find_course()
    assert "grader new course FOLDER" in str(caught.value.help)


@pytest.mark.parametrize("platform", CI_PLATFORMS)
@pytest.mark.usefixtures("here")
def test_templates_are_written_once(capfd: pytest.CaptureFixture[str], platform: str) -> None:
    """They are those of the samples; a file that is there already is not written over."""
    assert 0 == grader(capfd, "new", "ci", platform, "--out", "ci").code
    files = dict(sample_files(f"{CI}/{platform}"))
    assert files
    assert all((Path("ci") / name).read_bytes() == data for name, data in files.items())
    assert 2 == grader(capfd, "new", "ci", platform, "--out", "ci").code
