"""What sets pytest up for an instructor's own tests: their files, and none that was handed in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest
from command_line import process, write
from own_tests import make_folders, run, verdicts
from own_tests import summary as found

pytestmark = pytest.mark.own_tests

SETTINGS: Final = "python_files = check_*.py\naddopts = --doctest-glob=*.rst --doctest-modules\n"
TOML: Final = """\
python_files = ["check_*.py"]
addopts = ["--doctest-glob=*.rst", "--doctest-modules"]
"""
CHECK: Final = '''\
"""A file that only its settings make one of tests.

>>> import sol
>>> sol.one()
1
"""
import sol
def test_one(): assert sol.one() == 1
'''
SESSION: Final = ">>> import sol\n>>> sol.one() + 1\n2\n"
SPY: Final = "def pytest_report_header(): return 'obeyed'\n"
"""What would run among the tests, and says so."""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a submission and a file of tests."""
    write(str(make_folders(tmp_path, monkeypatch) / "handed/sol.py"), "def one(): return 1\n")
    write("tests/check_one.py", CHECK)
    write("tests/session.rst", SESSION)
    return tmp_path


ALL: Final = {"check_one": "PASSED", "test_one": "PASSED", "session.rst": "PASSED"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tests/pytest.ini", f"[pytest]\n{SETTINGS}"),
        ("tests/setup.cfg", f"[tool:pytest]\n{SETTINGS}"),
        (
            "tests/pyproject.toml",
            f"[tool.pytest.ini_options]\n{TOML}",
        ),
    ],
)
def test_settings_beside_tests_hold(name: str, text: str) -> None:
    """Also the options that they add: no test is left out in silence."""
    write(name, text)
    assert ALL == verdicts(found("tests", "--submission=handed"))


def test_settings_above_hold_where_nothing_was_handed_in() -> None:
    """As pytest itself finds them, with a `conftest.py`; with names of files as ours."""
    write("course/pytest.ini", "[pytest]\naddopts = --doctest-glob=*.rst\n")
    write("course/conftest.py", "import pytest\n@pytest.fixture\ndef two(): return 2\n")
    write(
        "course/tests/One_Test.py", "import sol\ndef test_two(two): assert sol.one() + 1 == two\n"
    )
    write("course/tests/session.rst", SESSION)
    done = run("course/tests", "--submission=handed")
    assert (0, "") == (done.returncode, done.stderr)
    assert "2 passed" in done.stdout


def test_what_may_be_handed_in_is_not_obeyed(here: Path) -> None:
    """It lies where the submission does, or above: it is told, and runs nowhere."""
    write("tests/test_sol.py", "import sol\ndef test_one(): assert sol.one() == 1\n")
    write("sol.py", "def one(): return 1\n")
    write("spy.py", SPY)
    write("conftest.py", SPY)
    write("pytest.ini", "[pytest]\npythonpath = .\naddopts = -p spy\n")
    done = run("tests", "--submission=sol.py")
    assert 0 == done.returncode, done.stdout
    assert "obeyed" not in done.stdout
    told = [line for line in done.stderr.splitlines() if "is not read" in line]
    assert ["pytest.ini", "conftest.py"] == [Path(line.split()[1]).name for line in told]
    assert f"add: -c {here / 'pytest.ini'}\n" in done.stderr
    assert f"add: --confcutdir={here}\n" in done.stderr


@pytest.mark.parametrize("named", [("-c", "course.ini"), ("-ccourse.ini",)])
def test_an_instructor_may_say_that_it_is_hers(named: tuple[str, ...]) -> None:
    """Both options are those of pytest."""
    write("sol.py", "def one(): return 1\n")
    write("conftest.py", SPY)
    write("course.ini", f"[pytest]\n{SETTINGS}")
    done = run("tests", "--submission=sol.py", *named, "--confcutdir=.")
    assert (0, "") == (done.returncode, done.stderr)
    assert "3 passed" in done.stdout
    assert "obeyed" in done.stdout


@pytest.mark.parametrize(
    ("written", "arguments", "said"),
    [
        ({"tests/pytest.ini": "[pytest\n"}, (), "tests/pytest.ini cannot be read: "),
        ({}, ("-c", "course.ini"), "the configuration file "),
    ],
)
def test_settings_that_cannot_be_read_are_told(
    written: dict[str, str], arguments: tuple[str, ...], said: str
) -> None:
    """With the way out; no test runs without what its author wrote."""
    for name, text in written.items():
        write(name, text)
    done = run("tests", "--submission=handed", *arguments)
    assert 2 == done.returncode
    assert said in done.stderr
    assert "-c" in done.stderr.partition("help: ")[2]
    assert "" == done.stdout


def test_no_module_that_was_handed_in_runs_among_the_tests() -> None:
    """Python would find it, as the tests are a package; it finds its own, or none."""
    write("sol.py", "def one(): return 1\n")
    write("statistics.py", SPY)
    write("mine.py", SPY)
    write("tests/__init__.py", "")
    write("tests/helpers.py", "TWO = 2\n")
    write("tests/test_sol.py", PACKAGED)
    assert {"test_one": "PASSED"} == verdicts(found("tests", "--submission=sol.py"))


PACKAGED: Final = """\
from importlib import import_module
import statistics
import pytest, sol
from tests.helpers import TWO

def test_one():
    assert statistics.mean([sol.one(), 3]) == TWO
    with pytest.raises(ImportError, match="mine"): import_module("mine")
"""


def test_tests_that_were_handed_in_stay_out_and_that_is_told() -> None:
    """Her own tests, with what pytest takes orders from, are neither run nor a fault."""
    write("class/an/sol.py", "def one(): return 1\n")
    for name in ("tests/__init__.py", "tests/test_sol.py", "conftest.py", "pytest.ini"):
        write(f"class/an/{name}", SPY)
    write("tests/__init__.py", "")
    write("tests/test_sol.py", "import sol\n\ndef test_one(): assert sol.one() == 1\n")
    done = process("pytest", "tests", "--submission=class", "--out=run")
    assert 0 == done.code, done.err
    (told,) = json.loads(Path("run/results.json").read_bytes())["submissions"]
    assert (1, 1) == (told["score"], told["max_score"])
    page = "\n".join(path.read_text() for path in Path("run").rglob("*.html"))
    assert "Not used: conftest.py, pytest.ini, tests/test_sol.py" in page
