"""A catalogue of hostile hand-ins, under an instructor's own tests."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from own_tests import make_folders, summary, verdicts

pytestmark = pytest.mark.own_tests

HAND_IN: Final = """\
import unittest

def nested():
    made = []
    for _ in range(40): made = [made, made]
    return made
def endless():
    while True: yield 1
def deep():
    made = ()
    for _ in range(100): made = (made,)
    return made
def many(): return list(range(500_000))
def unshowable(): raise SyntaxError("x", ("file", [1], {}, 3))
def skip(): raise unittest.SkipTest("not today")
def leave():
    class Left(KeyboardInterrupt): pass
    raise Left
def peek(generator): return generator.gi_frame.f_locals
def build(cls):
    class Own(cls): pass
def forge(mock):
    for name, value in {"call_count": 3, "called": True, "mock_calls": [1]}.items():
        try: setattr(mock, name, value)
        except AttributeError: pass
def read(mock): return mock.side_effect
def reset(mock): mock.reset_mock()
def use(mock):
    mock.move("up")
    mock.mark = 2
class Equal:
    def __eq__(self, other): return True
    __hash__ = None
    def __repr__(self): raise SystemExit(0)
def equal(): return Equal()
"""
TESTS: Final = """\
import pytest
import evil
from unittest.mock import Mock

@pytest.fixture(scope="module")
def shared(): return []

def yielding():
    secret = 42
    yield secret

def test_printed(shared):
    shared.append(1)
    print(evil.nested())
def test_next(shared): assert shared == []
def test_listed(score, max_score):
    max_score.value += 7
    score.value += 2
    try:
        list(evil.endless())
        score.value += 5
    except: pass
def test_deep(): assert evil.deep() == ()
def test_many(): assert len(evil.many()) == 1
def test_unshowable(): evil.unshowable()
def test_skip(): evil.skip()
def test_leave(): evil.leave()
def test_peek(): assert evil.peek(yielding()) == {"secret": 42}
def test_build(): evil.build(Score)
def test_forge():
    mock = Mock()
    evil.forge(mock)
    mock.assert_called()
def test_read(): assert evil.read(Mock(side_effect=[3])) == [3]
def test_reset():
    mock = Mock()
    mock(1)
    evil.reset(mock)
    mock.assert_not_called()
def test_use():
    mock = Mock()
    evil.use(mock)
    mock.move.assert_called_once_with("up")
    assert mock.mark == 2
def test_equal(): assert evil.equal() is None
class Score: pass
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with one for a submission and one for tests."""
    return make_folders(tmp_path, monkeypatch)


def test_none_earns_a_point_or_the_word_fault(here: Path) -> None:
    """Each costs its own test, and no other; what is refused is raised in the submission."""
    (here / "handed" / "evil.py").write_text(HAND_IN)
    (here / "tests" / "test_it.py").write_text(TESTS)
    entry = summary("tests", "--submission=handed", "--seconds=0.3")
    assert {
        "test_printed": "TIMED_OUT",
        "test_next": "PASSED",
        "test_listed": "TIMED_OUT",
        "test_deep": "OUTPUT",
        "test_many": "OUTPUT",
        "test_unshowable": "ERROR",
        "test_skip": "ERROR",
        "test_leave": "EXITED",
        "test_peek": "ERROR",
        "test_build": "ERROR",
        "test_forge": "WRONG",
        "test_read": "ERROR",
        "test_reset": "ERROR",
        "test_use": "PASSED",
        "test_equal": "ERROR",
    } == verdicts(entry)
    assert ("graded", 4.0) == (entry["status"], entry["score"])


def test_a_submission_that_is_never_the_same_is_not_our_fault(here: Path) -> None:
    """Its tests fail, and say what helps; with one process for all of them it is imported once."""
    (here / "handed" / "evil.py").write_text("import time\nkept = [0] * (time.time_ns() % 997)\n")
    (here / "tests" / "test_it.py").write_text(
        "import evil\nkept = evil.kept\ndef test_it(): assert evil.kept is kept\n"
    )
    entry = summary("tests", "--submission=handed")
    assert {"test_it": "ERROR"} == verdicts(entry)
    assert "graded" == entry["status"]
    entry = summary("tests", "--submission=handed", "--fresh=session")
    assert {"test_it": "PASSED"} == verdicts(entry)


def test_a_submission_that_raises_while_tests_are_collected(here: Path) -> None:
    """The tests of a file are known, too, where code outside of them meets an exception."""
    (here / "handed" / "evil.py").write_text(
        "def board(): raise SyntaxError('x', ('f', [1], {}))\n"
    )
    (here / "tests" / "test_it.py").write_text(
        "import evil\nBOARD = evil.board()\nROWS = [row + 1 for row in BOARD]\n"
        "def test_it(): assert BOARD\n"
    )
    (here / "tests" / "test_other.py").write_text("import evil\ndef test_other(): evil.board\n")
    entry = summary("tests", "--submission=handed")
    assert {"test_it": "SKIPPED", "test_other": "PASSED"} == verdicts(entry)
    assert ("graded", 1.0, 2.0) == (entry["status"], entry["score"], entry["max_score"])


@pytest.mark.parametrize("fresh", ["session", "module"])
def test_one_process_for_all_tests_is_replaced_where_a_test_has_to_be_ended(
    here: Path, fresh: str
) -> None:
    """Though a test never ends, by what it got, the next one is judged, and all are on record."""
    (here / "handed" / "evil.py").write_text("def board(): return 3\n")
    (here / "tests" / "test_it.py").write_text(
        "import evil\ndef test_long():\n    while True: pass\n"
        "def test_next(): assert evil.board() == 3\n"
        "def test_wrong(): assert evil.board() == 4\n"
    )
    entry = summary("tests", "--submission=handed", "--seconds=0.3", f"--fresh={fresh}")
    expected = {"test_long": "TIMED_OUT", "test_next": "PASSED", "test_wrong": "WRONG"}
    assert expected == verdicts(entry)


FILES: Final = """\
import pytest
import evil

