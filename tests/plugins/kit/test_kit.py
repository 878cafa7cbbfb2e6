"""`grader kit`: a check in one file, for each Python that is here."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Final

import pytest
from command_line import RIGHT, WRONG, grader, write
from rich.console import Console

from grader.cli.check_submission import EntryWorker
from grader.errors import NothingToGrade
from grader.intake.submissions import single_entry
from grader.judging.record import CaseResult, Record
from grader.judging.rules import KINDS
from grader.plugins.kit.assembling import kit_name, kit_text
from grader.plugins.kit.unsurveyed import SurveyJudge
from grader.reporting.screen import print_screen
from grader.sandbox.sandbox import new_sandbox
from grader.suite.exercises import find_suite
from grader.verdict import Status, Verdict

ROOT: Final = Path(__file__).parents[3]
_MINORS: Final = range(11, 16)
_LIMITS: Final = {Verdict.MEMORY, Verdict.OUTPUT, Verdict.TIMED_OUT, Verdict.CRASHED}
"""Which limit ends a program first hangs on how it is run: a kit has no limit on memory."""


def interpreters() -> list[str]:
    """Return an interpreter of each version that is here, the oldest first; ours is among them."""
    found = {sys.version_info.minor: sys.executable}
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    for minor in _MINORS:
        there = sorted(versions.glob(f"3.{minor}.*/bin/python"))
        named = shutil.which(f"python3.{minor}")
        for path in (*map(str, there), *filter(None, (named,))):
            done = subprocess.run([path, "-c", ""], capture_output=True, check=False)
            if done.returncode == 0:
                found.setdefault(minor, path)
    return [found[minor] for minor in sorted(found)]


PYTHONS: Final = interpreters()


def run(python: str, kit: Path, *args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a kit, without anything of ours in its reach."""
    return subprocess.run(
        [python, str(kit), *args],
        capture_output=True,
        text=True,
        check=False,
        cwd=kit.parent,
        env={"PATH": os.environ["PATH"], "COLUMNS": "80", "PYTHONUTF8": "1", **environment},
    )


@pytest.fixture(scope="module")
def kits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a kit of each exercise."""
    folder = tmp_path_factory.mktemp("kits")
    for suite in sorted((ROOT / "testsuites").glob("*.yaml")):
        if "." not in suite.stem:
            text = kit_text(find_suite(str(suite), None, KINDS))
            (folder / kit_name(suite.stem)).write_text(text, encoding="utf-8")
    return folder


SAMPLES: Final = sorted(
    path for folder in (ROOT / "submissions").iterdir() for path in folder.iterdir()
)


@pytest.mark.corpus
@pytest.mark.commands
@pytest.mark.parametrize("number", range(len(SAMPLES)), ids=[path.stem for path in SAMPLES])
def test_kit_says_what_check_says(kits: Path, tmp_path: Path, number: int) -> None:
    """The verdict of each case is the same, in the same words, on whatever Python it is run."""
    sample, python = SAMPLES[number], PYTHONS[number % len(PYTHONS)]
    exercise = sample.parent.name
    if exercise == "triomino":
        python = sys.executable  # which has numpy
    try:
        with EntryWorker(exercise, ROOT / "testsuites", new_sandbox()) as worker:
            record = worker.record_of(single_entry(sample))
            brief = lines(worker.with_shorter_session(record), every_case=False)
    except NothingToGrade:
        pytest.skip("there is nothing in it")
    if any(case.verdict in _LIMITS for case in record.cases):
        pytest.skip("which limit it meets first is a matter of how it is run")
    done = run(
        python, kits / kit_name(exercise), "-v", str(sample), XDG_STATE_HOME=str(tmp_path / "state")
    )
    expected, told = lines(record), done.stdout.splitlines()
    if record.status is not Status.GRADED and python != sys.executable:
        expected = expected[:1]  # the rest quotes Python, whose words for a mistake have changed
    told = told[: len(expected)]
    depth = r"\d+"  # how deep calls get before the limit is a matter of how it is run
    assert [re.sub(depth, "9", each) for each in expected] == [
        re.sub(depth, "9", each) for each in told
    ], done.stderr
    if python == sys.executable and record.status is Status.GRADED:
        done = run(python, kits / kit_name(exercise), str(sample))
        short = done.stdout.splitlines()[: len(brief)]
        assert re.sub(depth, "9", "\n".join(brief)) == re.sub(depth, "9", "\n".join(short))


def lines(record: Record, *, every_case: bool = True) -> list[str]:
    """Return the lines of the screen about `record` that are not about rules or advice."""
    text = StringIO()
    console = Console(file=text, width=80, highlight=False)
    groups = tuple(
        replace(group, cases=tuple(map(without_calls, group.cases))) for group in record.groups
    )
    shortened = record.shortened and without_calls(record.shortened)
    points = record.score + sum(rule.penalty for rule in record.rules)
    told = replace(record, rules=(), advice=(), groups=groups, shortened=shortened, score=points)
    print_screen(told, console, every_case=every_case)
    return text.getvalue().splitlines()


def without_calls(case: CaseResult) -> CaseResult:
    """Return a case without what tracing its endless calls has shown: a kit does not."""
    said = (each for each in case.explanation if not each.key.startswith("endless."))
    return replace(case, explanation=tuple(said))


@pytest.fixture
def kit(here: Path, capfd: pytest.CaptureFixture[str]) -> Path:
    """A kit of `double`, in a folder of its own."""
    (here / "mine").mkdir()
    done = grader(capfd, "kit", "double", "--out", "mine/check_double.py")
    assert (0, "written: mine/check_double.py\n") == (done.code, done.err)
    return here / "mine/check_double.py"


IMPORTS: Final = """
import importlib, os, sys
root = sys.argv[1]
sys.path.insert(0, root)
for folder, _, names in os.walk(os.path.join(root, "grader")):
    for name in names:
        if name.endswith(".py"):
            path = os.path.relpath(os.path.join(folder, name), root)
            importlib.import_module(path[:-3].replace(os.sep, ".").replace(".__init__", ""))
