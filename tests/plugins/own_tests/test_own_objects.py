"""What an instructor's own tests and a submission have of each other's objects."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from command_line import write
from own_tests import make_folders, summary, verdicts

pytestmark = pytest.mark.own_tests


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with one for a submission and one for tests."""
    return make_folders(tmp_path, monkeypatch)


def passed(submission: str, tests: str) -> None:
    """Assert that a submission passes tests."""
    write("handed/sol.py", submission)
    write("tests/test_sol.py", tests)
    found = verdicts(summary("tests", "--submission=handed"))
    assert found
    assert set(found.values()) == {"PASSED"}, found


USING: Final = """\
def at(items, key): return items[key]
def count(items): return items.count()
def has(items, item): return item in items
def add(items, item): items.add(item)
def give(items): return items
"""
CONTAINERS: Final = """\
import sol
class Counting(list):
    looked = 0
    def __getitem__(self, at):
        self.looked += 1
        return super().__getitem__(at)
class Noting(dict):
    asked = ()
    def __getitem__(self, key):
        self.asked += (key,)
        return super().__getitem__(key)
    def count(self): return len(self.asked)
class Doubling(set):
    def add(self, item): super().add(2 * item)
    def __contains__(self, item): return True

def test_list():
    items = Counting(range(10))
    assert [sol.at(items, 3), sol.at(items, 4), items.looked] == [3, 4, 2]
    assert sol.give(items) is items
def test_dict():
    items = Noting(a=1)
    assert (sol.at(items, "a"), sol.count(items), items.asked) == (1, 1, ("a",))
def test_set():
    items = Doubling()
    sol.add(items, 4)
    assert sol.has(items, 7) and items == {8}
"""


def test_containers_of_the_tests_do_what_their_classes_say() -> None:
    """Their operators are those of the tests, also where the submission uses them."""
    passed(USING, CONTAINERS)


def test_a_package_may_call_something_like_a_module_in_it() -> None:
    """To import that module takes nothing away, whichever comes first."""
    write("handed/units/__init__.py", "from .convert import convert\n")
    write("handed/units/convert.py", "def convert(x): return 2 * x\ndef back(x): return x / 2\n")
    tests = "import units\nfrom units.convert import back\n"
    write("tests/test_units.py", f"{tests}def test_it(): assert units.convert(back(4)) == 4\n")
    assert {"test_it": "PASSED"} == verdicts(summary("tests", "--submission=handed"))


GIVEN: Final = """\
import math, operator, time
from typing import Optional, get_type_hints
class Timer:
    def __init__(self, clock=time.monotonic, sleep=time.sleep):
        self.clock, self.sleep = clock, sleep
def first(items, default: Optional[int] = None): return default
def hint(): return get_type_hints(first)["default"]
WAYS = {"+": operator.add, "max": max, "root": math.sqrt, "ask": input, "see": vars}
"""
IDENTITY: Final = """\
import math, operator, time, typing
import sol
def test_identity():
    assert sol.Timer().clock is time.monotonic and sol.Timer().sleep is time.sleep
    assert sol.WAYS["+"] is operator.add and sol.WAYS["max"] is max
    assert sol.WAYS["root"](4) == math.sqrt(4)
    assert typing.get_origin(sol.hint()) is typing.Union
def test_what_does_more_stays_there():
    assert sol.WAYS["ask"] is not input and sol.WAYS["see"] is not vars
"""


def test_functions_that_only_compute_are_the_same_on_both_sides() -> None:
    """Also clocks, and words of `typing`; what can do more is run where the submission is."""
    passed(GIVEN, IDENTITY)