OTHERS = []

@pytest.fixture(scope="module")
def data(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "all.txt"
    path.write_text("all")
    return path

def test_own(tmp_path):
    path = tmp_path / "own.txt"
    path.write_text("own")
    assert evil.read(path) == "own"
    OTHERS.append(path)

def test_shared(data):
    assert evil.read(data) == "all"
    OTHERS.append(data)

def test_by_name(request):
    assert evil.read(request.getfixturevalue("data")) == "all"

def test_others(tmp_path):
    for path in OTHERS:
        with pytest.raises(OSError):
            evil.read(path)
        with pytest.raises(OSError):
            evil.write(path)
    assert [path.read_text() for path in OTHERS] == ["own", "all"]
"""


def test_only_folders_of_the_test_are_shared(here: Path) -> None:
    """What others have made stays theirs; what a fixture has made is for the tests that use it."""
    (here / "handed" / "evil.py").write_text(
        "def read(path): return open(path).read()\n"
        "def write(path):\n    with open(path, 'w') as file: file.write('mine')\n"
    )
    (here / "tests" / "test_it.py").write_text(FILES)
    assert {"PASSED"} == {*verdicts(summary("tests", "--submission=handed")).values()}


PLUGIN: Final = """\
pytestmark = 1
pytest_plugins = ["nowhere"]
__test__ = False
__all__ = ["f", "_own", "pytestmark", "pytest_plugins", "__test__", "setup_module", "load_tests",
    "pytest_pyfunc_call", "pytest_assertrepr_compare", "@pytest_ar"]
def f(x): return 0
_own = f
def setup_module(module): module.f = None
def load_tests(*_): return None
def pytest_pyfunc_call(): return True
def pytest_assertrepr_compare(left, right): print("seen", left, right)
globals()["@pytest_ar"] = None
"""


def test_a_star_import_makes_no_plugin_of_a_submission(here: Path) -> None:
    """With `__all__` or without it, pytest is told nothing by whoever hands in."""
    (here / "handed" / "evil.py").write_text(PLUGIN)
    (here / "handed" / "other.py").write_text(PLUGIN.replace("__all__", "names"))
    (here / "tests" / "test_star.py").write_text(
        "from evil import *\n"
        "def test_wrong(): assert f(1) == 5\n"
        "def test_own(): assert _own(1) == 0\n"
    )
    (here / "tests" / "test_all.py").write_text(
        "from other import *\ndef test_all(): assert f(1) == 5\n"
    )
    (here / "tests" / "test_named.py").write_text(
        "import evil\nname = 'pytest_' + 'plugins'\nglobals()[name] = getattr(evil, name)\n"
        "def test_named(): assert 1 == 2\n"
    )
    (here / "handed" / "few.py").write_text("__all__ = 5\n")
    (here / "tests" / "test_few.py").write_text("from few import *\ndef test_few(): f\n")
    entry = summary("tests", "--submission=handed")
    assert {
        "test_few": "ERROR",
        "test_wrong": "WRONG",
        "test_own": "PASSED",
        "test_all": "WRONG",
        "test_named": "WRONG",
    } == verdicts(entry)
    assert ("graded", 1.0) == (entry["status"], entry["score"])
