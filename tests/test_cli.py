"""The command line: what each verb says, where it says it, and how it ends."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from grader import __version__
from grader.cli import main
from grader.cli.talk import RunProgress, names, show_error, warn
from grader.errors import UsageError
from grader.executor.layers import NONE, Layers
from grader.exercises import suites_folder
from grader.sandbox.zygote import Zygote

ROOT: Final = Path(__file__).resolve().parents[1]
NOBODY: Final = 65534
VERBS: Final = ("grade", "check", "derive", "doctor")
COMMAND: Final = ("-c", "from grader.cli import main; main()")
SUITE: Final = """\
exercise: {name}
title: A title
language: en
module: {name}
defines: [{defines}]
groups: [{{id: g, points: 2}}]
sessions:
  - id: example
    steps:
      - {{do: {call}, returns: "4", group: g}}
"""
RIGHT: Final = "def double(x):\n    return 2 * x\n"
WRONG: Final = "def double(x):\n    return x\n"


class Done(NamedTuple):
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with suites of `double` and `Cell` beside it."""
    suites = tmp_path / "testsuites"
    suites.mkdir()
    (suites / "double.yaml").write_text(
        SUITE.format(name="double", defines="double", call="double(2)")
    )
    (suites / "cells.yaml").write_text(
        SUITE.format(name="cells", defines="Cell, neighbours", call="neighbours(Cell())")
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GRADER_SUITES", raising=False)
    return tmp_path


def grader(capfd: pytest.CaptureFixture[str], *args: str) -> Done:
    """Run the command line in this process."""
    argv, sys.argv = sys.argv, ["grader", *args]
    try:
        main()
        code = 0
    except SystemExit as end:
        code = int(end.code or 0)
    finally:
        sys.argv = argv
    return Done(code, *capfd.readouterr())


def process(
    *args: str, user: int | None = None, python: str = sys.executable, **environment: str
) -> Done:
    """Run the command line in a process of its own."""
    done = subprocess.run(
        [python, *COMMAND, *args],
        capture_output=True,
        text=True,
        user=user,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def write(name: str, text: str) -> str:
    """Write `text` to the file `name`, folders included; return the name."""
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text)
    return name


# Help and usage


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_lists_the_verbs(capfd: pytest.CaptureFixture[str], flag: str) -> None:
    """`grader --help` names each verb and each exit code, on standard output."""
    done = grader(capfd, flag)
    assert (0, "") == (done.code, done.err)
    for verb in VERBS:
        assert re.search(rf"^  {verb} +[A-Z].*\.$", done.out, re.MULTILINE)
    assert "1 check failed, 2 usage, 3 suite invalid" in done.out


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
        "import sys\nfrom grader.cli import main\nsys.argv = ['grader', '--help']\n"
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
        (["gade"], "No such command 'gade'."),
        (["check"], "Missing argument 'FILE|FOLDER'."),
        (["grade"], "Missing argument 'SUBMISSIONS...'."),
        (["derive"], "Missing argument 'SPEC'."),
        (
            ["grade", "x", "--jobs", "0"],
            "Invalid value for '--jobs': 0 is not in the range 1<=x<=256.",
        ),
        (
            ["grade", "x", "--out", __file__],
            f"Invalid value for '--out': Directory '{__file__}' is a file.",
        ),
        (["doctor", "now"], "Got unexpected extra argument (now)"),
        (["check", "x", "--exercize", "y"], "No such option '--exercize'"),
    ],
)
def test_usage_errors(capfd: pytest.CaptureFixture[str], args: list[str], said: str) -> None:
    """What the command line does not understand ends with 2, on standard error."""
    done = grader(capfd, *args)
    assert (2, "") == (done.code, done.out)
    assert said in done.err


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
                "error: no such file or folder: nowhere.py\n"
                "  = help: name the folder that holds one file or one folder per student\n"
            ),
        ),
        (
            ["grade", "nowhere"],
            2,
            (
                "error: no such file or folder: nowhere\n"
                "  = help: name the folder that holds one file or one folder per student\n"
            ),
        ),
        (
            ["check", "mine.py", "--exercise", "dubble"],
            2,
            (
                "error: unknown exercise 'dubble' (did you mean 'double'?)\n"
                "  = help: exercises in {here}/testsuites: cells, double\n"
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
        (["check", "mine.py", "--exercise", "no.yaml"], 2, "error: no such suite: no.yaml\n"),
        (
            ["check", "mine.py", "--suites", "nowhere"],
            2,
            "error: no such folder of suites: nowhere\n",
        ),
        (
            ["check", "other.py"],
            2,
            (
                "error: other.py defines the names of no known exercise\n"
                "  = help: say which with --exercise: cells, double\n"
            ),
        ),
        (
            ["check", "both.py"],
            2,
            (
                "error: both.py fits several exercises\n"
                "  = help: say which with --exercise: cells, double\n"
            ),
        ),
        (
            ["grade", "in"],
            2,
            (
                "error: which exercise is in?\n"
                "  = help: add --exercise NAME; known here: cells, double\n"
            ),
        ),
        (
            ["grade", "readme", "--exercise", "double"],
            5,
            (
                "error: nothing to grade in readme: no Python file and no folder\n"
                "  = help: a hand-in is a .py file or a folder with .py files, one per student\n"
            ),
        ),
        (
            ["grade", "readme"],
            5,
            (
                "error: nothing to grade in readme: no Python file and no folder\n"
                "  = help: a hand-in is a .py file or a folder with .py files, one per student\n"
            ),
        ),
        (["check", "readme"], 5, "error: no Python file in readme\n"),
        (["derive", "no.md"], 2, "error: cannot read no.md: No such file or directory\n"),
        (["check", "\x1b[2J.py"], 2, "error: no such file or folder: ␛[2J.py\n"),
        (["check", "x" * 300], 2, "error: no such file or folder: xxx"),
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


def test_error_that_is_no_sentence_is_made_plain(capfd: pytest.CaptureFixture[str]) -> None:
    """Nothing in an error reaches the terminal as a command."""
    show_error(UsageError("\x1b]0;title\x07", help="\u202e"))
    assert "error: ␛]0;title␇\n  = help: \\u202e\n" == capfd.readouterr().err


def test_names_are_enumerated_plain() -> None:
    """Names of files in messages are short and on one line."""
    assert "a⏎b, c" == names(["a\nb", "c"])


# CI systems read commands in what is printed


def commands(log: str) -> list[str]:
    """Return the lines of `log` that a CI system would obey."""
    return [each for each in log.splitlines() if re.match(r"\s*::|.*##\w*\[", each)]


SPEAKS: Final = """\
def double(x):
    print("::error::a\\n   ::add-mask::b\\n##[error]c ##vso[task.complete]d")
    return {2: x}
"""


@pytest.mark.usefixtures("here")
def test_submission_cannot_speak_to_a_ci_system(capfd: pytest.CaptureFixture[str]) -> None:
    """What a submission prints, raises and is called is shown, and no line of it is a command."""
    for name, source in {
        "##[error]x": SPEAKS,
        "::set-env::y": SPEAKS.replace("return {2: x}", "raise ValueError('a\\n::error::b')"),
        "a\n::error::b": "raise SystemError('a\\n::error::b ##[error]c')\n",
    }.items():
        done = grader(capfd, "check", write(f"{name}.py", source), "--exercise", "double")
        assert (1, []) == (done.code, commands(done.out + done.err))
        assert "::error::" in done.out


def test_names_of_files_cannot_speak_to_a_ci_system(
    here: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Warnings and errors name hostile files, folders and suites, and command nothing."""
    write("in/jan.py", RIGHT)
    write("in/::error::a.txt", "")
    write("in/##[error]b.txt", "")
    (here / "##[group]c").mkdir()
    write("testsuites/##[error]d.yaml", "##vso[x]: &##[y] 1\n::error: 2\n")
    for args, said in {
        ("grade", "in", "--exercise", "double", "--no-reports"): "#\\#[error]b.txt",
        ("grade", "##[group]c", "--exercise", "double"): "nothing to grade in #\\#[group]c",
        ("check", "in/jan.py", "--exercise", "testsuites/##[error]d.yaml"): "#\\#[error]d.yaml",
        ("check", "a\n::error::b"): "a⏎::error::b",
    }.items():
        done = grader(capfd, *args)
        assert said in done.err
        assert [] == commands(done.out + done.err)


def test_lines_of_an_error_cannot_speak_to_a_ci_system(capfd: pytest.CaptureFixture[str]) -> None:
    """An error of several lines, its way out and a warning begin no line with a command."""
    show_error(UsageError("::a\n  ::b", help="c\n::d ##[e]"))
    warn("f\n::g")
    assert (
        "error: ::a\n \\::b\n  = help: c\n\\::d #\\#[e]\nwarning: f\n\\::g\n"
    ) == capfd.readouterr().err


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("submission", ["mine.py", "##[error]missing.py"])
def test_pytest_items_cannot_speak_to_a_ci_system(submission: str) -> None:
    """What pytest prints about a submission, or that there is none, holds no command either."""
    write("mine.py", SPEAKS)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider"),
            *("testsuites/double.yaml", f"--submission={submission}"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert 1 == done.returncode
    assert "#\\#[error]" in done.stdout
    assert [] == commands(done.stdout + done.stderr)


# check


@pytest.mark.usefixtures("here")
def test_check_of_all_passed_is_0(capfd: pytest.CaptureFixture[str]) -> None:
    """The points stand on standard output, and nothing is said besides."""
    done = grader(capfd, "check", write("mine.py", RIGHT))
    assert (0, "") == (done.code, done.err)
    assert "2 of 2" in done.out


@pytest.mark.usefixtures("here")
def test_check_of_a_failure_is_1(capfd: pytest.CaptureFixture[str]) -> None:
    """The session that shows the mistake stands on standard output."""
    done = grader(capfd, "check", write("mine.py", WRONG))
    assert (1, "") == (done.code, done.err)
    assert ">>> double(2)" in done.out


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def double(x)\n", "is not valid Python"),
        (RIGHT + "exit()\n", "ends the program while it is being loaded"),
        (RIGHT + "while True: pass\n", "did not end in time"),
    ],
)
@pytest.mark.usefixtures("here")
def test_check_of_what_cannot_be_run_is_1(
    capfd: pytest.CaptureFixture[str], source: str, said: str
) -> None:
    """Nothing passed, and the reason is told."""
    done = grader(capfd, "check", write("mine.py", source), "--exercise", "double")
    assert 1 == done.code
    assert said in " ".join(done.out.split())


@pytest.mark.parametrize(
    ("source", "exercise"),
    [
        (RIGHT, "double"),
        ("def Double(x):\n    return 2 * x\n", "double"),
        ("async def double(x): return 4\n", "double"),
        ("def double(x)\n    syntax error", "double"),
        ("class Cell: pass\ndef neighbours(cell): return 4\n", "cells"),
        ("class CELL: pass\n", "cells"),
        (RIGHT + "class Cell: pass\n", "double"),
        ("# def neighbours\nx = 'class Cell'\n" + RIGHT, "double"),
    ],
)
@pytest.mark.usefixtures("here")
def test_exercise_is_known_by_what_is_defined(
    capfd: pytest.CaptureFixture[str], source: str, exercise: str
) -> None:
    """Names decide, capitals aside, also in a file that does not compile; the best fit counts."""
    done = grader(capfd, "check", "--json", write("mine.py", source))
    assert exercise == json.loads(done.out)["submissions"][0]["exercise"]


@pytest.mark.parametrize("named", ["double", "testsuites/double.yaml", "elsewhere.yml"])
@pytest.mark.usefixtures("here")
def test_exercise_is_a_name_or_the_path_of_a_suite(
    capfd: pytest.CaptureFixture[str], named: str
) -> None:
    """`--exercise` takes both; a path need not lie in the folder of suites."""
    shutil.copy("testsuites/double.yaml", "elsewhere.yml")
    done = grader(capfd, "check", write("mine.py", RIGHT), "--exercise", named, "--json")
    assert (0, "double") == (done.code, json.loads(done.out)["submissions"][0]["exercise"])


@pytest.mark.usefixtures("here")
def test_check_of_a_folder(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder with a helper is checked whole, also as the current one."""
    write("mine/double.py", "from help_me import double\n")
    write("mine/help_me.py", RIGHT)
    monkeypatch.chdir("mine")
    assert 0 == grader(capfd, "check", ".", "--exercise", "double").code


IMPORTS: Final = {
    "doubel": "No module named 'doubel'; did you mean 'double'?",
    "helpers": "No module named 'helpers'; was helpers.py handed in?",
}


@pytest.mark.parametrize("name", IMPORTS)
@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Your code imports a module that does not exist: "),
        ("nl", "Jouw code importeert een module die niet bestaat: "),
        ("es", "Tu código importa un módulo que no existe: "),
    ],
)
def test_import_that_finds_nothing_is_told_in_the_language_of_the_suite(
    here: Path, capfd: pytest.CaptureFixture[str], name: str, language: str, said: str
) -> None:
    """The student reads that there is no such module, and what may be behind it."""
    suite = here / "testsuites/double.yaml"
    suite.write_text(suite.read_text().replace("language: en", f"language: {language}"))
    mine = write("mine.py", f"def double(x):\n    import {name}\n")
    done = grader(capfd, "check", mine, "--exercise", "double")
    assert 1 == done.code
    assert said + IMPORTS[name] in " ".join(done.out.split())


@pytest.mark.usefixtures("here")
def test_data_file_of_an_archive_of_windows_can_be_opened(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """A file with a backslash in its name is found in the folder that was meant."""
    write("mine/data\\number.txt", "2")
    write("mine/double.py", "def double(x):\n    return x * int(open('data/number.txt').read())\n")
    assert 0 == grader(capfd, "check", "mine").code


@pytest.mark.usefixtures("here")
def test_check_json_is_all_there_is_on_standard_output(capfd: pytest.CaptureFixture[str]) -> None:
    """`--json` prints one document in the format of `results.json`."""
    done = grader(capfd, "check", "--json", write("mine.py", WRONG))
    assert (1, "") == (done.code, done.err)
    document = json.loads(done.out)
    assert ["schema", "submissions"] == list(document)
    assert ["WRONG"] == [case["verdict"] for case in document["submissions"][0]["cases"]]


@pytest.mark.usefixtures("here")
def test_check_writes_junit(capfd: pytest.CaptureFixture[str]) -> None:
    """`--junit` writes a file that parses, beside what is shown."""
    done = grader(capfd, "check", write("mine.py", WRONG), "--junit", "out.xml")
    assert 1 == done.code
    assert 1 == len(list(ET.parse("out.xml").getroot().iter("failure")))


@pytest.mark.usefixtures("here")
def test_check_whose_junit_cannot_be_written_says_so(capfd: pytest.CaptureFixture[str]) -> None:
    """A missing folder is told with its way out."""
    done = grader(capfd, "check", write("mine.py", RIGHT), "--junit", "no/out.xml")
    assert 6 == done.code
    assert done.err.startswith("error: cannot write no/out.xml: No such file or directory\n")


def coloured(*args: str, **environment: str) -> str:
    """Return what the command line writes to a terminal."""
    ours, theirs = pty.openpty()
    subprocess.run(
        [sys.executable, *COMMAND, *args],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        check=False,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", **environment},
    )
    os.close(theirs)
    text = b""
    try:
        while data := os.read(ours, 65536):
            text += data
    except OSError:  # the terminal's other end is closed
        pass
    os.close(ours)
    return text.decode()


@pytest.mark.usefixtures("here")
def test_no_color_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal gets colour, unless NO_COLOR is set; a pipe never does."""
    for variable in ("NO_COLOR", "FORCE_COLOR", "CI", "GITHUB_ACTIONS"):
        monkeypatch.delenv(variable, raising=False)
    write("mine.py", WRONG)
    colour = re.compile(r"\x1b\[(?:\d+;)*(?:3\d|9\d)m")
    assert colour.search(coloured("check", "mine.py"))
    assert not colour.search(coloured("check", "mine.py", NO_COLOR="1"))
    assert "\x1b" not in process("check", "mine.py").out


# grade


@pytest.mark.usefixtures("here")
def test_grade_of_a_folder_named_after_its_exercise(capfd: pytest.CaptureFixture[str]) -> None:
    """Nothing need be said; reports go to `reports`, talk to standard error."""
    write("double/jan.py", RIGHT)
    write("double/an.py", WRONG)
    done = grader(capfd, "grade", "double")
    assert (0, "", "graded 2 of 2\nreports: reports/index.html\n") == done
    listed = json.loads(Path("reports/results.json").read_bytes())["submissions"]
    assert [("an", 0), ("jan", 2)] == [(one["student"], one["score"]) for one in listed]
    assert {"an.html", "jan.html"} == {path.name for path in Path("reports/double").iterdir()}


@pytest.mark.usefixtures("here")
def test_grade_of_a_folder_of_exercises(capfd: pytest.CaptureFixture[str]) -> None:
    """Folders inside that are named after exercises are graded, each on its own suite."""
    write("all/double/jan.py", RIGHT)
    write("all/cells/jan.py", "class Cell: pass\ndef neighbours(cell): return 4\n")
    write("all/unknown/jan.py", RIGHT)
    done = grader(capfd, "grade", "all", "--json", "--no-reports", "--jobs", "1")
    assert (0, "graded 2 of 2\n") == (done.code, done.err)
    listed = json.loads(done.out)["submissions"]
    assert [("cells", 2), ("double", 2)] == [(one["exercise"], one["score"]) for one in listed]
    assert not Path("reports").exists()


@pytest.mark.usefixtures("here")
def test_grade_takes_folders_and_files(capfd: pytest.CaptureFixture[str]) -> None:
    """Several places for one exercise make one run."""
    write("a/jan.py", RIGHT)
    write("b/an.py", RIGHT)
    done = grader(
        capfd, "grade", "a", "b/an.py", "--exercise", "double", "--json", "--junit", "ci/j.xml"
    )
    assert ["jan", "an"] == [one["id"] for one in json.loads(done.out)["submissions"]]
    assert "reports: reports/index.html\n" in done.err
    assert 2 == len(list(ET.parse("ci/j.xml").getroot().iter("testcase")))


@pytest.mark.usefixtures("here")
def test_grade_writes_sheets_when_asked(capfd: pytest.CaptureFixture[str]) -> None:
    """`--sheets` gives each submission a sheet beside its page, also one that cannot be run."""
    write("double/jan.py", RIGHT)
    write("double/an.py", "def double(x)\n")
    assert 0 == grader(capfd, "grade", "double", "--sheets").code
    sheets = Path("reports/double/sheets").iterdir()
    assert {"an.html", "jan.html"} == {path.name for path in sheets}


@pytest.mark.usefixtures("here")
def test_sheets_without_reports_contradict_each_other(capfd: pytest.CaptureFixture[str]) -> None:
    """Nobody who asks for sheets and for no pages is left to guess; nothing is graded."""
    write("double/jan.py", RIGHT)
    done = grader(capfd, "grade", "double", "--sheets", "--no-reports")
    assert (2, "") == (done.code, done.out)
    assert "error: --sheets and --no-reports contradict each other\n" in done.err
    assert "graded" not in done.err
    assert not Path("reports").exists()


@pytest.mark.usefixtures("here")
def test_students_of_two_folders_are_told_apart(capfd: pytest.CaptureFixture[str]) -> None:
    """Within an exercise no two entries have the same id; the second has a remark."""
    for name in ("a/jan.py", "b/Jan.py", "a/an.py"):
        write(name, RIGHT)
    done = grader(capfd, "grade", "a", "b", "--exercise", "double", "--json", "--no-reports")
    listed = json.loads(done.out)["submissions"]
    assert ["an", "jan", "Jan (2)"] == [one["id"] for one in listed]
    assert [[], [], ["Another submission is also named Jan, capitals aside."]] == [
        one["remarks"] for one in listed
    ]


@pytest.mark.usefixtures("here")
def test_faults_are_6(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistake of ours in matching leaves whole reports, and says whose fault it is."""

    def broken(*_: object) -> None:
        raise LookupError("a mistake of ours")

    monkeypatch.setattr("grader.trial.match", broken)
    write("double/jan.py", RIGHT)
    done = grader(capfd, "grade", "double", "--json")
    assert 6 == done.code
    assert "1 submissions could not be graded; that is our fault, not theirs\n" in done.err
    assert ["fault"] == [one["status"] for one in json.loads(done.out)["submissions"]]
    assert "a mistake of ours" not in done.out
    assert done.out == Path("reports/results.json").read_text()


@pytest.mark.parametrize(("more", "code"), [((), 4), (("--trust-submissions",), 0)])
@pytest.mark.usefixtures("here")
def test_machine_without_isolation_grades_only_on_trust(
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    more: tuple[str, ...],
    code: int,
) -> None:
    """Level 0 refuses strangers' programs with exit 4, unless somebody vouches for them."""
    real = Zygote._readiness
    monkeypatch.setattr(Zygote, "_readiness", lambda zygote: replace(real(zygote), level=0))
    write("double/jan.py", RIGHT)
    done = grader(capfd, "grade", "double", *more)
    assert code == done.code
    assert ("error: this machine cannot isolate submissions" in done.err) is (code == 4)
    assert Path("reports/results.json").exists() is (code == 0)


@pytest.mark.usefixtures("here")
def test_json_gives_no_commands_to_a_log(capfd: pytest.CaptureFixture[str]) -> None:
    """What a CI system would obey in a log is spelled otherwise, and means the same."""
    name = "##vso[task.complete] ##[error] #1.py"
    write(f"double/{name}", RIGHT)
    done = grader(capfd, "grade", "double", "--no-reports", "--json")
    assert "##" not in done.out
    assert name.removesuffix(".py") == json.loads(done.out)["submissions"][0]["student"]


@pytest.mark.usefixtures("here")
def test_usage_errors_give_no_commands_to_a_log(capfd: pytest.CaptureFixture[str]) -> None:
    """A file that a stranger named cannot speak to the CI system through a usage error."""
    done = grader(capfd, "check", "a", "b\n::error::x")
    assert 2 == done.code
    assert "unexpected extra argument" in done.err
    assert not re.search(r"^\s*::", done.err, re.MULTILINE)


@pytest.mark.usefixtures("here")
def test_walls_can_be_asked_for(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Below the level that is asked for, nothing is graded; at it, all is."""
    real = Zygote._readiness
    monkeypatch.setattr(Zygote, "_readiness", lambda zygote: replace(real(zygote), level=2))
    write("double/jan.py", RIGHT)
    refused = grader(capfd, "grade", "double", "--isolation", "3")
    assert 4 == refused.code
    assert "error: this machine gives isolation level 2, and level 3 is asked\n" in refused.err
    assert "--isolation 2 makes do with less" in refused.err
    assert not Path("reports/results.json").exists()
    assert 0 == grader(capfd, "grade", "double", "--isolation", "2").code


@pytest.mark.usefixtures("here")
def test_trust_and_walls_contradict_each_other(capfd: pytest.CaptureFixture[str]) -> None:
    """Who asks for both has to say which."""
    write("double/jan.py", RIGHT)
    done = grader(capfd, "grade", "double", "--isolation", "3", "--trust-submissions")
    assert 2 == done.code
    assert "error: --isolation and --trust-submissions contradict each other\n" in done.err


@pytest.mark.usefixtures("here")
def test_grade_shows_ten_lines_of_progress(capfd: pytest.CaptureFixture[str]) -> None:
    """Without a terminal, progress is a line per tenth; it never stops short."""
    with RunProgress(25) as progress:
        for _ in range(25):
            progress.advance("student")
    lines = capfd.readouterr().err.splitlines()
    assert "graded 25 of 25" == lines[-1]
    assert 10 <= len(lines) <= 13


@pytest.mark.usefixtures("here")
def test_grade_on_a_terminal_shows_a_bar() -> None:
    """A hostile name in the bar is neither markup nor an escape."""
    write("double/[red]x[/nope].py", RIGHT)
    write("double/\x1b[2Jan.py", RIGHT)
    text = coloured("grade", "double")
    assert "reports: reports/index.html" in text
    assert "Traceback" not in text
    assert "\x1b[2Jan" not in text


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
    assert (2, "error: unknown exercise 'double'\n  = help: exercises in empty: none\n") == (
        done.code,
        done.err,
    )
    assert 0 == grader(capfd, "check", "mine.py", "--suites", "testsuites").code
    monkeypatch.setenv("GRADER_SUITES", "gone")
    done = grader(capfd, "check", "mine.py")
    assert (2, "error: no such folder of suites: gone\n") == (done.code, done.err)


def test_no_folder_of_suites_anywhere_is_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An installed grader without suites says how to name them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GRADER_SUITES", raising=False)
    monkeypatch.setattr("grader.exercises._PACKAGE_FOLDER", tmp_path / "none")
    done = grader(capfd, "check", write("mine.py", RIGHT))
    assert 2 == done.code
    assert (
        "error: no folder 'testsuites' here or above\n"
        "  = help: name it with --suites, or in $GRADER_SUITES\n"
    ) == done.err


def test_suites_beside_the_package_are_the_last_resort(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a checkout the project's own suites serve."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GRADER_SUITES", raising=False)
    assert ROOT / "testsuites" == suites_folder(None)


@pytest.mark.usefixtures("here")
def test_data_file_that_a_suite_lacks_is_the_students_obstacle(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """A file that no suite provides cannot be opened; the case says so and the run goes on."""
    write("mine.py", "def double(x):\n    return open('grid.txt').read()\n")
    done = grader(capfd, "check", "mine.py")
    assert 1 == done.code
    assert "FileNotFoundError" in done.out


# doctor


def test_doctor_tells_each_layer(capfd: pytest.CaptureFixture[str]) -> None:
    """Seven layers, in force or not; the level; and each gap with what would help."""
    done = grader(capfd, "doctor")
    lines = done.out.splitlines()
    assert all(re.search(r" (in force|NOT in force)", line) for line in lines[1:8])
    level = re.fullmatch(r"isolation level (\d) of 3: .+", lines[8])
    assert level is not None
    assert (0 if int(level[1]) else 4) == done.code
    missing = done.out.count("NOT in force")
    assert (missing > 0) == any(line.startswith("not enforced: ") for line in lines[9:])
    assert all(line.startswith(("not enforced: ", "would help: ")) for line in lines[9:])


def test_doctor_json(capfd: pytest.CaptureFixture[str]) -> None:
    """The same facts for a program, alone on standard output."""
    document = json.loads(grader(capfd, "doctor", "--json").out)
    assert ["schema", "level", "layers", "gaps"] == list(document)
    assert "grader/doctor/1" == document["schema"]
    assert {field.name for field in fields(Layers)} == set(document["layers"])


def test_doctor_without_isolation_is_4(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing holds, each gap is told, and the way out."""
    layers = tuple(NONE.to_json().items())
    monkeypatch.setattr("grader.cli.doctor.probe", lambda: (0, layers))
    done = grader(capfd, "doctor")
    assert 4 == done.code
    assert 7 == done.out.count("NOT in force\n")
    assert "isolation level 0 of 3: none: run your own code only\n" in done.out
    assert "not enforced: Nothing is enforced: a submission can do all" in done.out
    assert 4 == done.out.count("would help: ")
    assert (
        "error: submissions of strangers cannot be graded safely here\n"
        "  = help: use a Linux kernel with seccomp, on x86_64 or aarch64; "
        "see docs/explanation/trust.md\n"
    ) == done.err


def test_probe_that_fails_is_told(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A probe that breaks down says why, with exit 4."""
    monkeypatch.setattr("grader.sandbox.probing._PROGRAM", "raise OSError('no more processes')")
    done = grader(capfd, "doctor")
    assert (4, "") == (done.code, done.out)
    assert "error: the probe of the sandbox failed: OSError: no more processes\n" == done.err


def ordinary(*args: str) -> Done:
    """Run the command line as an ordinary user."""
    if os.geteuid() != 0:
        return process(*args)
    # An interpreter in root's home is not there for others; the system's is, with our packages.
    python = f"/usr/bin/python3.{sys.version_info.minor}"
    if not os.access(python, os.X_OK):
        pytest.skip("no interpreter of this version that every user may run")
    return process(*args, user=NOBODY, python=python, HOME="/")


def test_doctor_as_an_ordinary_user() -> None:
    """Nothing but the change of user needs root."""
    as_root = json.loads(process("doctor", "--json").out)
    document = json.loads(ordinary("doctor", "--json").out)
    assert as_root["level"] == document["level"]
    assert {**as_root["layers"], "uid_dropped": False} == document["layers"]


def test_check_as_an_ordinary_user() -> None:
    """A student needs no rights on her machine."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        file = Path(name, "mine.py")
        file.write_text(RIGHT)
        suite = Path(name, "double.yaml")
        suite.write_text(SUITE.format(name="double", defines="double", call="double(2)"))
        done = ordinary("check", str(file), "--exercise", str(suite))
    assert (0, "") == (done.code, done.err)


@pytest.mark.usefixtures("here")
def test_interrupt_before_anything_is_130(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C outside a run is one word, not a traceback."""

    def interrupt(*_: Sequence[object]) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("grader.cli.check.single_entry", interrupt)
    done = grader(capfd, "check", "mine.py")
    assert (130, "", "interrupted") == (done.code, done.out, done.err.strip())
