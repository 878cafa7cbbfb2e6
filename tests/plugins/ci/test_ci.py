"""Hand-ins checked in CI: notes on lines, the summary, and the templates as they are written."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any, Final

import pytest
import yaml
from command_line import RIGHT, SUITE, WRONG, grader, write
from record_samples import HOSTILE_TEXTS, case, group, hostile_record, record

from grader.judging.record import Record, SourceLine, SourceText
from grader.plugins.ci.github import MAX_ANNOTATIONS, annotation_commands, summary
from grader.verdict import Verdict

RAISES: Final = "def double(x):\n    return x + None\n"
TEMPLATES: Final = Path(__file__).parents[3] / "samples/ci"


def failing(number: int, text: str = "f(1)") -> Record:
    """Return a record with so many failures, each on a line of its own."""
    cases = [
        case(
            f"f/{at}",
            Verdict.ERROR,
            code=text,
            source=SourceLine(file="m.py", line=at + 1, function="f", text="x"),
        )
        for at in range(number)
    ]
    return record(group("f", *cases))


def test_notes_stand_on_lines_and_are_ten_at_most() -> None:
    """GitHub shows no more of a step; two failures of one line are one note."""
    notes = annotation_commands(failing(30), PurePath("work"))
    assert MAX_ANNOTATIONS == len(notes)
    assert notes[0].startswith("::error file=work/m.py,line=1::f(1): ")
    twice = record(group("f", *failing(1).cases, *failing(1).cases))
    assert 1 == len(annotation_commands(twice, PurePath("work")))


def test_note_on_a_wrong_answer_stands_where_the_function_does() -> None:
    """No line is known of what returned the wrong value: it is the heading of what was called."""
    given = record(group("f", case("f/1", Verdict.WRONG, code="solve(f(2))")))
    sources = (SourceText(name="m.py", text="import x\n\ndef f(x):\n    return x\n"),)
    (note,) = annotation_commands(replace(given, sources=sources), PurePath("m.py"))
    assert note.startswith("::error file=m.py,line=3::")


@pytest.mark.parametrize(
    "text", [*HOSTILE_TEXTS.values(), "a\n::error::b", "%0A::set-output name=a::b"]
)
def test_no_text_of_a_submission_begins_a_command(text: str) -> None:
    """Whatever stands in it, a note is one line, and the runner finds one command in it."""
    (note,) = annotation_commands(failing(1, text), PurePath("work, or: else"))
    assert 1 == len(note.splitlines())
    assert note.startswith("::error file=work%2C or%3A else/m.py,line=1::")
    assert not re.search(r"##\[|##vso|(?i:%0a|%0d)", note)
    assert "\x1b" not in note


def test_summary_is_nothing_but_text() -> None:
    """A fence in what a submission prints does not end the one around it."""
    told = summary(hostile_record(next(iter(HOSTILE_TEXTS.values()))))
    assert told.count("<details>") == 1
    evil = summary(failing(1, "f('```\\n<script>')"))
    fences = re.findall(r"^`{3,}", evil, re.MULTILINE)
    assert 4 == len(fences)
    assert min(map(len, fences)) > 3


@pytest.mark.usefixtures("here")
def test_check_tells_github(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Notes go to standard output, the rest to the summary and to files."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    mine = write("work/mine.py", RAISES)
    done = grader(capfd, "check", mine, "--github", "--page", "page.html", "--junit", "junit.xml")
    assert 1 == done.code
    assert "::error file=work/mine.py,line=2::double(2): " in done.out
    assert "## double: 0 of 2 points" in (tmp_path / "summary.md").read_text()
    assert "<html" in Path("page.html").read_text()


@pytest.mark.usefixtures("here")
def test_summary_that_cannot_be_written_is_told(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody takes a step without its summary for one that went well."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "no/summary.md")
    done = grader(capfd, "check", write("mine.py", RIGHT), "--github")
    assert 6 == done.code
    assert "cannot write the summary no/summary.md" in done.err


def test_actions_are_pinned_and_may_do_little() -> None:
    """An action of somebody else's is a commit, not a name; the token may read and nothing more."""
    for file in TEMPLATES.parent.rglob("*.yml"):
        for used in re.findall(r"uses: (\S+)", file.read_text()):
            assert used == "./course" or re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", used), used
    workflow = yaml.safe_load((TEMPLATES / "github/.github/workflows/check.yml").read_text())
    assert {"contents": "read"} == workflow["permissions"]
    checkouts = [step for step in workflow["jobs"]["check"]["steps"] if "checkout" in step["uses"]]
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_no_input_is_pasted_into_a_script() -> None:
    """What a caller says reaches the shell in variables of the environment only."""
    action = yaml.safe_load((TEMPLATES / "github/action.yml").read_text())
    scripts = [step["run"] for step in action["runs"]["steps"] if "run" in step]
    assert 2 == len(scripts)
    assert not any("${{" in script for script in scripts)


