"""`--results` as it is typed, and the scripts by which platforms start it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any, Final

import pytest
import yaml
from command_line import RIGHT, SUITE, WRONG, grader, write
from record_samples import record
from test_results import RUNNER

from grader.cli import check_submission
from grader.cli.result_files import RequestedResult, write_results
from grader.errors import HostError
from grader.sandbox.isolation import Isolation
from grader.seams import RESULTS
from grader.verdict import Status

TEMPLATES: Final = Path(__file__).parents[3] / "samples/ci"
HIDDEN: Final = """\
exercise: double
share: 0.5
feedback: count
sessions:
- id: more
  steps:
  - {do: double(1234), returns: "2468", group: g}
"""
ONLY_PUBLIC: Final = "def double(x):\n    return {2: 4}[x]\n"
TESTS: Final = "from double import double\n\ndef test_double():\n    assert double(2) == 4\n"


@pytest.fixture
def _whole(here: Path) -> None:
    """A course in which half of the points are hidden."""
    write(str(here / "testsuites/double.yaml"), _suite())
    write(str(here / "testsuites/double.hidden.yaml"), HIDDEN)


def _suite() -> str:
    return SUITE.format(name="double", defines="double", call="double(2)")


def read(path: str | Path) -> Any:
    """Return what the JSON at `path` says."""
    return json.loads(Path(path).read_text())


@pytest.mark.usefixtures("_whole")
def test_a_mark_is_about_hidden_cases_too(capfd: pytest.CaptureFixture[str]) -> None:
    """The whole suite counts, the student sees what her page says, and the exit code is 0."""
    mine = write("double.py", ONLY_PUBLIC)
    done = grader(capfd, "check", mine, "--results", "gradescope=out.json")
    assert 0 == done.code, done.err
    result = read("out.json")
    assert 1.0 == result["score"]
    assert ["passed", "failed"] == [each["status"] for each in result["tests"]]
    for said in (done.out, Path("out.json").read_text()):
        assert not re.search("1234|2468", said)
    assert 0 == grader(capfd, "check", mine).code, "as it passes all that students may see"


@pytest.mark.usefixtures("_whole")
def test_what_carries_no_mark_changes_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    """Reports for editors and CI are about public cases; exit code and screen are as without."""
    mine = write("work/double.py", ONLY_PUBLIC)
    plain = grader(capfd, "check", mine)
    wanted = ("sarif=a.sarif", "codequality=b.json", "markdown=c.md", "junit=d.xml")
    options = [word for each in wanted for word in ("--results", each)]
    assert plain == grader(capfd, "check", mine, *options)
    assert [] == read("b.json")
    assert "2 of 2 points" in Path("c.md").read_text()
    assert 1 == len(list(ET.parse("d.xml").iter("testcase")))


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({}, "There is no Python file in this submission"),
        ({"notes.txt": "hi"}, "only notes.txt"),
        ({f"v{number}.py": RIGHT for number in range(3)}, "v2.py was graded"),
    ],
)
@pytest.mark.usefixtures("_whole")
def test_whatever_is_handed_in_has_a_result(
    capfd: pytest.CaptureFixture[str], files: dict[str, str], told: str
) -> None:
    """A platform knows that it is one submission, and its student reads what is wrong with it."""
    Path("hand-in").mkdir()
    for name, text in files.items():
        write(f"hand-in/{name}", text)
    wanted = ("--exercise", "double", "--results", "prairielearn=x.json")
    done = grader(capfd, "check", "hand-in", *wanted)
    assert (0, "") == (done.code, done.err)
    result = read("x.json")
    assert told in " ".join((result["message"], *result.get("format_errors", ())))


@pytest.mark.usefixtures("here")
def test_nothing_else_is_printed_where_somebody_reads(capfd: pytest.CaptureFixture[str]) -> None:
    """VPL and CodeRunner read standard output."""
    mine = write("double.py", WRONG)
    done = grader(capfd, "check", mine, "--results", "coderunner")
    assert (0, "") == (done.code, done.err)
    assert 0 == json.loads(done.out)["fraction"]
    said = grader(capfd, "check", mine, "--results", "vpl", "--results", "sarif=x.sarif").out
    assert said.startswith("\n<|--\n")
    assert said.endswith("Grade :=>>0.00\n")


@pytest.mark.usefixtures("here")
def test_junit_is_one_of_them(capfd: pytest.CaptureFixture[str]) -> None:
    """`--junit FILE` is short for it, and a place is a path from here."""
    mine = write("work/mine.py", "def double(x):\n    return x + None\n")
    assert 1 == grader(capfd, "check", mine, "--junit", "a.xml", "--results", "junit=b.xml").code
    assert Path("a.xml").read_bytes() == Path("b.xml").read_bytes()
    (testcase,) = ET.parse("a.xml").iter("testcase")
    assert ("work/mine.py", "2") == (testcase.get("file"), testcase.get("line"))


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (("grade-scope",), "unknown format 'grade-scope'; choose from gradescope, prairielearn,"),
        (("sarif",), "the format sarif needs a file: sarif=FILE"),
        (
            ("vpl", "coderunner"),
            "only one format can be written to standard output: add =FILE to the others",
        ),
    ],
)
@pytest.mark.usefixtures("here")
def test_what_cannot_be_meant_is_told(
    capfd: pytest.CaptureFixture[str], typed: tuple[str, ...], told: str
) -> None:
    """Before anything is graded."""
    options = [word for each in typed for word in ("--results", each)]
    done = grader(capfd, "check", write("mine.py", RIGHT), *options)
    assert 2 == done.code
    assert told in done.err


@pytest.mark.usefixtures("here")
def test_suites_among_the_hand_in_are_refused(capfd: pytest.CaptureFixture[str]) -> None:
    """Else a student hands in a hidden suite that gives all points."""
    write("double.py", RIGHT)
    for command in (("check", "."), ("check", ".", "--exercise", "testsuites/double.yaml")):
        done = grader(capfd, *command, "--results", "gradescope=x.json")
        assert (2, False) == (done.code, Path("x.json").exists())
        assert "are inside a folder that was handed in" in done.err


@pytest.mark.parametrize(
    ("format_", "said"),
    [
        ("gradescope=x.json", "--json would show hidden cases to students"),
        ("junit=-", "--json and --results both write to standard output"),
    ],
)
@pytest.mark.usefixtures("here")
def test_json_stays_apart(capfd: pytest.CaptureFixture[str], format_: str, said: str) -> None:
    """It names hidden cases, which are graded for a mark, and there is one standard output."""
    mine = write("mine.py", RIGHT)
    done = grader(capfd, "check", mine, "--json", "--results", format_)
    assert (2, "") == (done.code, done.out)
    assert said in done.err


@pytest.mark.usefixtures("here")
def test_no_mark_without_isolation(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hidden cases lie beside the submission: only who trusts it has it graded anyway."""

    def refuse(_: Isolation) -> None:
        raise HostError("this machine cannot isolate", help="nothing")

    monkeypatch.setattr(check_submission, "require_isolation", refuse)
    mine = write("mine.py", RIGHT)
    asked = ("check", mine, "--results", "gradescope=x.json")
    assert 4 == grader(capfd, *asked).code
    assert not Path("x.json").exists()
    assert 0 == grader(capfd, *asked, "--trust-submissions").code
    assert 2 == read("x.json")["score"]


