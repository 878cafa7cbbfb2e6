"""Tests that were written for Gradescope: what the decorators of gradescope-utils say counts."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Final

import pytest
from command_line import process, write
from documentation import BLOCKS
from own_tests import make_folders, run, summary, verdicts

from grader.errors import UsageError
from grader.plugins.own_tests.under_pytest.decorators import (
    read_decorated,
    read_score,
    require_library,
    unsupported_decorators,
)

pytestmark = pytest.mark.own_tests

DECORATORS: Final = '''\
"""A course's own: they set the attributes that those of gradescope-utils set."""
from functools import update_wrapper, wraps

def marker(name):
    def say(value):
        def mark(function):
            setattr(function, name, value)
            return function
        return mark
    return say

weight, number = marker("__weight__"), marker("__number__")
visibility, hide_errors = marker("__visibility__"), marker("__hide_errors__")

def tags(*names):
    return marker("__tags__")(names)

def handing(name, attribute, mark, value):
    def decorate(function):
        setattr(function, mark, value)
        @wraps(function)
        def wrapper(*args, **kwargs):
            kwargs[name] = lambda given: setattr(wrapper, attribute, given)
            try:
                return function(*args, **kwargs)
            finally:
                update_wrapper(wrapper, function)
        return wrapper
    return decorate

def partial_credit(weight):
    return handing("set_score", "__score__", "__weight__", weight)

def leaderboard(column):
    return handing(
        "set_leaderboard_value", "__leaderboard_value__", "__leaderboard_column__", column
    )
'''
SOLUTION: Final = """\
class Odd(int): pass
def add(a, b): return a + b
def odd(): return Odd(3)
def plain(): return 3
def nothing(): return None
class Stack:
    def push(self, item): raise KeyError("secret 42")
"""
TESTS: Final = """\
import unittest
import pytest
import sums
from decorators import hide_errors, leaderboard, number, partial_credit, visibility, weight

class TestSums(unittest.TestCase):
    @weight(2.5)
    @number("1.10")
    def test_add(self):
        self.assertEqual(3, sums.add(1, 2))
    @weight(4)
    @number("1.9")
    def test_wrong(self):
        self.assertEqual(4, sums.add(1, 2))
    @weight(0)
    def test_for_nothing(self):
        self.assertEqual(3, sums.add(1, 2))
    @partial_credit(10)
    def test_part(self, set_score=None):
        set_score(4.5)
    @partial_credit(10)
    def test_part_and_wrong(self, set_score=None):
        set_score(3)
        self.assertEqual(4, sums.add(1, 2))
    @partial_credit(10)
    def test_too_much(self, set_score=None):
        set_score(12)
    @partial_credit(10)
    def test_below_nothing(self, set_score=None):
        set_score(-2)
    @partial_credit(10)
    def test_unsaid(self, set_score=None):
        self.assertEqual(3, sums.add(1, 2))
    @partial_credit(10)
    def test_raises_unsaid(self, set_score=None):
        raise ValueError
    @partial_credit(10)
    def test_proxy(self, set_score=None):
        set_score(sums.odd())
    @partial_credit(10)
    def test_none(self, set_score=None):
        set_score(sums.nothing())
    @partial_credit(10)
    def test_plain(self, set_score=None):
        set_score(sums.plain())
    @leaderboard("fast")
    def test_fast(self, set_leaderboard_value=None):
        set_leaderboard_value(3)
    def test_unweighted(self):
        self.assertEqual(3, sums.add(1, 2))

@pytest.mark.parametrize("given", [7, None])
@partial_credit(10)
def test_each(given, set_score=None):
    if given is not None:
        set_score(given)
"""
POINTS: Final = {
    "test_add": ("PASSED", 2.5, 2.5),
    "test_wrong": ("WRONG", 0.0, 4.0),
    "test_for_nothing": ("PASSED", 0.0, 0.0),
    "test_part": ("WRONG", 4.5, 10.0),
    "test_part_and_wrong": ("WRONG", 3.0, 10.0),
    "test_too_much": ("PASSED", 10.0, 10.0),
    "test_below_nothing": ("WRONG", 0.0, 10.0),
    "test_unsaid": ("PASSED", 10.0, 10.0),
    "test_raises_unsaid": ("ERROR", 0.0, 10.0),
    "test_proxy": ("WRONG", 0.0, 10.0),
    "test_none": ("WRONG", 0.0, 10.0),
    "test_plain": ("WRONG", 3.0, 10.0),
    "test_fast": ("PASSED", 0.0, 0.0),
    "test_unweighted": ("PASSED", 1.0, 1.0),
    "test_each (1/2)": ("WRONG", 7.0, 10.0),
    "test_each (2/2)": ("PASSED", 10.0, 10.0),
}


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a submission, and with the decorators of a course."""
    make_folders(tmp_path, monkeypatch)
    write("handed/sums.py", SOLUTION)
    write("tests/decorators.py", DECORATORS)
    return tmp_path


@pytest.mark.usefixtures("course")
def test_points_are_those_of_the_decorators() -> None:
    """Weights count, and so does what is given to `set_score`; what is no number earns nothing."""
    write("tests/test_sums.py", TESTS)
    cases = summary("tests", "--submission=handed")["cases"]
    found = {
        case["id"].rpartition("::")[2]: (case["verdict"], case["points"], case["max_points"])
        for case in cases
    }
    assert POINTS == found
    assert ["test_wrong", "test_add"] == [case["id"].rpartition("::")[2] for case in cases[:2]]


HIDDEN: Final = '''\
import unittest
import sums
import decorators
from decorators import *

