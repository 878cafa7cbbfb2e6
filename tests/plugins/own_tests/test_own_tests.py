"""`grader pytest TESTS --submission=...`: an instructor's own tests, as they are."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from own_tests import make_folders, run, summary, verdicts

pytestmark = pytest.mark.own_tests

STACK: Final = """\
import logging, os, random, warnings
HOME = os.environ["HOME"]
class Stack:
    def __init__(self): self.items = []
    def push(self, item): self.items.append(item)
    def pop(self):
        if not self.items:
            raise IndexError("empty")
        return self.items.pop()
    def __len__(self): return len(self.items)
def loop():
    while True: pass
class Pair:
    def __getitem__(self, at): return self.both[at]
def some():
    pair = Pair()
    pair.both = Stack(), Stack()
    return pair
def leave(): import os; os._exit(0)
def interrupt(): raise KeyboardInterrupt
def double(path):
    with open(path) as lines: text = lines.read()
    with open(path, "w") as out: out.write(2 * text)
def home(): return os.environ.get("STACK_HOME")
def warn(): warnings.warn("stack is old", DeprecationWarning)
def log(): logging.getLogger("stack").info("%d left", 3)
def draw(): return random.randrange(1000)
def fail(): logging.getLogger("stack").error("no %s", "way", exc_info=ValueError("kaboom"))
if __name__ == "__main__":
    import sys
    print("pushed", *sys.argv[1:])
    SIZE = len(sys.argv)
    sys.exit(3)
def greet(): print("Hello, " + input("name? "))
"""
TESTS: Final = """\
import inspect, random, runpy, tempfile, unittest
import pytest
from stack import Stack
import stack

@pytest.fixture
def full():
    made = Stack()
    made.push(1)
    return made

def test_len(full):
    assert len(full) == 1

@pytest.mark.points(3)
@pytest.mark.parametrize("item", [1, "a", None])
def test_pop(full, item):
    full.push(item)
    assert full.pop() is item

def test_fresh():
    assert not hasattr(stack, "mark")
    stack.mark = 1

def test_fresh_again():
    assert not hasattr(stack, "mark")
    stack.mark = 1

def test_identity():
    stacks = stack.some()
    assert len({id(stacks[0]), id(stacks[1]), id(stacks[0])}) == 2

def test_source():
    assert inspect.getsource(stack.leave) == "def leave(): import os; os._exit(0)\\n"
    assert "class Stack" in inspect.getsource(stack)

def test_empty():
    with pytest.raises(IndexError, match="empty"):
        Stack().pop()

def test_greet(capsys, monkeypatch):
    monkeypatch.setattr("builtins.input", lambda prompt: prompt)
    stack.greet()
    assert capsys.readouterr().out == "Hello, name? \\n"

