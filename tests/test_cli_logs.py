"""What strangers wrote or named is text on a terminal, and no command to a CI system."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

import pytest
from command_line import RIGHT, grader, write

from grader.cli.terminal import names, show_error, warn
from grader.errors import UsageError


def test_error_that_is_no_sentence_is_made_plain(capfd: pytest.CaptureFixture[str]) -> None:
    """Nothing in an error reaches the terminal as a command."""
    show_error(UsageError("\x1b]0;title\x07", help="\u202e"))
    assert "error: ␛]0;title␇\n  = help: \\u202e\n" == capfd.readouterr().err


def test_names_are_enumerated_plain() -> None:
    """Names of files in messages are short and on one line."""
    assert "a⏎b, c" == names(["a\nb", "c"])


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
        asked = "check", write(f"{name}.py", source), "--exercise", "double"
        screen, whole = grader(capfd, *asked), grader(capfd, *asked, "--all")
        assert (1, []) == (screen.code, commands(screen.out + screen.err))
        assert (1, []) == (whole.code, commands(whole.out + whole.err))
        assert "::error::" in whole.out


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
        (
            "grade",
            "##[group]c",
            "--exercise",
            "double",
        ): "there is no Python file and no folder in #\\#[group]c",
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
    done = grader(capfd, "grade", "a", "--exercise", "b\n::error::x")
    assert 2 == done.code
    assert "::error::x" in done.err
    assert not re.search(r"^\s*::", done.err, re.MULTILINE)
