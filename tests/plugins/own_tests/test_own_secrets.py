"""What a hand-in can tell its student of the tests, and how long it can take."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

import pytest
from command_line import write
from own_tests import make_folders, run, summary, verdicts

pytestmark = pytest.mark.own_tests

LEAKING: Final = """\
KEPT = []
class Value:
    def __eq__(self, other):
        KEPT.append(other)
        raise type(f"Found{other}", (Exception,), {})(f"leak {other!r}")
    __hash__ = None
def value(): return Value()
def later(): raise KeyError(KEPT)
def plain(x): raise ValueError(f"not for {x}")
"""
TESTS: Final = """\
import sol
def test_plain(): assert sol.plain(7) == 424242
def test_other(): sol.later()
def test_now(): assert sol.value() == 424242
def test_later():
    try: sol.value() == 424242
    except Exception: pass
    sol.later()
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with one for a submission and one for tests."""
    return make_folders(tmp_path, monkeypatch)


def test_what_it_was_compared_with_stays_untold() -> None:
    """Neither by a text, nor a class or a line, nor later; what it raises before that is told."""
    write("handed/sol.py", LEAKING)
    write("tests/test_it.py", TESTS)
    done = run("tests", "--submission=handed", "--out=out")
    assert 0 == done.returncode, done.stderr
    (page,) = (path for path in Path("out").rglob("*.html") if path.parent != Path("out"))
    text = page.read_text()
    assert "424242" not in text
    assert "Your program raised: ValueError: not for 7" in text
    assert "Your program raised: KeyError: []" in text


NAMED: Final = """\
import pytest, sol
CASES = {"small": (1, 424242), "large": (2, 424242)}
@pytest.fixture(params=[424242, 424243])
def expected(request): return request.param
@pytest.mark.parametrize(("n", "e"), [(3, 424242), (5, 424242)])
def test_pairs(n, e): assert sol.f(n) == e
@pytest.mark.parametrize(("n", "e"), CASES.values(), ids=CASES)
def test_named(n, e): assert sol.f(n) == e
@pytest.mark.parametrize("e", [pytest.param(424242, id="one"), pytest.param(1, id=f"{424242}!")])
def test_param(e): assert sol.f(1) == e
@pytest.mark.parametrize("e", ["424242", "424243"], ids=str)
def test_worked_out(e): assert sol.f(1) == e
def test_fixture(expected): assert sol.f(1) == expected
class TestMade: pass
for e in (424242, 424243): setattr(TestMade, f"test_{e}", lambda self, e=e: sol.wrong())
"""


def test_the_name_of_a_test_says_nothing_of_its_values() -> None:
    """An id that was given by hand is told; of others, which one it is, unless all is shown."""
    write("handed/sol.py", "def f(n): return 0\n")
    write("tests/test_it.py", NAMED)
    names = [
        each["id"].partition("::")[2] for each in summary("tests", "--submission=handed")["cases"]
    ]
    assert [
        *("test_pairs (1/2)", "test_pairs (2/2)", "test_named[small]", "test_named[large]"),
        *("test_param (1/2)", "test_param (2/2)", "test_worked_out (1/2)", "test_worked_out (2/2)"),
        *(
            "test_fixture (1/2)",
            "test_fixture (2/2)",
            "TestMade::test (1/2)",
            "TestMade::test (2/2)",
        ),
    ] == names
    assert 0 == run("tests", "--submission=handed", "--out=out").returncode
    assert "424242" not in "".join(
        each.read_text() for each in Path("out").rglob("*.html") if each.parent != Path("out")
    )
    entry = summary("tests", "--submission=handed", "--show=messages")
    assert "test_pairs[3-424242]" in verdicts(entry)


CARRYING: Final = """\
MODULE = []
class Value:
    def __init__(self, kept): self.kept = kept
    def __eq__(self, other):
        MODULE.append(other), self.kept.append(other)
        return True
class Honest:
    def __eq__(self, other): return False
def tell(*kept): raise ValueError(f"kept {kept} {MODULE}")
"""
TOLD: Final = """\
import sol
KEPT = []
def test_honest(): assert sol.Honest() != 424242
def test_before(): sol.tell(*KEPT)
def test_by_name():
    sol.Value([]).__eq__(424242)
    sol.tell()
