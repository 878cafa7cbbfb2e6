"""What is a fault of the tests, and what a hand-in has brought about itself."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any, Final

import pytest
from hostile_runs import entries
from own_tests import make_folders, run, summary, verdicts

from grader.plugins.own_tests.proxying import scratch_folder
from grader.plugins.own_tests.proxying.scratch_folder import ScratchFolder
from grader.plugins.own_tests.proxying.walled_job import Bounds
from grader.plugins.own_tests.proxying.walled_process import HAS_WALLS
from grader.plugins.own_tests.under_pytest import run as running
from grader.plugins.own_tests.under_pytest.record import record_from_tests
from grader.plugins.own_tests.under_pytest.submission import default_settings, hand_in_at

pytestmark = [
    pytest.mark.own_tests,
    pytest.mark.skipif(not HAS_WALLS, reason="the wall is for Linux"),
]

POINT: Final = """\
class Point:
    def __init__(self, x): self.x = x
    def __repr__(self): return {shown}
    def __eq__(self, other): return self.x == other.x
def place(): return {place!r}
"""
HONEST: Final = POINT.format(shown='f"Point({self.x})"', place="/nowhere/at/all")
ODD: Final = POINT.format(shown='"__import__(1)"', place="/usr/share/doc")
IN_A_TEST: Final = """\
import sol
from sol import Point
def test_shown(): assert eval(repr(Point(1))) == Point(1)
def test_place():
    try: open(sol.place())
    except FileNotFoundError as error:
        if error.filename != "/nowhere/at/all": raise
"""
AT_THE_TOP: Final = """\
from sol import Point
ONE = eval(repr(Point(1)))
def test_one(): assert ONE == Point(1)
"""
OF_THE_TESTS: Final = "import os, sol\ndef test_program(): os.system('true')\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with an honest hand-in and one that would have the tests be at fault."""
    make_folders(tmp_path, monkeypatch)
    for name, text in (("honest", HONEST), ("odd", ODD)):
        (tmp_path / "handed" / name).mkdir()
        (tmp_path / "handed" / name / "sol.py").write_text(text)
    return tmp_path


def graded(here: Path, tests: str) -> tuple[int, str, dict[str, Any]]:
    """Return how the class was graded by `tests`: the exit code, what it said, and the results."""
    (here / "tests" / "test_sol.py").write_text(tests)
    done = run("tests", "--submission=handed", "--out=out")
    found = entries(here / "out/results.json")
    return done.returncode, done.stderr, {student: each for (_, student), each in found.items()}


def test_what_others_pass_is_no_fault_of_the_tests(here: Path) -> None:
    """Who would have an odd text run, or names a file outside, loses those tests."""
    code, said, found = graded(here, IN_A_TEST)
    assert (0, "graded", 2.0) == (code, found["honest"]["status"], found["honest"]["score"])
    assert ("graded", 0.0, 2.0) == (
        found["odd"]["status"], found["odd"]["score"], found["odd"]["max_score"]
    )  # fmt: skip
    assert {"test_shown": "FORBIDDEN", "test_place": "ERROR"} == verdicts(found["odd"])
    assert "--read" not in said


def test_tests_that_others_let_be_collected_are_lost(here: Path) -> None:
    """Who breaks a file of tests off while it is imported has nothing of it."""
    code, _, found = graded(here, AT_THE_TOP)
    assert (0, 1.0, 0.0) == (code, found["honest"]["score"], found["odd"]["score"])
    assert {"test_one": "FORBIDDEN"} == verdicts(found["odd"])


def test_what_nobody_passes_is_a_fault_of_the_tests(here: Path) -> None:
    """It is held against nobody, and the class says so."""
    code, _, found = graded(here, OF_THE_TESTS)
    assert (6, {"fault"}) == (code, {each["status"] for each in found.values()})


SKIPPING: Final = """\
import pytest, sol
HAS_BONUS = hasattr(sol, "bonus")
def pytest_collection_modifyitems(items):
    for item in items:
        if "bonus" in item.name and not HAS_BONUS: item.add_marker(pytest.mark.skip)
"""
SKIPPED: Final = """\
import pytest, sol
def test_bonus(): assert sol.bonus() == 1
@pytest.mark.skip
def test_later(): assert sol.later() == 1
def test_place(): assert sol.place() == "/nowhere/at/all"
"""


def test_a_hook_that_skips_by_what_a_submission_has_spares_it_nothing(here: Path) -> None:
    """What stands in the file of a test is the instructor's own."""
    (here / "tests" / "conftest.py").write_text(SKIPPING)
    (here / "tests" / "test_sol.py").write_text(SKIPPED)
    entry = summary("tests", "--submission=handed/honest")
    assert (1.0, 2.0) == (entry["score"], entry["max_score"])


def test_pytest_writes_no_report(here: Path) -> None:
    """Where nothing may be written that is said at once, with what there is instead."""
    (here / "tests" / "test_sol.py").write_text(OF_THE_TESTS)
    done = run("tests", "--submission=handed/honest", "--junitxml=out.xml")
    assert 2 == done.returncode
    assert (
        "--junitxml=out.xml does not work: tests can only write in temporary folders" in done.stderr
    )
    assert "write reports with --out" in done.stderr


SLOW: Final = """\
import time, pytest
@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(): time.sleep(1.6)
"""


def test_the_time_around_tests_is_one_for_all(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What hooks take between tests adds up, and does not begin anew with each."""
    around = Bounds(cpu_s=60, wall_s=4, memory_bytes=1 << 30)
    monkeypatch.setattr(running, "_BOUNDS_AROUND_TESTS", around)
    (here / "tests" / "conftest.py").write_text(SLOW)
    tests = "".join(f"def test_{n}(): assert sol.place()\n" for n in range(5))
    (here / "tests" / "test_sol.py").write_text(f"import sol\n{tests}")
    own = default_settings([here / "tests"], None, "en")
    _, record = record_from_tests(own, hand_in_at(here / "handed" / "honest"))
    found = {case.id.rpartition("::")[2]: case.verdict.value for case in record.cases}
    assert "PASSED" == found["test_0"]
    assert "TIMED_OUT" in found.values()


def test_what_a_killed_grader_has_left_is_removed(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once nobody holds it any more, and not while somebody does."""
    monkeypatch.setattr(scratch_folder, "gettempdir", lambda: str(here))
    monkeypatch.setattr(scratch_folder, "mkdtemp", lambda prefix: _made(here / f"{prefix}held"))
    left = Path(_made(here / "grader-tests-left"))
    (left / "file").write_text("x")
    held = ScratchFolder()
    for folder in (left, Path(held.path)):
        os.utime(folder, (time.time() - 1_000,) * 2)
    monkeypatch.setattr(scratch_folder, "mkdtemp", lambda prefix: _made(here / f"{prefix}new"))
    ScratchFolder().remove()
    assert ["grader-tests-held"] == [each.name for each in here.glob("grader-tests-*")]
    held.remove()
    assert [] == list(here.glob("grader-tests-*"))


def _made(path: Path) -> str:
    path.mkdir()
    return str(path)
