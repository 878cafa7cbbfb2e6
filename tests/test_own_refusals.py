"""What tests do with a submission that goes out of their process, and what comes back of it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from own_tests import make_folders, run, summary, verdicts

pytestmark = pytest.mark.commands

HAND_IN: Final = """\
import os, pickle, time
START = time.monotonic()

class Point:
    def __init__(self, x): self.x = x
    def __eq__(self, other): return type(other) is Point and other.x == self.x
class Meta(type): pass
class Odd(metaclass=Meta): pass
class Locked:
    def __init__(self): self.run = lambda: 1
class Evil:
    def __reduce__(self): return os.system, ("touch owned",)
def save(): return pickle.dumps(Point(1))
def load(data): return pickle.loads(data)
def attack(): return pickle.dumps(Evil())
def change():
    return b"cfractions\\nFraction\\n(N}S'__eq__'\\ncbuiltins\\nlist\\nst" + b"b."
def plain(): return pickle.dumps({"a": [1, 2.5, (None, True)], "b": {1, 2}})
def pickled(value): return pickle.dumps(value)
def double(x): return 2 * x
import concurrent.futures as futures
def connect():
    import sqlite3
    return sqlite3.connect(":memory:")
def listen():
    import socket
    return socket.socket()
limit = 3
def get_limit(): return limit
def up(): return time.monotonic() - START
"""
TESTS: Final = """\
import multiprocessing, os, pickle, sys, time
from unittest.mock import patch
import pytest
import sol

def test_pickled():
    p = sol.Point([1, (2,)])
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        q = pickle.loads(pickle.dumps(p, protocol))
        assert q == p and q is not p and type(q) is sol.Point
    assert pickle.loads(pickle.dumps([p, p, 3]))[0].x == [1, (2,)]
def test_names():
    assert pickle.loads(pickle.dumps((sol.Point, sol.Odd, sol.double))) == (
        sol.Point, sol.Odd, sol.double)
def test_locked():
    with pytest.raises((pickle.PicklingError, AttributeError)): pickle.dumps(sol.Locked())
def test_there(): assert sol.load(sol.save()) == sol.Point(1)
def test_plain(): assert pickle.loads(sol.plain()) == {"a": [1, 2.5, (None, True)], "b": {1, 2}}
def test_attack():
    try: pickle.loads(sol.attack())
    except Exception: pass
def test_change(): pickle.loads(sol.change())
def test_saved(): assert pickle.loads(sol.save()).x == 1
def test_handed(): assert sol.load(pickle.dumps(sol.Point(1))).x == 1
class Mine: pass
def test_theirs():
    with pytest.raises(TypeError): sol.pickled(Mine())
def test_vars():
    with patch.dict(vars(sol), limit=5): assert sol.get_limit() == 5
    with patch.dict(sol.__dict__, {"limit": 6, "other": 1}): assert sol.get_limit() == 6
    assert sol.get_limit() == 3 and "other" not in vars(sol) and vars(sol)["limit"] == 3
def test_system():
    os.system(f"{sys.executable} sol.py")
def test_other(): assert open("notes.py").read()
def test_process():
    other = multiprocessing.get_context("fork").Process(target=sol.double, args=(2,))
    other.start(), other.join()
def test_lacking():
    try: sol.connect()
    except ImportError: pass
def test_leading_out(): sol.listen()
def test_deep():
    def deeper():
        sol.double(2)
        deeper()
    with pytest.raises(RecursionError): deeper()
    assert sol.double(2) == 4
def test_slow(): time.sleep(0.4)
def test_up(): assert sol.up() < 0.3
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in."""
    return make_folders(tmp_path, monkeypatch)


def test_what_leaves_the_process_of_a_test(here: Path) -> None:
    """It works where nothing of a submission is run in the tests' process, or is refused."""
    (here / "handed" / "sol.py").write_text(HAND_IN)
    (here / "handed" / "notes.py").write_text("x = 1\n")
    (here / "handed" / "loop.py").write_text("import asyncio\nloop = asyncio.new_event_loop()\n")
    (here / "tests" / "test_loop.py").write_text("import loop\ndef test_loop(): assert loop.loop\n")
    (here / "tests" / "test_sol.py").write_text(TESTS)
    found = verdicts(summary("tests", "--submission=handed"))
    refused = (
        *("test_attack", "test_change", "test_saved", "test_handed", "test_system", "test_other"),
        *("test_process", "test_lacking", "test_loop"),
    )
    assert {**dict.fromkeys(refused, "FAULT"), "test_leading_out": "FORBIDDEN"} == {
        name: verdict for name, verdict in found.items() if verdict != "PASSED"
    }
    assert not (here / "owned").exists()


def test_a_refusal_has_its_line_and_a_way_out(here: Path) -> None:
    """It says what a test does that cannot be, where, and what it could do."""
    (here / "handed" / "sol.py").write_text(HAND_IN)
    (here / "tests" / "test_sol.py").write_text(TESTS)
    said = run("tests", "--submission=handed").stdout
    assert "test_sol.py:20: a test unpickles posix.system: a pickle that a submission" in said
    assert "let the submission load it, by a function of its own" in said
    assert "a test uses the submission in a process that it has started" in said
    assert "the submission uses sqlite3, which is not there where it lives" in said