def test_files(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("x")
    stack.double(path)
    assert path.read_text() == "xx"
    with tempfile.NamedTemporaryFile("w+") as file, tempfile.TemporaryDirectory() as folder:
        for path in (file.name, folder + "/a.txt"):
            with open(path, "w") as out: out.write("y")
            stack.double(path)
            with open(path) as lines: assert lines.read() == "yy"

def test_environment(monkeypatch):
    assert stack.home() is None
    monkeypatch.setenv("STACK_HOME", "here")
    assert stack.home() == "here"
    monkeypatch.delenv("STACK_HOME")
    assert stack.home() is None

def test_warning():
    with pytest.warns(DeprecationWarning, match="old"):
        stack.warn()

def test_log(caplog):
    stack.log()
    assert caplog.messages == []
    with caplog.at_level("INFO", logger="stack"):
        stack.log()
    assert caplog.record_tuples == [("stack", 20, "3 left")]

def test_chance():
    random.seed(3)
    drawn = random.randrange(1000)
    for _ in range(2):
        random.seed(3)
        assert stack.draw() == drawn

def test_logged_exception(caplog):
    stack.fail()
    (record,) = caplog.records
    assert record.args == ("way",) and record.exc_info[0] is ValueError
    assert "kaboom" in caplog.text

def test_program(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["stack.py", "1"])
    with pytest.raises(SystemExit) as left:
        runpy.run_module("stack", run_name="__main__")
    assert (left.value.code, capsys.readouterr().out) == (3, "pushed 1\\n")
    assert len(runpy.run_module("stack")["Stack"]()) == 0

@pytest.mark.skip(reason="next week")
def test_later():
    assert stack.later()

@pytest.mark.xfail
def test_bonus():
    stack.bonus()

class OwnCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shared = Stack()
    def test_a(self):
        self.shared.push(1)
    def test_b(self):
        self.assertEqual(len(self.shared), 1)
"""
SWALLOWING: Final = """\
import stack

def test_right(score, max_score):
    max_score.value += 2
    try:
        assert len(stack.Stack()) == 0
        score.value += 2
    except: pass

def test_half(score, max_score):
    max_score.value += 2
    try:
        score.value += 1
        assert len(stack.Stack()) == 1
        score.value += 1
    except: pass

def test_nothing(score, max_score):
    try:
        stack.absent()
        max_score.value += 1
        score.value += 1
    except: pass

def test_loop(score, max_score):
    max_score.value += 5
    score.value += 5
    try: stack.loop()
    except: pass

def test_leave(score, max_score):
    max_score.value += 1
    score.value += 1
    try: stack.leave()
    except: pass

def test_interrupt(score, max_score):
    max_score.value += 1
    score.value += 1
    try: stack.interrupt()
    except: pass

def test_refused(score, max_score):
    max_score.value += 1
    score.value += 1
    try: stack.Stack().push(__import__("pytest"))
    except: pass
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a submission and a folder for tests."""
    make_folders(tmp_path, monkeypatch)
    (tmp_path / "handed" / "stack.py").write_text(STACK)
    return tmp_path


def test_tests_run_unmodified(here: Path) -> None:
    """Fixtures, points, captured output, temporary files, what is typed, unittest work as ever."""
    (here / "tests" / "Stack_Test.py").write_text(TESTS)
    entry = summary("tests", "--submission=handed")
    assert {"PASSED"} == {*verdicts(entry).values()}
    assert (19, 25.0, 25.0) == (len(entry["cases"]), entry["score"], entry["max_score"])
    assert "graded" == entry["status"]


def test_a_failure_shows_the_line_of_the_submission(here: Path) -> None:
    """An exception comes with the student's own lines; nothing of it obeys in the terminal."""
    (here / "handed" / "stack.py").write_text('def pop():\n    raise ValueError("no\\x1b[31m")\n')
    (here / "tests" / "test_it.py").write_text("import stack\ndef test_it(): stack.pop()\n")
    done = run("tests", "--submission=handed", "-p", "no:warnings")
    assert 1 == done.returncode
    assert "submission/stack.py:2: ValueError" in done.stdout
    assert "raise ValueError(" in done.stdout
    assert "\x1b" not in done.stdout


def test_a_test_cannot_swallow_what_went_wrong(here: Path) -> None:
    """Time-outs, exits and refusals are told, though the tests catch everything."""
    (here / "tests" / "Stack_Test.py").write_text(SWALLOWING)
    entry = summary("tests", "--submission=handed", "--seconds=1")
    assert {
        "test_right": "PASSED",
        "test_half": "WRONG",
        "test_nothing": "WRONG",
        "test_loop": "TIMED_OUT",
        "test_leave": "EXITED",
        "test_interrupt": "EXITED",
        "test_refused": "FAULT",
    } == verdicts(entry)
    points = {case["id"].rpartition("::")[2]: case["points"] for case in entry["cases"]}
    assert (2.0, 1.0) == (points["test_right"], points["test_half"])
    assert "fault" == entry["status"]


def test_a_module_that_cannot_be_imported_fails_the_tests_that_import_it(here: Path) -> None:
    """Whether it is missing or broken: as in pytest alone, but they are known one by one."""
    (here / "handed" / "broken.py").write_text("1 / 0\n")
    test = "def test_{0}(): stack.Stack()\n"
    for name in ("broken", "missing"):
        path = here / "tests" / f"test_{name}.py"
        path.write_text(f"import {name}, stack\n" + test.format(name))
    (here / "tests" / "test_stack.py").write_text("import stack\n" + test.format("stack"))
    (here / "tests" / "test_uses.py").write_text(
        "from stack import Base, SIZE\nclass Own(Base): pass\n"
        "ROWS = [2 * each for each in range(SIZE)] if SIZE < 3 else -SIZE / 2\n"
        + test.format("uses")
    )
    entry = summary("tests", "--submission=handed")
    left = dict.fromkeys(("test_broken", "test_missing", "test_uses"), "SKIPPED")
    assert {**left, "test_stack": "PASSED"} == verdicts(entry)
    assert 1.0 == entry["score"]


BONUS: Final = """\
import pytest, stack
try:
    from stack import bonus
except ImportError:
    bonus = None
try: import missing
except (ImportError, OSError): missing = None
try: import broken
except Exception: broken = None

def test_stack(): assert len(stack.Stack()) == 0
def test_none(): assert bonus is missing is broken is None
@pytest.mark.skipif(bonus is None, reason="no bonus")
def test_bonus(): assert bonus() == 1
"""
SKIPPING: Final = """\
import pytest, stack
try: from stack import bonus
except ImportError: pytest.skip("no bonus", allow_module_level=True)
def test_skipping(): assert bonus() == 1
"""


def test_tests_may_do_without_what_is_missing(here: Path) -> None:
    """Where a file puts something in its place; who is skipped for it can earn no less."""
    (here / "handed" / "broken.py").write_text("import nowhere\n")
    (here / "tests" / "test_bonus.py").write_text(BONUS)
    (here / "tests" / "test_skipping.py").write_text(SKIPPING)
    entry = summary("tests", "--submission=handed")
    expected = {"test_stack": "PASSED", "test_none": "PASSED", "test_skipping": "SKIPPED"}
    assert {**expected, "test_bonus": "NOT_RUN"} == verdicts(entry)
    assert (2.0, 4.0) == (entry["score"], entry["max_score"])


BYPASSING: Final = """\
import platform, subprocess, sys
import pytest, stack

def test_text():
    with open("stack.py") as file: assert "class" in file.read()
def test_file():
    try: subprocess.run([sys.executable, "handed/../stack.py"], check=True)
    except Exception: pass
def test_command(): subprocess.run([sys.executable, "-m", "stack"], check=True)
def test_program(): subprocess.run([sys.executable, "-c", "pass"], check=True)
def test_others(tmp_path):
    platform.processor()
    own = tmp_path / "stack.py"
    own.write_text("mine")
    assert own.read_text() == "mine"
    with pytest.raises(FileNotFoundError): open("heap.py")
"""


def test_tests_that_go_around_the_proxies_are_refused(here: Path) -> None:
    """A submission lies in no file of theirs: that is not held against it, swallowed or not."""
    (here / "tests" / "test_it.py").write_text(BYPASSING)
    done = run("tests", "--submission=handed")
    assert "test_it.py:5: a test reads stack.py as a file" in done.stdout
    assert "test_it.py:9: a test runs stack as a command" in done.stdout
    entry = summary("tests", "--submission=handed")
    refused = dict.fromkeys(("test_text", "test_file", "test_command", "test_program"), "FAULT")
    assert {**refused, "test_others": "PASSED"} == verdicts(entry)


def test_tests_that_were_handed_in_are_refused(here: Path) -> None:
    """Tests in the folder of the submission may have been changed by whoever handed it in."""
    (here / "handed" / "test_it.py").write_text("def test_it(): pass\n")
    done = run("handed/test_it.py", "--submission=handed")
    assert 2 == done.returncode
    assert "move your tests to a separate folder" in done.stderr
    done = run(".", "--submission=handed")
    assert "a student may have written these tests" in done.stderr


def test_tests_are_not_spread_over_processes(here: Path) -> None:
    """With `-n 2` they run one by one, and that is told."""
    (here / "tests" / "Stack_Test.py").write_text(TESTS.split("class OwnCase")[0])
    entry = summary("tests", "--submission=handed", "-n", "2")
    assert (17, {"PASSED"}) == (len(entry["cases"]), {*verdicts(entry).values()})
    assert "-n is ignored" in run("tests", "--submission=handed", "-n2").stderr


def test_json_is_for_tests(here: Path) -> None:
    """A suite has `grader check --json`."""
    (here / "suite.yaml").write_text("exercise: x\n")
    done = run("suite.yaml", "--submission=handed", "--json")
    assert 2 == done.returncode
    assert "grader check --json" in done.stderr


def test_what_lies_beside_the_tests_is_not_replaced(here: Path) -> None:
    """Neither the tests nor the standard library are taken from what was handed in."""
    (here / "handed" / "test_it.py").write_text("def test_it(): pass\n")
    (here / "handed" / "conftest.py").write_text("1 / 0\n")
    (here / "handed" / "colorsys.py").write_text("def rgb_to_hsv(*_): return 42\n")
    (here / "tests" / "test_it.py").write_text(
        "import colorsys, stack\ndef test_it(): assert colorsys.rgb_to_hsv(0, 0, 0) != 42\n"
    )
    assert {"test_it": "PASSED"} == verdicts(summary("tests", "--submission=handed"))


def test_a_helper_that_is_handed_in_as_well_is_that_of_the_tests(here: Path) -> None:
    """Whose `check` is called decides on every test. The same text is no other one."""
    (here / "tests" / "check.py").write_text("def check(it): assert it\n")
    (here / "tests" / "test_it.py").write_text(
        "import stack\nfrom check import check\ndef test_it(): check(not stack.Stack())\n"
    )
    (here / "handed" / "check.py").write_text("def check(it): assert it\n")
    done = run("tests", "--submission=handed")
    assert 0 == done.returncode
    assert "not taken" not in done.stderr
    (here / "handed" / "check.py").write_text("raise LookupError\n")
    done = run("tests", "--submission=handed")
    assert 0 == done.returncode
    assert "handed in is ignored: the tests use their own" in done.stderr


def test_an_exercise_with_the_name_of_a_standard_module_is_refused(here: Path) -> None:
    """Else the tests would try what Python has, and every submission would pass."""
    Path(here, "tests", "test_stack.py").write_text("import queue\ndef test_q(): queue.Queue()\n")
    Path(here, "queue.py").write_text("class Queue: pass\n")
    done = run("tests/test_stack.py", "--submission=queue.py")
    assert 2 == done.returncode
    assert "the tests would not import queue from the submission" in done.stderr
    assert "a unique name" in done.stderr


def test_a_submission_that_exits_while_it_is_shown_ends_no_other_test(here: Path) -> None:
    """A `__repr__` that exits costs the test that shows it; a broken fixture costs its points."""
    (here / "handed" / "stack.py").write_text(
        "class Stack:\n    def __repr__(self): raise SystemExit(0)\n"
    )
    (here / "tests" / "test_it.py").write_text(
        "import pytest, stack\n"
        "@pytest.fixture\n"
        "def made(): return stack.Stack()\n"
        "@pytest.fixture\n"
        "def full(made): made.push(1)\n"
        "def test_shown(made): assert made is None\n"
        "@pytest.mark.points(5)\n"
        "def test_full(full): pass\n"
        "def test_last(): pass\n"
    )
    entry = summary("tests", "--submission=handed")
    assert ["ERROR", "ERROR", "PASSED"] == list(verdicts(entry).values())
    assert (1.0, 7.0) == (entry["score"], entry["max_score"])


@pytest.mark.parametrize("points", ["'many'", "-3", "float('nan')"])
def test_points_that_are_no_number_are_refused(here: Path, points: str) -> None:
    """Before any test runs, with the name of the test."""
    (here / "tests" / "test_it.py").write_text(
        f"import pytest, stack\n@pytest.mark.points({points})\ndef test_it(): stack.Stack()\n"
    )
    done = run("tests", "--submission=handed")
    assert "test_it.py::test_it: the marker points has " in done.stdout + done.stderr
    assert "write a number from 0 to 1,000,000" in done.stdout + done.stderr
    assert "INTERNALERROR" not in done.stdout + done.stderr
    assert 0 != done.returncode


def test_where_no_test_is_found_it_is_our_fault(here: Path) -> None:
    """Nobody gets nothing out of nothing."""
    (here / "tests" / "test_it.py").write_text("import stack\n")
    assert "fault" == summary("tests", "--submission=handed")["status"]


SESSION: Final = """\
A file of text, with a session in it.

>>> from stack import Stack
>>> made = Stack()
>>> made.push(3)
>>> made.pop()
{}
"""


def test_a_session_of_doctest_is_a_test(here: Path) -> None:
    """Named, or found by a glob; one file that is called after its student is found as well."""
    (here / "tests" / "right.txt").write_text(SESSION.format(3))
    (here / "tests" / "wrong.rst").write_text(SESSION.format(4))
    (here / "emma.py").write_text(STACK)
    entry = summary("tests/right.txt", "--submission=emma.py")
    assert {"right.txt": "PASSED"} == verdicts(entry)
    entry = summary("tests", "--doctest-glob=*.rst", "--submission=emma.py")
    assert {"wrong.rst": "WRONG"} == verdicts(entry)


def test_an_exception_that_never_came_is_a_wrong_answer(here: Path) -> None:
    """As is whatever a test itself calls a failure."""
    (here / "tests" / "test_it.py").write_text(
        "import pytest, stack\n"
        "def test_raises():\n"
        "    with pytest.raises(IndexError): stack.Stack()\n"
        "def test_fail(): pytest.fail('no')\n"
    )
    entry = summary("tests", "--submission=handed")
    assert {"test_raises": "WRONG", "test_fail": "WRONG"} == verdicts(entry)


TEARDOWN: Final = """\
import pytest, stack

@pytest.fixture
def made():
    yield
    stack.Stack().pop()

def test_plain(made): pass

def test_recorded(record_property):
    for name in ("verdict", "points", "max_points", "raised", "title", "said"):
        record_property(name, 7)
    stack.Stack().pop()

def test_counted(made, score, max_score):
    score.value, max_score.value = 1, 2

class TestStack:
    def teardown_method(self): assert len(stack.Stack()) == 1
    def test_torn(self): pass
"""


def test_what_fails_after_a_test_costs_its_points(here: Path) -> None:
    """One that counts keeps its count; what a test records itself is not its result."""
    (here / "tests" / "test_it.py").write_text(TEARDOWN)
    entry = summary("tests", "--submission=handed")
    assert {
        "test_plain": "ERROR",
        "test_recorded": "ERROR",
        "test_counted": "WRONG",
        "test_torn": "ERROR",
    } == verdicts(entry)
    assert [0.0, 0.0, 1.0, 0.0] == [case["points"] for case in entry["cases"]]
    assert 5.0 == entry["max_score"]


SUBTESTS: Final = """\
import inspect, random, runpy, unittest
import stack

def test_right(subtests):
    for _ in range(2):
        with subtests.test(): assert len(stack.Stack()) == 0

def test_wrong(subtests):
    for number in range(3):
        with subtests.test(number=number): assert len(stack.Stack()) == number

def test_raised(subtests):
    with subtests.test(): stack.Stack().pop()

def test_loop(subtests):
    with subtests.test(): stack.loop()

class OwnCase(unittest.TestCase):
    def test_cases(self):
        for number in range(2):
            with self.subTest(number=number): self.assertEqual(len(stack.Stack()), number)
"""


def test_a_subtest_that_fails_fails_its_test(here: Path) -> None:
    """By its own verdict, and whatever it met is not lost to the subtests after it."""
    (here / "tests" / "test_it.py").write_text(SUBTESTS)
    entry = summary("tests", "--submission=handed", "--seconds=0.3")
    assert {
        "test_right": "PASSED",
        "test_wrong": "WRONG",
        "test_raised": "ERROR",
        "test_loop": "TIMED_OUT",
        "test_cases": "WRONG",
    } == verdicts(entry)
    assert (1.0, 5.0) == (entry["score"], entry["max_score"])