"""


@pytest.mark.commands
def test_oldest_python_imports_all_that_is_in_a_kit(kit: Path, tmp_path: Path) -> None:
    """A module that uses something newer as it is imported is found at once."""
    assert 0 == run(sys.executable, kit, "--unpack", str(tmp_path / "unpacked")).returncode
    program = tmp_path / "imports.py"
    program.write_text(IMPORTS)
    done = run(PYTHONS[0], program, str(tmp_path / "unpacked"))
    assert (0, "") == (done.returncode, done.stderr)


def test_kit_answers_all_that_is_asked_of_what_it_has_not() -> None:
    """What stands in for the survey in a kit has each method that is called on the real one."""
    judge = (ROOT / "grader/judging/judge.py").read_text(encoding="utf-8")
    asked = set(re.findall(r"\b_survey_judge\.(\w+)", judge))
    assert len(asked) > 3
    assert asked <= set(dir(SurveyJudge))


@pytest.mark.commands
@pytest.mark.parametrize("python", PYTHONS)
def test_kit_finds_the_file_beside_it(kit: Path, python: str) -> None:
    """It is enough to run it, as IDLE and Thonny do; its exit code is that of `check`."""
    write("mine/double.py", RIGHT)
    done = run(python, kit)
    assert (0, "") == (done.returncode, done.stderr)
    assert "2 of 2 points" in done.stdout
    write("mine/double.py", WRONG)
    done = run(python, kit)
    assert (1, "") == (done.returncode, done.stderr)
    assert ">>> double(2)" in done.stdout


@pytest.mark.commands
def test_kit_says_which_file_it_wants(kit: Path) -> None:
    """None that defines the names, or several, is told with the way out."""
    for words in ((), (".",)):
        done = run(sys.executable, kit, *words)
        assert 2 == done.returncode
        assert "no file here defines double" in done.stderr
    assert "error: there is no nowhere.py" in run(sys.executable, kit, "nowhere.py").stderr
    write("mine/one.py", RIGHT)
    assert 0 == run(sys.executable, kit).returncode
    write("mine/two.py", RIGHT)
    done = run(sys.executable, kit)
    assert 2 == done.returncode
    assert "one.py, two.py" in done.stderr
    assert "python check_double.py my_file.py" in done.stderr
    assert 0 == run(sys.executable, kit, "two.py").returncode


@pytest.mark.commands
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--foo",), "there is no option --foo\n  = help: `python check_double.py --help` shows"),
        (
            ("-k",),
            "-k needs a value\n  = help: `python check_double.py --help` shows all options\n",
        ),
        (
            ("a.py", "b.py"),
            "only one file or folder is checked at a time\n  = help: name one of them",
        ),
    ],
)
def test_kit_says_what_is_wrong_with_its_command(
    kit: Path, words: tuple[str, ...], said: str
) -> None:
    """In the style, and the language, in which all else is told."""
    done = run(sys.executable, kit, *words)
    assert 2 == done.returncode
    assert done.stderr.startswith(f"error: {said}")


@pytest.mark.commands
@pytest.mark.usefixtures("here")
def test_kit_says_which_package_is_not_there(kits: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """In the language of the exercise; who makes the kit hears of it too."""
    kit = kits / kit_name("triomino")
    done = subprocess.run(
        [sys.executable, "-S", str(kit), write("triomino.py", "")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (2, "") == (done.returncode, done.stdout)
    assert done.stderr.startswith("error: este ejercicio necesita numpy, ")
    made = grader(capfd, "kit", str(ROOT / "testsuites/triomino.yaml"), "--out", "check.py")
    assert "warning: students must install these packages to run the kit: numpy\n" in made.err


@pytest.mark.commands
def test_kit_leaves_nothing_behind(kit: Path, tmp_path: Path) -> None:
    """What it unpacks is gone when it ends, and nothing is written beside the submission."""
    write("mine/double.py", WRONG)
    before = sorted(kit.parent.iterdir())
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    run(sys.executable, kit, TMPDIR=str(scratch), XDG_STATE_HOME=str(tmp_path / "state"))
    assert before == sorted(kit.parent.iterdir())
    assert [] == list(scratch.iterdir())


@pytest.mark.commands
def test_kit_imports_nothing_of_the_student(kit: Path) -> None:
    """A random.py or json.py beside it is hers, and not what the kit means by that name."""
    write("mine/double.py", RIGHT)
    for name in ("json", "random", "zlib", "types", "argparse", "numpy", "grader"):
        write(f"mine/{name}.py", "raise SystemExit(name)\n")
    done = run(PYTHONS[0], kit)
    assert (0, "") == (done.returncode, done.stderr)


@pytest.mark.commands
def test_kit_ends_what_never_ends(kit: Path) -> None:
    """A loop is stopped by a clock, and the student reads it."""
    write("mine/double.py", "def double(x):\n    while True: pass\n")
    done = run(sys.executable, kit)
    assert 1 == done.returncode
    assert "did not end in time" in " ".join(done.stdout.split())


def test_kit_says_that_it_isolates_nothing(kit: Path) -> None:
    """It is the first thing that is read in it, in the language of the exercise."""
    heading = kit.read_text().split('"""')[1]
    assert "runs without protection for your computer" in heading
    assert "put this script in the same folder and run it" in heading


