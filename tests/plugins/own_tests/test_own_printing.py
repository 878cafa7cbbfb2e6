"""What a submission prints under an instructor's own tests, little or much."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest
from own_tests import make_folders, run, verdicts

pytestmark = pytest.mark.commands

HAND_IN: Final = """\
import sys

def flood(chars):
    for _ in range(chars // 1000): print("x" * 999)
    return chars
def at_once(chars):
    print("\\u4e2d" * chars, file=sys.stderr)
    return chars
def lines(count):
    for number in range(count): print(number)
def forever():
    while True: print("x" * 100_000)
class Loud:
    def __hash__(self):
        print("y" * 100_000)
        return 1
    def __eq__(self, other): return True
def put(values, value): values.add(value)
"""
TESTS: Final = """\
import contextlib, io
import pytest
import loud

def test_flood(): assert loud.flood(15_000_000) == 15_000_000
def test_at_once(): assert loud.at_once(12_000_000) == 12_000_000
def test_unread(capsys): assert loud.flood(15_000_000) == 15_000_000
def test_whole(capsys):
    loud.lines(200_000)
    out = capsys.readouterr().out
    assert out == "".join(f"{each}\\n" for each in range(200_000))
def test_wrong(capsys):
    loud.lines(200_000)
    assert capsys.readouterr().out == ""
def test_cut(capsys):
    loud.flood(15_000_000)
    try: assert capsys.readouterr().out == ""
    except: pass
def test_redirected():
    with contextlib.redirect_stdout(io.StringIO()) as out:
        loud.flood(15_000_000)
    assert len(out.getvalue()) == 15_000_000
def test_hashed(capsys):
    values = set()
    loud.put(values, loud.Loud())
    values.add(loud.Loud())
    assert len(values) == 1
    assert set(capsys.readouterr().out) == {"y", "\\n"}
def test_next(capsys):
    loud.lines(3)
    assert capsys.readouterr().out == "0\\n1\\n2\\n"
def test_forever(): loud.forever()
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in."""
    return make_folders(tmp_path, monkeypatch)


@pytest.mark.parametrize("fresh", ["test", "session"])
def test_printing_alone_fails_no_test(here: Path, fresh: str) -> None:
    """However much is printed; only a test that reads more than is kept is told so."""
    (here / "handed" / "loud.py").write_text(HAND_IN)
    (here / "tests" / "test_loud.py").write_text(TESTS)
    done = run("tests", "--submission=handed", "--json", "--seconds=4", f"--fresh={fresh}")
    (entry,) = json.loads(done.stdout)["submissions"]
    found = verdicts(entry)
    assert {
        "test_flood": "PASSED",
        "test_at_once": "PASSED",
        "test_unread": "PASSED",
        "test_whole": "PASSED",
        "test_wrong": "WRONG",
        "test_cut": "OUTPUT",
        "test_redirected": "OUTPUT",
        "test_hashed": "PASSED",
        "test_forever": "TIMED_OUT",
        "test_next": "PASSED",
    } == found
    assert "test_loud.py:17: the submission prints more than" in done.stderr
