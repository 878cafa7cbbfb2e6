"""The command line as a whole: help, usage, errors of ours, and where suites are."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest
from command_line import RIGHT, SUITE, grader, write

from grader import __version__
from grader.suite.exercises import suites_folder

ROOT: Final = Path(__file__).resolve().parents[1]
VERBS: Final = ("grade", "check", "doctor")


# Help and usage


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_lists_the_verbs(capfd: pytest.CaptureFixture[str], flag: str) -> None:
    """`grader --help` names each verb and each exit code, on standard output."""
    done = grader(capfd, flag)
    assert (0, "") == (done.code, done.err)
    for verb in VERBS:
        assert re.search(rf"^  {verb} +[A-Z].*\.$", done.out, re.MULTILINE)
    assert "1 check failed, 2 usage error, 3 invalid suite" in done.out


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_has_help(capfd: pytest.CaptureFixture[str], verb: str) -> None:
    """`grader VERB --help` tells how it is used, and each option has its words."""
    done = grader(capfd, verb, "--help")
    assert (0, "") == (done.code, done.err)
    assert done.out.startswith(f"Usage: grader {verb} ")
    for option in re.findall(r"^  (--[\w-]+)", done.out, re.MULTILINE):
        assert re.search(rf"^  {option}\b.*\s{{2,}}\S", done.out, re.MULTILINE | re.DOTALL)


def test_help_costs_nothing() -> None:
    """`grader --help` loads none of the heavy libraries."""
    program = (
        "import sys\nfrom grader.cli.verbs import main\nsys.argv = ['grader', '--help']\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print(sorted({'pydantic', 'rich', 'jinja2', 'yaml', 'pytest'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "[]" == done.stdout.splitlines()[-1]


def test_version(capfd: pytest.CaptureFixture[str]) -> None:
    """`grader --version` says which one this is."""
    assert (0, f"grader, version {__version__}\n", "") == grader(capfd, "--version")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["gade"], "there is no command gade\n  = help: did you mean grader grade?"),
        (["xyzzy"], "there is no command xyzzy\n  = help: `grader --help` lists all commands"),
        (["--xyzzy"], "there is no option --xyzzy\n  = help: `grader --help` shows all options"),
        (
            ["check"],
            "say which file or folder to check\n  = help: for example: grader check my_file.py",
        ),
        (["grade"], "SUBMISSIONS is missing\n  = help: grader grade [OPTIONS] SUBMISSIONS..."),
        (["show", "x"], "STUDENT is missing\n  = help: grader show [OPTIONS] RUN STUDENT"),
        (
            ["grade", "x", "--jobs", "0"],
            "--jobs: 0 is not in the range 1<=x<=256\n  = help: see `grader grade --help` for the",
        ),
        (
            ["grade", "x", "--out", __file__],
            f"--out: directory '{__file__}' is a file\n  = help: see `grader grade --help` for the",
        ),
        (["grade", "x", "--out"], "--out needs a value\n  = help: `grader grade --help` shows all"),
        (
            ["doctor", "now"],
            "got unexpected extra argument (now)\n  = help: see `grader doctor --help`",
        ),
        (
            ["check", "x", "--exercize", "y"],
            "there is no option --exercize\n  = help: did you mean",
        ),
        (
            ["grade", "x", "--exercize", "y"],
            "there is no option --exercize\n  = help: did you mean",
        ),
        (
            ["check", "x", "--json", "--dodona"],
            "--dodona cannot be combined with --json\n  = help: leave",
        ),
    ],
)
def test_usage_errors(capfd: pytest.CaptureFixture[str], args: list[str], said: str) -> None:
    """What the command line does not understand ends with 2, on standard error."""
    done = grader(capfd, *args)
    assert (2, "") == (done.code, done.out)
    assert done.err.startswith(f"error: {said}")


def test_console_script_is_installed() -> None:
    """The program that users type runs."""
    script = Path(sys.executable).with_name("grader")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert f"grader, version {__version__}\n" == done.stdout


# Errors of ours


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (
            ["check", "nowhere.py"],
            2,
            (
                "error: there is no nowhere.py\n"
                "  = help: check its name; Python files there: both.py, mine.py, other.py\n"
            ),
        ),
        (
            ["grade", "nowhere"],
            2,
            (
                "error: no such file or folder: nowhere\n"
                "  = help: check the path: it is relative to the current folder unless it starts"
                " with /\n"
            ),
        ),
        (
            ["check", "mine.py", "--exercise", "dubble"],
            2,
            (
                "error: there is no exercise dubble\n"
                "  = help: did you mean double? Exercises in {here}/testsuites: cells, double\n"
            ),
        ),
        (
            ["grade", "in", "--exercise", "xyzzy"],
            2,
            (
                "error: unknown exercise 'xyzzy'\n"
                "  = help: exercises in {here}/testsuites: cells, double\n"
            ),
        ),
        (
            ["check", "mine.py", "--exercise", "no.yaml"],
            2,
            (
                "error: no such suite: no.yaml\n"
                "  = help: give the path of an existing file, or the name of an exercise"
                " without .yaml\n"
            ),
        ),
        (
            ["check", "mine.py", "--suites", "nowhere"],
            2,
            (
                "error: there is no suites folder at nowhere\n"
                "  = help: give the path of an existing folder with --suites\n"
            ),
        ),
        (
            ["check", "other.py"],
            2,
            (
                "error: other.py defines nothing that any exercise asks for\n"
                "  = help: name the exercise with --exercise: cells, double\n"
            ),
        ),
        (
            ["check", "both.py"],
            2,
            (
                "error: both.py fits several exercises\n"
                "  = help: name the exercise with --exercise: cells, double\n"
            ),
        ),
        (
            ["grade", "in"],
            2,
            (
                "error: the exercise of in is unknown\n"
                "  = help: add --exercise NAME with one of: cells, double\n"
            ),
        ),
        (
            ["grade", "readme", "--exercise", "double"],
            5,
            (
                "error: there is no Python file and no folder in readme\n"
                "  = help: pass a folder with one .py file, or one folder with .py files, per"
                " student\n"
            ),
        ),
        (
            ["grade", "readme"],
            5,
            (
                "error: there is no Python file and no folder in readme\n"
                "  = help: pass a folder with one .py file, or one folder with .py files, per"
                " student\n"
            ),
        ),
        (["check", "readme"], 5, "error: no Python file in readme\n"),
        (["check", "\x1b[2J.py"], 2, "error: there is no ␛[2J.py\n"),
        (["check", "x" * 300], 2, "error: there is no xxx"),
    ],
)
def test_errors(
    here: Path, capfd: pytest.CaptureFixture[str], args: list[str], code: int, said: str
) -> None:
    """What failed, and the way out: on standard error, with the exit code of its kind."""
    write("mine.py", RIGHT)
    write("other.py", "x = 1\n")
    write("both.py", RIGHT + "class Cell: pass\ndef neighbours(cell): pass\n")
    write("in/jan.py", RIGHT)
    write("readme/README.txt", "nothing here")
    done = grader(capfd, *args)
    assert (code, "") == (done.code, done.out)
    assert done.err.startswith(said.format(here=here))
    assert not Path("reports", "results.json").exists()


def test_wrong_suite_shows_every_mistake(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """All mistakes of a suite at once, each with its place and a caret; exit 3."""
    text = SUITE.format(name="double", defines="double", call="double(2)")
    write("testsuites/double.yaml", text.replace("title", "titel").replace("group: g}", "grup: g}"))
    for args in (["check", write("mine.py", RIGHT)], ["grade", ".", "--exercise", "double"]):
        done = grader(capfd, *args)
        assert (3, "") == (done.code, done.out)
        assert "error: unknown key 'titel' (did you mean 'title'?)\n" in done.err
        assert f"  --> {here}/testsuites/double.yaml:2:1\n" in done.err
        assert " 2 | titel: A titel\n   | ^^^^^\n" in done.err
        assert "error: unknown key 'grup' (did you mean 'group'?)\n" in done.err
        assert f"{here}/testsuites/double.yaml:10:" in done.err
        assert "Traceback" not in done.err


# Where suites are


def test_nearest_folder_of_suites_counts(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a folder below, `testsuites` above is found; a nearer one comes first."""
    (here / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir("a/b")
    assert here / "testsuites" == suites_folder(None)
    (here / "a" / "testsuites").mkdir()
    assert here / "a" / "testsuites" == suites_folder(None)


def test_folder_of_suites_can_be_named(
    here: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--suites` comes before $GRADER_SUITES, which comes before what is near."""
    write("mine.py", RIGHT)
    (here / "empty").mkdir()
    monkeypatch.setenv("GRADER_SUITES", "empty")
    done = grader(capfd, "check", "mine.py", "--exercise", "double")
    assert (2, "error: there is no exercise double\n  = help: exercises in empty: –\n") == (
        done.code,
        done.err,
    )
    assert 0 == grader(capfd, "check", "mine.py", "--suites", "testsuites").code
    monkeypatch.setenv("GRADER_SUITES", "gone")
    done = grader(capfd, "check", "mine.py")
    assert 2 == done.code
    assert (
        "error: there is no suites folder at gone\n"
        "  = help: give the path of an existing folder in $GRADER_SUITES\n"
    ) == done.err


def test_no_folder_of_suites_anywhere_is_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An installed grader without suites says how to name them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GRADER_SUITES", raising=False)
    monkeypatch.setattr("grader.suite.exercises._PACKAGE_FOLDER", tmp_path / "none")
    done = grader(capfd, "check", write("mine.py", RIGHT))
    assert 2 == done.code
    assert (
        "error: no folder 'testsuites' here or above\n"
        "  = help: pass the path of a suite with --exercise FILE.yaml, or give the folder"
        " with --suites or in $GRADER_SUITES; to create a new course, run:"
        " grader new course FOLDER\n"
    ) == done.err


def test_suites_beside_the_package_are_the_last_resort(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a checkout the project's own suites serve."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GRADER_SUITES", raising=False)
    assert ROOT / "testsuites" == suites_folder(None)


@pytest.mark.usefixtures("here")
def test_interrupt_before_anything_is_130(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C outside a run is one word, not a traceback."""

    def interrupt(*_: Sequence[object]) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("grader.cli.check_submission.single_entry", interrupt)
    done = grader(capfd, "check", "mine.py")
    assert (130, "", "interrupted") == (done.code, done.out, done.err.strip())