class TestStack(unittest.TestCase):
    @number("2")
    def test_seen(self):
        """What is seen."""
        self.assertEqual(4, sums.add(1, 2))
    @visibility("hidden")
    def test_never_named(self):
        """Nobody reads this."""
        self.assertEqual(40961, sums.add(1, 2))
    @partial_credit(4)
    @visibility("after_due_date")
    def test_named_later(self, set_score=None):
        set_score(1)
    @decorators.tags("a", "b")
    @visibility("after_due_date")
    def test_passed_unseen(self):
        self.assertEqual(3, sums.add(1, 2))
    @hide_errors("Look at <b>page 3</b>.")
    def test_told_otherwise(self):
        sums.Stack().push(1)
'''


@pytest.mark.usefixtures("course")
def test_a_student_reads_of_hidden_tests_how_many_there_are() -> None:
    """Neither names nor what was compared; of `hide_errors` the text, and of numbers the label."""
    write("tests/test_sums.py", HIDDEN)
    done = process("pytest", "tests", "--submission=handed", "--out=run", "--show=messages")
    assert 0 == done.code, done.err
    (path,) = (each for each in Path("run").glob("*/*.html") if "sheets" not in each.parts)
    text = " ".join(unescape(re.sub("<[^>]*>", " ", path.read_text())).split())
    assert "Hidden cases: 1.25 of 3 demands are met." in text
    assert "2) TestStack::test_seen" in text
    assert "Look at <b>page 3</b>." in text
    assert [] == [
        each
        for each in ("never_named", "named_later", "passed_unseen", "40961", "Nobody", "KeyError:")
        if each in path.read_text()
    ]
    (entry,) = json.loads(Path("run/results.json").read_text())["submissions"]
    assert 3 == sum(case["visibility"] == "hidden" for case in entry["cases"])
    assert (2.0, 8.0) == (entry["score"], entry["max_score"])
    assert "passed_unseen" not in done.err
    assert [
        'warning: @visibility("after_due_date") counts as "hidden", as the date is not known here',
        "warning: @tags is ignored: tags have no effect here",
    ] == [line for line in done.err.splitlines() if "@" in line]


@pytest.mark.usefixtures("course")
def test_what_cannot_be_is_a_fault_of_the_test_that_says_so() -> None:
    """The test is named, is not run, and costs nobody anything; all others are run."""
    write(
        "tests/test_sums.py",
        "import sums\nfrom decorators import *\n"
        "@weight(-1)\ndef test_below(): assert False\n"
        "@weight(sums.odd())\ndef test_foreign(): assert False\n"
        "@visibility('never')\ndef test_unseen(): assert False\n"
        "@weight(2)\ndef test_add(): assert sums.add(1, 2) == 3\n",
    )
    entry = summary("tests", "--submission=handed")
    faults = dict.fromkeys(("test_below", "test_foreign", "test_unseen"), "FAULT")
    assert {**faults, "test_add": "PASSED"} == verdicts(entry)
    assert ("fault", 2.0, 2.0) == (entry["status"], entry["score"], entry["max_score"])
    shown = run("tests", "--submission=handed").stdout
    assert "test_below: the weight is -1, but it must be from 0 to 1e+06" in shown
    assert "test_foreign: the weight is an object of the submission, which is no" in shown
    assert "test_unseen: the visibility is 'never', but it must be one of visible, hidden," in shown


@pytest.mark.parametrize("weight", [-1, 1e7, float("nan"), 10**400, "3", True, (), object()])
def test_a_weight_is_a_number(weight: object) -> None:
    """Anything else is told, and counts for nothing."""

    def test() -> None: ...

    vars(test)["__weight__"] = weight
    found = read_decorated(test)
    assert 0.0 == found.weight
    assert found.problem.startswith("the weight is ")


def test_two_weights_are_none() -> None:
    """A wrapper that has another weight than what it wraps says nothing that could count."""

    def test() -> None: ...

    def wrapper() -> None: ...

    vars(test)["__weight__"] = 5
    vars(wrapper).update(__weight__=10.0, __wrapped__=test)
    assert "several weights are set, but only one can count: 5 and 10" == (
        read_decorated(wrapper).problem
    )
    vars(wrapper)["__weight__"] = 5.0
    assert 5.0 == read_decorated(wrapper).weight


def test_a_score_is_found_below_other_wrappers() -> None:
    """Gradescope overlooks it there, and gives all points."""

    def test() -> None: ...

    def wrapper() -> None: ...

    vars(test)["__score__"] = 5
    vars(wrapper)["__wrapped__"] = test
    assert 5.0 == read_score(wrapper)


def test_what_is_not_read_is_told_by_name(tmp_path: Path) -> None:
    """Where a file calls it and has it from elsewhere; not where it has a function of that name."""
    (tmp_path / "decorators.py").write_text(DECORATORS)
    (tmp_path / "test_a.py").write_text(
        "from decorators import leaderboard as best\n@best(3)\ndef f(): 0"
    )
    (tmp_path / "test_b.py").write_text("import x.decorators\n@x.decorators.tags(3)\ndef f(): 0")
    (tmp_path / "test_c.py").write_text(
        "def merge_subtests(): 0\nmerge_subtests()\nd = 'after_due_date'"
    )
    assert ["@leaderboard", "@tags"] == [
        each.partition(" ")[0] for each in unsupported_decorators(sorted(tmp_path.glob("*.py")))
    ]


@pytest.mark.parametrize("name", ["after_due_date", "after_published"])
def test_a_date_is_told_to_be_unknown(name: str, tmp_path: Path) -> None:
    """Whichever of them a file uses, alone or not."""
    path = tmp_path / "test_a.py"
    path.write_text(f"from decorators import visibility\n@visibility('{name}')\ndef f(): 0")
    assert f'@visibility("{name}") counts as "hidden"' in str(list(unsupported_decorators([path])))


def test_the_library_is_never_a_submission_s(tmp_path: Path) -> None:
    """Where it is not installed, tests that import it are refused, with a way out."""
    path = tmp_path / "test_a.py"
    path.write_text("from gradescope_utils.autograder_utils.decorators import weight\n")
    with pytest.raises(UsageError, match="gradescope_utils, which is not installed"):
        require_library([path])
    (tmp_path / "gradescope_utils").mkdir()
    require_library([path])


@pytest.mark.usefixtures("course")
def test_the_example_of_the_page_is_run() -> None:
    """It has the points that the page says it has."""
    (example,) = (each.text for each in BLOCKS if each.file == "tests/test_square.py")
    write("tests/test_square.py", example)
    write("handed/square.py", "def square(x): return x * abs(x)\n")
    cases = summary("tests", "--submission=handed")["cases"]
    assert [(2.5, "public"), (2.0, "public"), (1.0, "hidden")] == [
        (each["points"], each["visibility"]) for each in cases
    ]