def test_older_python_can_read_a_kit(kit: Path) -> None:
    """It has to, to say in one sentence which version it takes."""
    ast.parse(kit.read_text(), feature_version=(3, 8))
    assert "'This check needs Python 3.11 or newer.')" in kit.read_text()


def test_kit_of_a_suite_with_stand_ins_and_rules_says_so(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The teacher hears what students could find in it, and what it leaves out."""
    monkeypatch.chdir(ROOT)
    done = grader(capfd, "kit", "1010", "--out", str(tmp_path / "kit.py"))
    assert "warning: students can read your stand-ins in the kit" in done.err
    assert "Position.py, Block.py, Board.py" in done.err
    assert "a kit does not check rules" in done.err


@pytest.mark.usefixtures("here")
def test_zip_is_a_folder_for_an_editor(capfd: pytest.CaptureFixture[str]) -> None:
    """It has the kit, a task that runs it, and the schemas; the same kit is the same bytes."""
    assert 0 == grader(capfd, "kit", "double", "--zip").code
    first = Path("check_double.zip").read_bytes()
    assert 0 == grader(capfd, "kit", "double", "--zip").code
    assert first == Path("check_double.zip").read_bytes()
    with zipfile.ZipFile("check_double.zip") as archive:
        tasks = json.loads(archive.read(".vscode/tasks.json"))["tasks"]
        settings = json.loads(archive.read(".vscode/settings.json"))
        names = set(archive.namelist())
    assert ["${workspaceFolder}/check_double.py"] == tasks[0]["args"]
    assert "check_double.py" in names
    assert names >= settings["yaml.schemas"].keys()
