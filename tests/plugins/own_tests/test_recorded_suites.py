"""`grader derive --from-tests`: an instructor's own tests become a first suite."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from command_line import Done, grader, process, write

pytestmark = pytest.mark.own_tests

REFERENCE: Final = """\
class Bag:
    def __init__(self, items=()): self.items = list(items)
    def add(self, item):
        self.items.append(item)
        return self
    def most(self, key=None):
        if not self.items: raise ValueError("an empty bag")
        return max(self.items, key=key)
    def __len__(self): return len(self.items)
    def __eq__(self, other): return sorted(self.items) == sorted(other.items)
def rows(bag): return [[each] for each in bag.items]
def half(numbers): return [each for each in numbers if each % 2]
def tell(bag): print(len(bag))
def is_full(bag): return len(bag.items) // 3
"""
WRONG: Final = REFERENCE.replace("max(", "min(")
TESTS: Final = '''\
import pytest
from bags import *

@pytest.fixture
def bag():
    return Bag([3, 1])

def test_most(bag):
    """The largest one is found."""
    assert bag.most() == 3
    assert bag.most(key=lambda item: -item) == 1

@pytest.mark.points(2)
@pytest.mark.parametrize("item", [2, 5])
def test_add(bag, item):
    assert bag.add(item) is bag
    assert len(bag) == 3
    assert bag == Bag([1, 3, item])

def test_empty():
    with pytest.raises(ValueError, match="empty"):
        Bag().most()

def test_half():
    numbers = [1, 2, 3]
    found = half(numbers)
    numbers.append(5)
    assert half(numbers) == [1, 3, 5]
    assert numbers == [1, 2, 3, 5]

def test_sorted(bag):
    assert sorted(half(bag.items)) == [1, 3]

def test_rows(bag):
    made = rows(bag)
    assert made[0] is not made[1]
    assert half(made[0]) == [3]

def test_print(bag, capsys):
    tell(bag)
    assert capsys.readouterr().out == "2\\n"

def test_full(bag):
    tell(bag)
    assert not is_full(bag)

def test_own_object(bag):
    assert len(bag) == 2
    bag.add(object())

def test_unseen(bag):
    assert isinstance(rows(bag), list)

def test_fails(bag):
    assert len(bag) == 7
'''


@pytest.fixture(scope="module")
def derived(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    """A folder with tests, a reference and the suite that was made of both, and what was said."""
    folder = tmp_path_factory.mktemp("derived")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write("tests/test_bags.py", TESTS)
        write("reference/bags.py", REFERENCE)
        write("wrong/bags.py", WRONG)
        said = process(
            *("derive", "--from-tests", "tests", "--reference", "reference"),
            *("--title", "Bags", "--out", "bags.yaml"),
        )
    return folder, said


@pytest.fixture(autouse=True)
def here(derived: tuple[Path, Done], monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder is the current one."""
    monkeypatch.chdir(derived[0])


@pytest.fixture(name="steps")
def steps_of_suite() -> dict[str, list[dict[str, Any]]]:
    """The steps of each session, without their groups."""
    suite = yaml.safe_load(Path("bags.yaml").read_text())
    return {
        session["id"]: [
            {k: v for k, v in step.items() if k != "group"} for step in session["steps"]
        ]
        for session in suite["sessions"]
    }


def test_it_holds_on_the_reference_and_tells_a_wrong_program(
    derived: tuple[Path, Done], capfd: pytest.CaptureFixture[str]
) -> None:
    """The suite can be used as it was written."""
    assert 0 == derived[1].code, derived[1].err
    assert "10 of 12 tests recorded and proven on the reference: bags.yaml" in derived[1].err
    assert 0 == grader(capfd, "check", "reference", "--exercise", "bags.yaml").code
    assert 1 == grader(capfd, "check", "wrong", "--exercise", "bags.yaml").code


