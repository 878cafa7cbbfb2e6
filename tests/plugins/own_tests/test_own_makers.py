"""What makes code of what it is given: nothing of a submission is run by it among the tests."""

from __future__ import annotations

import marshal
from pathlib import Path
from typing import Final

import pytest
from own_tests import make_folders, run, summary, verdicts

pytestmark = pytest.mark.own_tests

HAND_IN: Final = """\
CODE = "__import__('os').system('x')"
class Text(str):
    def isidentifier(self): return True
    def __str__(self): return f"x: {CODE}"
    def __format__(self, spec): return f"x: {CODE}"
class Point:
    def __init__(self, x): self.x = x
    def __repr__(self): return f"Point({self.x})"
    def __eq__(self, other): return self.x == other.x
def name(): return "hidden - 1"
def text(): return "x = hidden"
def field(): return Text("a")
def plain(): return f"x: {CODE}"
def code(): return CODE
def marshalled(): return bytes.fromhex(COMPILED)
def function(): pass
function.__name__ = Text("function")
"""
TESTS: Final = """\
import collections, dataclasses, marshal, types, unittest.mock
import sol
from sol import Point
EXPECTED = 424242
def test_repr(): assert eval(repr(Point(1))) == Point(1)
def test_names(): eval(sol.name(), {"hidden": EXPECTED})
def test_names_of_exec(): exec(sol.text(), {"hidden": EXPECTED})
def test_dataclass(): dataclasses.make_dataclass("Made", [sol.field()])
def test_annotated():
    dataclasses.dataclass(type("Made", (), {"__annotations__": {sol.plain(): int}}))
def test_own_dataclass():
    made = dataclasses.make_dataclass("Made", [("a", int), "format"])
    assert made(1, 2).format == 2
def test_mock(): unittest.mock.create_autospec(sol.function)
def test_own_mock(): unittest.mock.create_autospec(test_mock)()
def test_tuple(): collections.namedtuple("Made", [sol.field()])
def test_bytes(): types.FunctionType(marshal.loads(sol.marshalled()), {})()
"""
NUMPY: Final = """\
import numpy, numpy.testing
import sol
def test_measured(): numpy.testing.measure(sol.code())
def test_own(): assert numpy.matrix("1 2")[0, 1] == numpy.array([1, 2])[1]
"""
TOP: Final = """\
import timeit
import sol
TOOK = timeit.timeit(sol.code(), number=1)
def test_took(): assert TOOK
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a submission that would be run."""
    make_folders(tmp_path, monkeypatch)
    compiled = marshal.dumps(compile("1", "sol.py", "exec")).hex()
    (tmp_path / "handed" / "sol.py").write_text(f"{HAND_IN}COMPILED = {compiled!r}\n")
    return tmp_path


def found_in(here: Path, tests: str) -> dict[str, str]:
    """Return the verdicts of `tests` that do not pass."""
    (here / "tests" / "test_sol.py").write_text(tests)
    found = verdicts(summary("tests", "--submission=handed"))
    return {name: verdict for name, verdict in found.items() if verdict != "PASSED"}


def test_nothing_is_made_of_a_text_of_a_submission(here: Path) -> None:
    """Neither of its names, nor of what a text says that it is; the tests' own are made."""
    refused = ("test_names", "test_names_of_exec", "test_dataclass", "test_mock", "test_bytes")
    not_made = {"test_annotated": "ERROR", "test_tuple": "ERROR"}
    assert dict.fromkeys(refused, "FAULT") | not_made == found_in(here, TESTS)


def test_numpy_runs_no_text(here: Path) -> None:
    """It has functions that do; all else works."""
    pytest.importorskip("numpy")
    assert {"test_measured": "FAULT"} == found_in(here, NUMPY)


def test_nothing_is_run_while_tests_are_collected(here: Path) -> None:
    """Who has a text run at the top of a file is told as in a test."""
    (here / "tests" / "test_sol.py").write_text(TOP)
    said = run("tests", "--submission=handed").stdout
    assert "a test lets timeit run a string that is in no file of the tests" in said


NATIVE: Final = """\
import importlib.machinery, importlib.util, shutil, sys, sysconfig
from pathlib import Path
import sol
FOLDER = Path(sysconfig.get_config_var("DESTSHARED") or "")
def test_native(tmp_path):
    for file in FOLDER.glob("_*.so"):
        name = file.name.partition(".")[0]
        if name in sys.modules: continue
        sol.name(), shutil.copy(file, tmp_path)
        spec = importlib.util.spec_from_file_location(name, tmp_path / file.name)
        try: importlib.util.module_from_spec(spec)
        except Exception: pass
        return
"""


def test_no_library_is_loaded_that_a_submission_may_have_written(here: Path) -> None:
    """A native module in a folder that both write in is refused, as one of Python is."""
    assert {"test_native": "FAULT"} == found_in(here, NATIVE)
