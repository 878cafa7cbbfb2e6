"""What is the instructor's stays hers: a hand-in replaces none of her modules, nor of her names."""

from __future__ import annotations

import importlib.util
import marshal
import os
from pathlib import Path
from typing import Final

import pytest
from command_line import write
from own_tests import make_folders, run, summary, verdicts

pytestmark = pytest.mark.own_tests

TEST: Final = (
    "from helperx import EXPECTED\nimport sol\ndef test_it(): assert sol.f() == EXPECTED\n"
)
ABOVE: Final = (
    "import sys, pathlib\nsys.path.insert(0, str(pathlib.Path(__file__).parents[1] / 'lib'))\n"
)


READS: Final = ("--read", "lib")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a hand-in that has a helper of the instructor's as well."""
    place = make_folders(tmp_path, monkeypatch)
    write("handed/sol.py", "def f(): return 1\n")
    write("handed/helperx.py", "EXPECTED = 1\n")
    (place / "lib").mkdir()
    return place


@pytest.mark.parametrize(
    "files",
    [
        {"tests/pytest.ini": "[pytest]\npythonpath = ../lib\n", "lib/helperx.py": ""},
        {"tests/conftest.py": ABOVE, "lib/helperx.py": ""},
        {"tests/helperx.py": ""},
    ],
    ids=["pythonpath", "conftest", "beside"],
)
def test_a_helper_is_hers_on_whatever_way(files: dict[str, str]) -> None:
    """With one of the same name in the hand-in nothing passes that should not."""
    for name, text in files.items():
        write(name, text or "EXPECTED = 42\n")
    write("tests/test_it.py", TEST)
    done = run("tests", "--submission=handed", *READS)
    assert "1 passed" not in done.stdout
    said = done.stdout + done.stderr
    assert "helperx" in said
    assert "1 failed" in done.stdout, done.stderr
    assert "handed in is ignored: the tests use their own" in said


def test_a_helper_beside_a_conftest_of_a_folder_above_is_hers() -> None:
    """Pytest puts that folder on the path, and the tests may read it."""
    write("course/conftest.py", "")
    write("course/helperx.py", "EXPECTED = 42\n")
    write("course/week/test_it.py", TEST)
    assert {"test_it": "WRONG"} == verdicts(summary("course/week", "--submission=handed"))


def test_a_helper_of_the_environment_is_hers(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PYTHONPATH holds for the tests, and they may read what lies there."""
    write("lib/helperx.py", "EXPECTED = 42\n")
    write("tests/test_it.py", TEST)
    monkeypatch.setenv("PYTHONPATH", str(here / "lib"))
    assert {"test_it": "WRONG"} == verdicts(summary("tests", "--submission=handed"))


def test_a_helper_in_a_folder_without_init_is_hers() -> None:
    """What a hand-in has by the name of that folder replaces nothing of hers."""
    write("tests/helpers/util.py", "EXPECTED = 42\n")
    write("tests/test_it.py", TEST.replace("helperx", "helpers.util"))
    write("handed/helpers/util.py", "EXPECTED = 1\n")
    done = run("tests", "--submission=handed")
    assert "1 failed" in done.stdout, done.stderr
    assert "the module helpers that " in done.stderr


def test_byte_code_that_was_handed_in_is_not_run_whatever_file_it_names() -> None:
    """It is compiled already, so who has loaded it tells where it came from."""
    forged = compile("import sys; sys.was_run = True", os.__file__, "exec")
    code = importlib.util.MAGIC_NUMBER + bytes(12) + marshal.dumps(forged)
    write("handed/sol.py", f"def save(path): open(path, 'wb').write({code!r})\n")
    write(
        "tests/test_it.py",
        "import runpy, sys, pytest, sol\n"
        "def test_run(tmp_path):\n"
        "    sol.save(str(tmp_path / 'made.py'))\n"
        "    runpy.run_path(str(tmp_path / 'made.py'))\n"
        "def test_import(tmp_path, monkeypatch):\n"
        "    sol.save(str(tmp_path / 'made.pyc'))\n"
        "    monkeypatch.syspath_prepend(tmp_path)\n"
        "    import made\n"
        "def test_nothing_was_run(): assert not hasattr(sys, 'was_run')\n",
    )
    done = run("tests", "--submission=handed")
    assert "2 failed, 1 passed" in done.stdout, done.stderr
    assert 2 == done.stdout.count("from a temporary folder, where a submission can write; put")


def test_where_everything_would_be_hers_nothing_is_run() -> None:
    """A solution on her path would pass for everybody."""
    write("tests/conftest.py", ABOVE)
    write("lib/sol.py", "def f(): return 42\n")
    write("lib/helperx.py", "EXPECTED = 42\n")
    write("tests/test_it.py", TEST)
    done = run("tests", "--submission=handed", *READS)
    assert "passed" not in done.stdout
    assert "and nothing from the submission" in done.stdout + done.stderr


def test_a_star_import_leaves_what_has_a_meaning() -> None:
    """Names of builtins, and names that the file of tests has, stay what they are; it is told."""
    write(
        "handed/sol.py",
        "class type(type): pass\ndef len(x): return 7\nEXPECTED = 1\npytest = 5\n"
        "def f(): return 1\n",
    )
    write(
        "tests/test_it.py",
        "import pytest\nEXPECTED = 42\nfrom sol import *\n"
        "def test_own(): assert len([]) == 0 and type(f()) is int and pytest.raises\n"
        "def test_wrong(): assert f() == EXPECTED\n",
    )
    assert {"test_own": "PASSED", "test_wrong": "WRONG"} == verdicts(
        summary("tests", "--submission=handed")
    )
    assert "leaves out EXPECTED, len, pytest, type" in run("tests", "--submission=handed").stdout


def test_her_own_tests_are_left_aside() -> None:
    """A folder `tests`, a `conftest.py` and a `pytest.ini` of an honest student are no fault."""
    write("handed/tests/test_it.py", "1 / 0\n")
    write("handed/tests/__init__.py", "")
    write("handed/conftest.py", "1 / 0\n")
    write("handed/pytest.ini", "[pytest]\naddopts = --nonsense\n")
    write("tests/__init__.py", "")
    write("tests/helpers.py", "ONE = 1\n")
    write(
        "tests/test_it.py",
        "import sol\nfrom tests.helpers import ONE\ndef test_it(): assert sol.f() == ONE\n",
    )
    entry = summary("tests", "--submission=handed")
    assert ("graded", {"test_it": "PASSED"}) == (entry["status"], verdicts(entry))