def test_a_fault_of_ours_is_no_mark(tmp_path: Path) -> None:
    """Nothing is written that could be booked as 0; reports that carry no mark say it."""
    faulty = replace(record(), status=Status.FAULT)
    asked = [
        RequestedResult(RESULTS.load(name), str(tmp_path / name))
        for name in ("gradescope", "junit")
    ]
    write_results(asked, faulty, PurePath("x.py"))
    assert ["junit"] == os.listdir(tmp_path)
    assert '<error message="' in (tmp_path / "junit").read_text()


def started(script: Path, *, cwd: Path, **more: str) -> None:
    """Run `script` as a platform does, with our grader, without anything that our shell says."""
    ours = Path(sys.executable).parent
    interpreter = [sys.executable] if script.suffix == ".py" else ["bash"]
    done = subprocess.run(
        [*interpreter, str(script)],
        cwd=cwd,
        env={"PATH": f"{ours}:/usr/bin:/bin", "HOME": str(cwd), **more},
        capture_output=True,
        text=True,
        check=False,
    )
    assert 0 == done.returncode, done.stderr


def laid_out(place: Path, suites: str, hand_in: str) -> Path:
    """Lay out suites and a hand-in as a platform does; return where the hand-in is."""
    write(str(place / suites / "double.yaml"), _suite())
    write(str(place / suites / "double.hidden.yaml"), HIDDEN)
    write(str(place / hand_in / "double.py"), ONLY_PUBLIC)
    # What a student may bring along to be taken for something else.
    write(str(place / hand_in / "testsuites/double.yaml"), "exercise: double\n")
    for name in ("click", "pip", "json"):
        write(str(place / hand_in / f"{name}.py"), "raise SystemExit(0)\n")
    write(str(place / hand_in / "result.json"), '{"score": 100}')
    return place / hand_in