class Place:
    """A machine with nothing but git and Python, on which two repositories have been cloned."""

    def __init__(self, folder: Path, text: str) -> None:
        self.folder: Final = folder
        self.staff: Final = folder / "staff"
        write(str(self.staff / "testsuites/double.yaml"), _suite())
        self.student: Final = folder / "student"
        write(str(self.student / "double.py"), text)
        # What a student may bring along to be taken for something else.
        write(str(self.student / "testsuites/double.yaml"), "exercise: double\n")
        write(str(self.student / "click.py"), "raise SystemExit(0)\n")
        for repository in (self.staff, self.student):
            self.shell("git init -q && git add -A && git commit -qm x", repository)

    def shell(self, script: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
        """Run `script` as a runner does."""
        environment = {
            "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
            "HOME": str(self.folder),
            "GRADER": "sessiongrader",  # installed there already
            "PIP_NO_INDEX": "1",
            **{f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in _WHO},
            **more,
        }
        return subprocess.run(
            ["bash", "-eo", "pipefail", "-c", script],
            cwd=cwd,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )


_WHO: Final = ("NAME", "EMAIL")


def _suite() -> str:
    return SUITE.format(name="double", defines="double", call="double(2)")


@pytest.fixture(params=[RIGHT, RAISES, WRONG], ids=["right", "raises", "wrong"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Place, int]:
    """A place with a hand-in, and the exit code that it deserves."""
    return Place(tmp_path, request.param), int(request.param != RIGHT)


@pytest.mark.commands
def test_steps_for_github_do_what_they_say(place: tuple[Place, int]) -> None:
    """Green for a right hand-in, red with a note on the line for a wrong one."""
    machine, code = place
    workspace = machine.folder / "workspace"
    workspace.mkdir()
    for name, repository in (("work", machine.student), ("course", machine.staff)):
        machine.shell(f"git clone -q {repository} {name}", workspace)
    action: dict[str, Any] = yaml.safe_load((TEMPLATES / "github/action.yml").read_text())
    inputs = {"work": "work", "exercise": "double", "grader": "sessiongrader"}
    inputs["suites"] = action["inputs"]["suites"]["default"]
    values = {
        "${{ github.workspace }}": str(workspace),
        **{f"${{{{ inputs.{name} }}}}": value for name, value in inputs.items()},
    }

    def filled(text: str) -> str:
        for expression, value in values.items():
            text = text.replace(expression, value)
        return text

    for step in action["runs"]["steps"]:
        if "run" not in step:
            continue
        environment = {name: filled(value) for name, value in step["env"].items()}
        done = machine.shell(
            step["run"],
            Path(filled(step["working-directory"])),
            RUNNER_TEMP=str(machine.folder),
            GITHUB_STEP_SUMMARY=str(machine.folder / "summary.md"),
            **environment,
        )
    assert code == done.returncode, done.stderr
    assert bool(code) == ("::error file=work/double.py,line=" in done.stdout)
    assert "## double:" in (machine.folder / "summary.md").read_text()
    assert (machine.folder / "junit.xml").is_file()
    assert (machine.folder / "page.html").is_file()


@pytest.mark.commands
def test_script_for_gitlab_does_what_it_says(place: tuple[Place, int]) -> None:
    """The suite is that of the staff, whatever lies in the repository of the student."""
    machine, code = place
    job = yaml.safe_load((TEMPLATES / "gitlab/check.gitlab-ci.yml").read_text())["check"]
    done = machine.shell(
        "\n".join(job["script"]),
        machine.student,
        CI_BUILDS_DIR=str(machine.folder / "builds"),
        COURSE=str(machine.staff),
        COURSE_REF="HEAD",
        EXERCISE="double",
    )
    assert code == done.returncode, done.stderr
    assert (machine.student / job["artifacts"]["reports"]["junit"]).is_file()


@pytest.mark.commands
def test_hook_and_container_do_what_they_say(place: tuple[Place, int]) -> None:
    """The hook stops a commit of what is wrong; the container has a grader that works."""
    machine, code = place
    hooks = yaml.safe_load((TEMPLATES / "pre-commit/.pre-commit-config.yaml").read_text())
    entry = hooks["repos"][0]["hooks"][0]["entry"].replace("EXERCISE", "double")
    suites = str(machine.staff / "testsuites")
    assert code == machine.shell(entry, machine.student, GRADER_SUITES=suites).returncode
    container = TEMPLATES / "devcontainer/.devcontainer/devcontainer.json"
    command = json.loads(container.read_text())["postCreateCommand"]
    assert 0 == machine.shell(command, machine.folder).returncode, os.environ["PATH"]
