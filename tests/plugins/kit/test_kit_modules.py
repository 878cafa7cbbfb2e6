"""The modules that only a kit runs, where they lie: its program, its data, what stands in."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import builders
import pytest
from command_line import RIGHT, SUITE, WRONG, write

from grader.errors import HostError
from grader.judging.rules import KINDS
from grader.plugins.kit import assembling, bootstrap, starting
from grader.plugins.kit.check import main
from grader.plugins.kit.data import decode, encode
from grader.sandbox import zygote
from grader.suite import vocabulary
from grader.suite.exercises import find_suite
from grader.suite.model import Suite

ROOT: Final = Path(__file__).parents[3]
NEWEST: Final = (3, 99)


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """A suite of one case, in the folder that we are in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "mine").mkdir()
    text = SUITE.format(name="double", defines="double", call="double(2)")
    return find_suite(write("double.yaml", text), None, KINDS)


def suite_text(suite: Suite, python: tuple[int, int] = sys.version_info[:2]) -> str:
    """Return the `suite` as it is in a kit that has been made with `python`."""
    return json.dumps({"suite": encode(suite), "rules": 2, "advice": True, "python": python})


@pytest.mark.parametrize(("code", "exit_code"), [(RIGHT, 0), (WRONG, 1)], ids=["right", "wrong"])
def test_program_of_a_kit_says_what_it_leaves_out(
    suite: Suite, capsys: pytest.CaptureFixture[str], code: str, exit_code: int
) -> None:
    """Rules and advice come below the result."""
    write("mine/double.py", code)
    assert exit_code == main("mine/check_double.py", suite_text(suite), [])
    told = capsys.readouterr().out
    assert "2 rules of the exercise are not checked here." in told
    assert "advice on how readable the code is" in told
    assert "submissions are graded with" not in told


@pytest.mark.parametrize(
    ("code", "is_told"),
    [
        ("def double(x):\n    return x.newer()\n", True),
        ("def double(x):\n    return match x\n", True),
        (WRONG, False),
    ],
    ids=["method", "syntax", "wrong"],
)
def test_program_of_a_kit_says_that_a_newer_python_may_run_it(
    suite: Suite, capsys: pytest.CaptureFixture[str], code: str, *, is_told: bool
) -> None:
    """What fails as newer things do may be right where marks are given; other mistakes are not."""
    write("mine/double.py", code)
    assert 1 == main("mine/check_double.py", suite_text(suite, NEWEST), [])
    assert is_told == ("are graded with Python 3.99: a newer" in capsys.readouterr().out)


def test_program_of_a_kit_says_what_marks_are_given_with_cannot_read(
    suite: Suite, capsys: pytest.CaptureFixture[str]
) -> None:
    """This Python runs it, and the one that gives marks cannot read its first newer line."""
    write("mine/double.py", f"{RIGHT}\nmatch 1:\n    case 1: pass\nmatch 2:\n    case 2: pass\n")
    assert 0 == main("mine/check_double.py", suite_text(suite, (3, 9)), [])
    assert "Python 3.9, which cannot read line 4 of double.py (match)" in capsys.readouterr().out
    assert 0 == main("mine/check_double.py", suite_text(suite, (3, 10)), [])
    assert "cannot read" not in capsys.readouterr().out


def test_kit_unpacks_what_it_runs(
    suite: Suite, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `--unpack` it only does that; whoever runs it has the same path afterwards."""
    modules = assembling._compress(json.dumps({"some/module.py": "é"}))
    packed, known = assembling._compress(suite_text(suite)), list(sys.path)
    write("mine/double.py", RIGHT)
    for arguments in (["--unpack", "out"], ["mine/double.py"]):
        monkeypatch.setattr(sys, "argv", ["check_double.py", *arguments])
        with pytest.raises(SystemExit) as left:
            bootstrap.start("grader.plugins.kit.check", modules, packed, (3, 11), "too old")
        assert 0 == left.value.code
    assert "é" == Path("out/some/module.py").read_text("utf-8")
    assert "2 of 2 points" in capsys.readouterr().out
    assert known == sys.path


def test_older_python_is_told_so() -> None:
    """It reads one sentence, before anything is unpacked."""
    with pytest.raises(SystemExit) as left:
        bootstrap.start("", "", "", NEWEST, "This needs a newer one.")
    assert "This needs a newer one." == left.value.code


@pytest.mark.parametrize("exercise", ["1010", "akari", "str8ts", "triomino", "yinyang"])
def test_suite_is_read_as_it_was_written(exercise: str) -> None:
    """Each value of it is of the same kind again."""
    suite = find_suite(str(ROOT / f"testsuites/{exercise}.yaml"), None, KINDS).with_changes(
        rules=()
    )
    data = json.loads(json.dumps(encode(suite)))
    assert data == encode(decode(data))
    assert suite.title == decode(data).title


def test_kit_starts_interpreters_in_our_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The arguments are those that a zygote's interpreter has, but for what is not there."""
    names = [*vocabulary.PRELOADED, "no_such_module"]
    monkeypatch.setattr(vocabulary, "PRELOADED", names)
    command = starting.interpreter_command(
        "import sys; print(*sys.argv[1:], sep='\\n')", packages=["numpy"]
    )
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    root, modules, extras = done.stdout.splitlines()
    assert zygote.PACKAGE_ROOT == root
    assert names[:-1] == json.loads(modules)["preload"]
    assert zygote.package_folder("numpy") == json.loads(extras)["numpy"]["folder"]
    assert starting.environment(3)["PYTHONHASHSEED"] == zygote.environment(3)["PYTHONHASHSEED"]
    with pytest.raises(HostError, match="no_such_module is not installed"):
        starting.package_folder("no_such_module")


def test_a_kit_has_nothing_of_what_is_hidden() -> None:
    """Sessions that students may not see, and groups of these alone, are left out."""
    body = (
        "groups: [{id: seen, points: 1}, {id: unseen, points: 1}]\n"
        "sessions:\n"
        "  - {id: a, steps: [{do: f(1), returns: '1', group: seen}]}\n"
        "  - {id: b, visibility: hidden, steps: [{do: f(2), returns: '2', group: seen}]}\n"
        "  - {id: c, visibility: staff, steps: [{do: f(3), returns: '3', group: unseen}]}\n"
    )
    shown = json.dumps(encode(assembling.public_part(builders.suite(body))))
    assert "f(1)" in shown
    assert not any(said in shown for said in ("f(2)", "f(3)", "unseen"))