def test_what_is_called_and_compared_is_there(steps: dict[str, list[dict[str, Any]]]) -> None:
    """Fixtures, arguments, exceptions, lambdas, operators, output and identity become steps."""
    made = {"do": "the_bag = Bag([3, 1])"}
    assert [
        made,
        {"do": "the_bag.most()", "returns": "3"},
        {"do": "the_bag.most(key=(lambda item: -item))", "returns": "1"},
    ] == steps["most"]
    assert [
        made,
        {"do": "the_bag.add(5)", "same_as": "the_bag"},
        {"do": "len(the_bag)", "returns": "3"},
        {"do": "the_bag_2 = Bag([1, 3, 5])"},
        {"do": "the_bag == the_bag_2", "returns": "True"},
    ] == steps["add-5"]
    assert [
        {"do": "the_bag = Bag()"},
        {"do": "the_bag.most()", "raises": "ValueError"},
    ] == steps["empty"]
    assert [made, {"do": "tell(the_bag)", "stdout": "2\n"}] == steps["print"]


def test_containers_are_as_the_test_has_made_them(steps: dict[str, list[dict[str, Any]]]) -> None:
    """A list that the test changes is changed; what it holds is reached; what it compares is."""
    assert [
        {"do": "the_list = [1, 2, 3]"},
        {"do": "half(the_list)"},
        {"do": "the_list[:] = [1, 2, 3, 5]"},
        {"do": "half(the_list)", "returns": "[1, 3, 5]"},
        {"do": "the_list", "returns": "[1, 2, 3, 5]"},
    ] == steps["half"]
    assert {"do": "sorted(the_half)", "returns": "[1, 3]"} == steps["sorted"][-1]
    assert [
        {"do": "the_bag = Bag([3, 1])"},
        {"do": "the_rows = rows(the_bag)"},
        {"do": "half(the_rows[0])", "returns": "[3]"},
    ] == steps["rows"]


def test_a_value_that_is_only_held_to_be_true_is_asked_for_that(
    steps: dict[str, list[dict[str, Any]]],
) -> None:
    """And what is printed counts where a test captures it."""
    assert {"do": "bool(is_full(the_bag))", "returns": "False"} == steps["full"][-1]
    assert {"do": "tell(the_bag)"} in steps["full"]


def test_what_could_not_be_recorded_is_listed(derived: tuple[Path, Done]) -> None:
    """In the terminal and on top of the file, with the reason."""
    text = Path("bags.yaml").read_text()
    for told in (
        (
            "test_own_object: a value of the class object cannot be written as code;"
            " the rest of the test is left out"
        ),
        "test_unseen: it compares no result of the reference directly",
        "test_fails: the test does not pass on the reference; the whole test is left out",
    ):
        assert f"# - test_bags.py::{told}\n" in text
        assert f"warning: test_bags.py::{told}\n" in derived[1].err


def test_points_and_titles_are_those_of_the_tests() -> None:
    """A marker counts for each set of parameters, which share a group."""
    suite = yaml.safe_load(Path("bags.yaml").read_text())
    groups = {group["id"]: group["points"] for group in suite["groups"]}
    assert (1, 4) == (groups["most"], groups["add"])
    assert "The largest one is found." == suite["sessions"][0]["title"]
    assert ["Bag", "half", "is_full", "rows", "tell"] == suite["defines"]


def test_nothing_is_written_over(capfd: pytest.CaptureFixture[str]) -> None:
    """The suite may have been edited since."""
    derive = ("derive", "--from-tests", "tests", "--reference", "reference", "--title", "Bags")
    done = grader(capfd, *derive)
    assert 2 == done.code
    assert "bags.yaml already exists, and may have been edited" in done.err


@pytest.mark.parametrize(
    "arguments", [("spec.md", "--from-tests", "tests", "--reference", "reference"), ()]
)
def test_a_spec_or_tests(arguments: tuple[str, ...], capfd: pytest.CaptureFixture[str]) -> None:
    """One of them says what the suite is to ask."""
    assert 2 == grader(capfd, "derive", *arguments).code