def test_by_class():
    sol.Value.__dict__["__eq__"](sol.Value([]), 424242)
    sol.tell()
def test_kept(): assert sol.Value(KEPT) == 424242
def test_after(): sol.tell(*KEPT)
"""


def test_what_was_compared_is_carried_to_no_other_test() -> None:
    """By an object, a module, or an operator by its name; yes or no carries nothing."""
    write("handed/sol.py", CARRYING)
    write("tests/test_it.py", TOLD)
    assert 0 == run("tests", "--submission=handed", "--out=out").returncode
    (page,) = (path for path in Path("out").rglob("*.html") if path.parent != Path("out"))
    text = page.read_text()
    assert "424242" not in text
    assert "Your program raised: ValueError: kept () []" in text


def test_all_tests_of_a_hand_in_have_a_time() -> None:
    """Those that come after it have a moment each."""
    write("handed/sol.py", "import time\ndef wait(): time.sleep(25)\ndef f(): return 1\n")
    tests = "".join(f"def test_wait{number}(): sol.wait()\n" for number in range(8))
    write("tests/test_it.py", f"import sol\n{tests}def test_last(): assert sol.f() == 1\n")
    begin_s = time.monotonic()
    found = verdicts(summary("tests", "--submission=handed"))
    assert 8 * 25 > time.monotonic() - begin_s
    assert "PASSED" == found.pop("test_last")
    assert {"PASSED", "TIMED_OUT"} == {*found.values()}


SKIPPING: Final = """\
import sys
import pytest
import sol
BONUS = sol.BONUS
no_bonus = pytest.mark.skipif(not BONUS, reason="no bonus")
@no_bonus
def test_bonus(): assert sol.f() == 2
@pytest.mark.xfail(sol.WIP, reason="not yet")
def test_wip(): assert sol.f() == 2
def test_asked():
    if sol.f() != 2: pytest.skip("not what it should be")
def test_plain(): assert sol.f() == 1
"""
HERS: Final = """\
import sys
import pytest
import sol
@pytest.mark.skipif(sys.version_info > (3,), reason="for an old Python")
def test_old(): assert sol.f() == 1
@pytest.mark.skip
def test_later(): assert sol.f() == 1
@pytest.mark.xfail(reason="never")
def test_never(): assert sol.f() == 2
def test_package(): pytest.importorskip("no_such_package")
def test_plain(): assert sol.f() == 1
"""


def test_who_is_skipped_by_her_own_doing_can_earn_no_less() -> None:
    """What a submission decides counts; what the instructor does is nobody's test."""
    write("handed/sol.py", "BONUS = False\nWIP = True\ndef f(): return 1\n")
    write("tests/test_it.py", SKIPPING)
    entry = summary("tests", "--submission=handed")
    assert (1.0, 4.0) == (entry["score"], entry["max_score"])
    write("tests/test_it.py", HERS)
    entry = summary("tests", "--submission=handed")
    assert (1.0, 1.0) == (entry["score"], entry["max_score"])


READING: Final = """\
import os, sol
def test_read(): assert open({path!r}).read() == "data"
def test_caught():
    try: open({path!r})
    except OSError: assert sol.f() == 1
def test_absent(): open("/nowhere/at/all")
def test_rights(): assert os.environ.get("GRADER_SECRET") is None and os.getuid() != 0
"""


def test_what_else_tests_read_is_granted_by_name(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A test that fails for want of it is held against nobody, and says what helps."""
    monkeypatch.setenv("GRADER_SECRET", "secret")
    write("data/numbers.txt", "data")
    write("handed/sol.py", "def f(): return 1\n")
    write("tests/test_it.py", READING.format(path=str(here / "data" / "numbers.txt")))
    done = run("tests", "--submission=handed")
    assert f"add: --read {here}/data/numbers.txt" in done.stderr
    found = verdicts(summary("tests", "--submission=handed"))
    assert ("FAULT", "PASSED", "ERROR") == (
        found["test_read"], found["test_caught"], found["test_absent"]
    )  # fmt: skip
    granted = verdicts(summary("tests", "--submission=handed", "--read", "data"))
    assert "PASSED" == granted["test_read"] == granted["test_rights"]