@pytest.mark.commands
def test_script_for_gradescope_does_what_it_says(tmp_path: Path) -> None:
    """The zip is laid out in `source`, and hidden cases beside it count."""
    laid_out(tmp_path, "source/testsuites", "submission")
    started(
        TEMPLATES / "gradescope/run_autograder",
        cwd=tmp_path / "source",
        PLACE=str(tmp_path),
        EXERCISE="double",
    )
    assert 1.0 == read(tmp_path / "results/results.json")["score"]


@pytest.mark.commands
def test_script_for_prairielearn_does_what_it_says(tmp_path: Path) -> None:
    """The suite is among the tests of a question, which says the exercise."""
    laid_out(tmp_path, "tests", "student")
    course = tmp_path / "serverFilesCourse"
    shutil.copytree(TEMPLATES / "prairielearn/serverFilesCourse", course)
    options = read(TEMPLATES / "prairielearn/grading.json")["externalGradingOptions"]
    script = tmp_path / PurePath(options["entrypoint"]).relative_to("/grade")
    assert set(options["environment"]) == {"EXERCISE"}
    started(script, cwd=tmp_path, PLACE=str(tmp_path), EXERCISE="double")
    assert 0.5 == read(tmp_path / "results/results.json")["score"]


@pytest.mark.commands
def test_script_for_classroom_50_does_what_it_says(tmp_path: Path) -> None:
    """It lies in a bundle, and is started in the folder of the student."""
    work = laid_out(tmp_path, "bundle/testsuites", "work")
    script = Path(shutil.copy(TEMPLATES / "classroom50/autograder.py", tmp_path / "bundle"))
    installed = {"GRADER": "sessiongrader", "PIP_NO_INDEX": "1"}
    (work / "result.json").unlink(missing_ok=True)
    (work / "result.json").symlink_to("/dev/null")  # what a student may have put there
    (work / "release-body.md").mkdir()
    started(script, cwd=work, **RUNNER, **installed)
    assert (100, 200) == tuple(map(read(work / "result.json").get, ("score", "max-score")))
    assert "1 of 2 points" in (work / "release-body.md").read_text()


def test_gitlab_is_told_where_reports_are() -> None:
    """What its job writes is what it declares."""
    job = yaml.safe_load((TEMPLATES / "gitlab/check.gitlab-ci.yml").read_text())["check"]
    for name, file in job["artifacts"]["reports"].items():
        assert f"--results {name}={file}" in " ".join(job["script"])


@pytest.mark.own_tests
@pytest.mark.usefixtures("here")
def test_own_tests_have_results_too(capfd: pytest.CaptureFixture[str]) -> None:
    """A test is a case; what pytest says goes where it does not stand in the way."""
    write("tests/test_double.py", TESTS)
    mine = write("hand-in/double.py", WRONG)
    asked = ("pytest", "tests", "--submission", mine, "--results")
    done = grader(capfd, *asked, "gradescope=x.json")
    assert (0, True) == (done.code, "1 failed" in done.out), done.err
    (test,) = read("x.json")["tests"]
    assert ("failed", 0.0) == (test["status"], test["score"])
    done = grader(capfd, *asked, "coderunner")
    assert 0.0 == json.loads(done.out)["fraction"]
    assert 1 == grader(capfd, *asked, "junit=x.xml").code


@pytest.mark.usefixtures("here")
def test_results_of_a_suite_under_pytest_are_refused(capfd: pytest.CaptureFixture[str]) -> None:
    """For these there is `grader check`."""
    words = ("pytest", "testsuites/double.yaml", "--submission", write("double.py", RIGHT))
    done = grader(capfd, *words, "--results", "vpl")
    assert 2 == done.code
    assert "--results works with your own tests only" in done.err
