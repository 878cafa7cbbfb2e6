"""`grader pytest TESTS --out`: a class, graded by an instructor's own tests."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any, Final

import pytest
from command_line import Done, grader, process, write

pytestmark = pytest.mark.own_tests

TESTS: Final = '''\
import pytest
import stack

@pytest.mark.points(3)
def test_push():
    """What is pushed last lies on top. It is not copied."""
    made = stack.Stack()
    made.push(40961)
    assert made.pop() == 40961

def test_empty():
    assert len(stack.Stack()) == 0
'''
RIGHT: Final = """\
class Stack:
    def __init__(self): self.items = []
    def push(self, item): self.items.append(item)
    def pop(self): return self.items.pop()
    def __len__(self): return len(self.items)
"""
CLASS: Final = {
    "an/stack.py": RIGHT,
    "bo/stack.py": RIGHT.replace("return self.items.pop()", "return 7"),
    "<i>cy/stack.py": RIGHT.replace("return self.items.pop()", "raise KeyError('<b>gone</b>')"),
    "dee/my solution.txt": RIGHT,
    "eva/stack.py": f"{RIGHT}name = input('Name? ')\n",
}
COMMAND: Final = ("pytest", "tests", "--submission=class", "--out=run", "--title=Stacks & <b>")


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with tests, a class, and the run over both."""
    folder = tmp_path_factory.mktemp("course")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write("tests/test_stack.py", TESTS)
        for name, text in CLASS.items():
            write(f"class/{name}", text)
        done = process(*COMMAND, "--language=nl")
        assert (0, "") == (done.code, done.out)
    return folder


@pytest.fixture(autouse=True)
def here(course: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the course is the current one."""
    monkeypatch.chdir(course)
    for variable in ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "PYTEST_CURRENT_TEST"):
        monkeypatch.delenv(variable, raising=False)
    return course


def results(folder: str = "run") -> dict[str, Any]:
    """Return what came of each student."""
    told = json.loads(Path(folder, "results.json").read_text())
    return {each["student"]: each for each in told["submissions"]}


def page(student: str) -> str:
    """Return the text on the page of a student, without its markup."""
    (path,) = Path("run").glob(f"*/*{student}*.html")
    return " ".join(unescape(re.sub("<[^>]*>", " ", path.read_text())).split())


def test_everybody_has_a_record(course: Path) -> None:
    """Points by marker, and the verdict on each test, are in the results of the run."""
    found = results()
    scores = {student: each["score"] for student, each in found.items()}
    assert {"<i>cy": 1.0, "an": 4.0, "bo": 1.0, "dee": 4.0, "eva": 0.0} == scores
    assert {"stacks-b"} == {each["exercise"] for each in found.values()}
    verdicts = [[case["verdict"] for case in each["cases"]] for each in found.values()]
    assert [["ERROR", "PASSED"], ["PASSED", "PASSED"], ["WRONG", "PASSED"]] == verdicts[:3]
    assert (course / "run" / "index.html").is_file()


def test_what_is_not_called_python_is_tried_all_the_same() -> None:
    """A text file that defines what the tests ask of a module is that module."""
    assert any("my solution.txt" in each for each in results()["dee"]["remarks"])


def test_what_cannot_be_loaded_needs_a_person() -> None:
    """It is no failure of its tests; the page says why in words of ours, none of pytest's."""
    found = results()["eva"]
    assert ("ungradable", {"SKIPPED"}) == (
        found["status"], {case["verdict"] for case in found["cases"]}
    )  # fmt: skip
    assert "input()" in page("eva")
    assert "captured" not in page("eva")


def test_a_page_names_the_test_and_keeps_what_it_expects() -> None:
    """A student reads what is tested; not what was compared, which staff find in the record."""
    text = page("bo")
    assert "test_push" in text
    assert "Wat er getest wordt: What is pushed last lies on top." in text
    assert "Dit geeft iets anders dan deze test verwacht." in text
    assert "40961" not in text
    assert "It is not copied" not in text


def test_a_page_has_what_the_program_raised() -> None:
    """Its text and its line are the student's own; none of it is markup."""
    (path,) = Path("run").glob("*/*cy*.html")
    assert "Je programma gaf een fout: KeyError: '<b>gone</b>'" in page("cy")
    assert "regel 4, in pop" in page("cy")
    assert "<b>gone" not in path.read_text()


def test_the_same_command_goes_on(capfd: pytest.CaptureFixture[str]) -> None:
    """Nothing is tried again as long as tests and hand-ins are the same."""
    done = again(capfd)
    assert "5 of the submissions were graded before with the same tests" in done.err
    assert 5 == len(json.loads(done.out)["submissions"])


def again(capfd: pytest.CaptureFixture[str]) -> Done:
    """Give the command once more."""
    return grader(capfd, *COMMAND, "--language=nl", "--json")


def test_what_reads_runs_reads_this_one(capfd: pytest.CaptureFixture[str]) -> None:
    """It is shown, listed, compared and exported as any run is."""
    shown = grader(capfd, "show", "run", "bo").out
    assert "test_push" in shown
    assert "E       assert 7 == 40961" in shown  # staff read what pytest said
    assert "stacks-b" in grader(capfd, "runs", ".").out
    assert 0 == grader(capfd, "diff", "run", "run").code
    write("grades.csv", "student,mark\nan,\nbo,\n")
    done = grader(capfd, "export", "run", "--into", "grades.csv")
    assert 0 == done.code, done.err


def test_it_is_not_graded_again_on_a_suite(capfd: pytest.CaptureFixture[str]) -> None:
    """Its tests are not in the run; the command that made it is what goes on."""
    done = grader(capfd, "regrade", "run")
    assert 2 == done.code
    assert "repeat its `grader pytest` command" in done.err


def test_a_folder_with_the_module_is_the_work_of_one(capfd: pytest.CaptureFixture[str]) -> None:
    """Its files are not taken for students."""
    write("class/an/notes.py", "1 / 0\n")
    done = grader(capfd, "pytest", "tests", "--submission=class/an", "--out=one", "--json")
    (entry,) = json.loads(done.out)["submissions"]
    assert (4.0, "tests") == (entry["score"], entry["exercise"])
    Path("class/an/notes.py").unlink()


def test_tests_that_end_their_process_are_our_fault(capfd: pytest.CaptureFixture[str]) -> None:
    """Nobody loses points for them, and staff read what was said last."""
    write("broken/test_stack.py", "import stack\n")
    write("broken/conftest.py", "import os; os._exit(0)\n")
    done = grader(capfd, "pytest", "broken", "--submission=class/an", "--out=fault", "--json")
    assert 6 == done.code
    (entry,) = json.loads(done.out)["submissions"]
    assert "fault" == entry["status"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("tests", "--submission=class", "--out=x", "--attempt=best"), "--attempt best does not"),
        (("suite.yaml", "--submission=class", "--out=x"), "--out works with your own tests only"),
    ],
)
def test_what_is_not_there_is_refused(
    arguments: tuple[str, ...], said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """With what to do instead, and before anything is written."""
    done = grader(capfd, "pytest", *arguments)
    assert 2 == done.code
    assert said in done.err
    assert not Path("x").exists()
