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
    import dbm
    return dbm.open("names")
def listen():
    import socket
    return socket.socket()
limit = 3
def get_limit(): return limit
def up(): return time.monotonic() - START
"""
TESTS: Final = """\
import concurrent.futures, multiprocessing, os, pickle, sys, time
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
def test_pool():
    with multiprocessing.get_context("fork").Pool(2) as pool: pool.map(sol.double, [1, 2])
def test_executor():
    with concurrent.futures.ProcessPoolExecutor(2) as pool: list(pool.map(sol.double, [1, 2]))
def test_threads():
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        assert list(pool.map(sol.double, [1, 2])) == [2, 4]
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
    (here / "handed" / "loop.py").write_text(
        "import multiprocessing\nloop = multiprocessing.Queue()\n"
    )
    (here / "tests" / "test_loop.py").write_text("import loop\ndef test_loop(): assert loop.loop\n")
    (here / "tests" / "test_sol.py").write_text(TESTS)
    found = verdicts(summary("tests", "--submission=handed"))
    refused = (
        *("test_attack", "test_change", "test_saved", "test_handed", "test_system", "test_other"),
        *("test_process", "test_pool", "test_executor"),
    )
    lacking = ("test_lacking", "test_loop", "test_leading_out")
    assert dict.fromkeys(refused, "FAULT") | dict.fromkeys(lacking, "FORBIDDEN") == {
        name: verdict for name, verdict in found.items() if verdict != "PASSED"
    }
    assert not (here / "owned").exists()


def test_a_refusal_has_its_line_and_a_way_out(here: Path) -> None:
    """It says what a test does that cannot be, where, and what it could do."""
    (here / "handed" / "sol.py").write_text(HAND_IN)
    (here / "tests" / "test_sol.py").write_text(TESTS)
    said = run("tests", "--submission=handed").stdout
    assert "test_sol.py:20: a test unpickles posix.system, with which a submission" in said
    assert "let a function of the submission load the pickle" in said
    assert "test_sol.py:37: a test starts a process, which is blocked by the wall" in said
    assert "the submission uses dbm, which executors do not have" in said


SPEAKING: Final = """\
from __future__ import annotations
import os, sys
from dataclasses import dataclass
from typing import Generic, TypeVar
T = TypeVar("T")

COMMAND = "__import__('os').system('touch owned')"
class Point:
    def __init__(self, x): self.x = x
    def __repr__(self): return f"Point({self.x!r})"
    def __eq__(self, other): return type(other) is Point and other.x == self.x
class Evil:
    def __repr__(self): return COMMAND
class Pair(Generic[T]): pass
class Frames:
    def __repr__(self):
        return "(0 for i in ()).gi_frame.f_builtins['__import__']('os').system('touch owned')"
IMPORTING = "import shutil\\nshutil.copy('sol.py', 'owned')"
MATCHING = '''
match (0 for i in ()):
    case object(gi_frame=frame):
        frame["open"]("owned", "w")
'''
SETTING = "EXPECTED = 0"
NAMING = "EXPECTED"
CHANGING = "[KEPT.update(a=99), 1][1]"
class Skip:
    def __eq__(self, other): return "__import__('os').system('touch owned')"
    __hash__ = None
    def __bool__(self): return True
SKIP = Skip()
PROGRAM = "open('owned', 'w')"
def write(path):
    with open(path, "w") as file: file.write(PROGRAM)
class Quiet:
    def __repr__(self): return "subprocess.run(['touch', 'owned'])"
def text(x: Point) -> int: '''
    >>> __import__("os").system("touch owned")
    0
    '''
def odd(x): return x
odd.__annotations__ = {"x": COMMAND}
def hidden(x): return x
hidden.__annotations__ = {"x": "(lambda: 1)()"}
@dataclass
class Data:
    x: int = 0
    def __init_subclass__(cls): pass
@dataclass
class Odd:
    x: int = 0
    def __init_subclass__(cls): pass
Odd.__dataclass_fields__["x"].name = "x.__class__.__base__.__subclasses__()"

class Typed:
    def __set_name__(self, owner, name): self.name, self.slot = name, "_" + name
    def __get__(self, obj, owner=None): return self if obj is None else getattr(obj, self.slot)
    def __set__(self, obj, value): setattr(obj, self.slot, value)
def peek(obj): return obj._secret
def poke(obj): obj._secret = 2
def wraps(function): return function.__name__, function.__doc__
def main(): return sys.argv
def move(path):
    with open(path + ".part", "w") as file: file.write("done")
    os.replace(src=path + ".part", dst=path)
def remove(path): os.remove(path)
"""
HEARING: Final = """\
import collections, dataclasses, doctest, inspect, os, runpy, subprocess, sys, timeit, typing
from unittest.mock import Mock
import pytest
import sol
from sol import Point

def test_repr(): assert eval(repr(Point([1, 2.5, "a"]))) == Point([1, 2.5, "a"])
def test_own(): assert eval("1 + 2 * len('ab')") == 5
def test_hints(): assert typing.get_type_hints(sol.text) == {"x": Point, "return": int}
class Node:
    def __init__(self): self._secret = 1
class Shown(Node):
    value = sol.Typed()
class Built(Point):
    value = sol.Typed()
def test_descriptor():
    for shown in (Shown(), Built(1)):
        with pytest.raises(AttributeError): shown.value
        shown.value = 3
        assert shown.value == 3 and shown._value == 3
def test_private():
    node = Node()
    with pytest.raises(AttributeError): sol.peek(node)
    with pytest.raises(AttributeError): sol.poke(node)
    assert node._secret == 1
def test_mock(): assert sol.wraps(Mock(__name__="f", __doc__="d")) == ("f", "d")
def test_arguments(monkeypatch):
    before = list(sol.main())
    with monkeypatch.context() as patched:
        patched.setattr(sys, "argv", ["sol", "-x"])
        assert sol.main() == ["sol", "-x"]
    assert sol.main() == before
def test_files(tmp_path):
    place = tmp_path / "a.txt"
    sol.move(str(place))
    assert place.read_text() == "done" and os.listdir(tmp_path) == ["a.txt"]
    sol.remove(str(place))
    assert os.listdir(tmp_path) == []
    with pytest.raises(FileNotFoundError): sol.remove(str(place))

def test_evil():
    try: eval(repr(sol.Evil()))
    except Exception: pass
def test_quiet():
    try: exec(repr(sol.Quiet()))
    except Exception: pass
def test_frames():
    try: eval(repr(sol.Frames()))
    except Exception: pass
def test_importing():
    try: exec(sol.IMPORTING, {})
    except Exception: pass
def test_compiled():
    try: eval(compile(sol.COMMAND, "student", "eval"))
    except Exception: pass
def test_matching():
    try: exec(sol.MATCHING, {})
    except Exception: pass
EXPECTED = 1
def test_setting():
    try: exec(sol.SETTING, globals())
    except Exception: pass
    assert EXPECTED == 1
def test_naming():
    try: assert eval(sol.NAMING) == EXPECTED
    except Exception: pass
KEPT = {"a": 1}
def test_changing():
    try: eval(sol.CHANGING)
    except Exception: pass
    assert KEPT == {"a": 1}
@pytest.mark.skipif(sol.SKIP == False, reason="no bonus")
def test_skipped(): assert False
@pytest.mark.xfail(sol.COMMAND, strict=False)
def test_wip(): assert True
@pytest.mark.skipif("EXPECTED == 2")
def test_condition(): assert True
@pytest.mark.skipif(sol.COMMAND, condition="EXPECTED == 2", reason="")
def test_beside(): assert True
def test_timed():
    assert timeit.timeit("Point(1)", globals=globals(), number=2) > 0
    assert timeit.timeit(lambda: Point(1), number=2) > 0
def test_timing():
    try: timeit.timeit(sol.PROGRAM, number=1)
    except Exception: pass
def test_parsed():
    parsed = doctest.DocTestParser().get_doctest(f">>> {sol.PROGRAM}", {}, "s", None, 0)
    try: doctest.DocTestRunner().run(parsed)
    except Exception: pass
def test_written(tmp_path):
    sol.write(str(tmp_path / "written.py"))
    try: runpy.run_path(str(tmp_path / "written.py"))
    except Exception: pass
def test_imported(tmp_path, monkeypatch):
    sol.write(str(tmp_path / "imported.py"))
    monkeypatch.syspath_prepend(tmp_path)
    try: __import__('imported')
    except Exception: pass
def test_template(): assert collections.namedtuple("Pair", "a b")(1, 2).b == 2
def test_flag(): assert eval("not FLAG and Point(1) == Point(1)")
FLAG = False
def test_options():
    assert inspect.signature(obj=sol.Point, eval_str=True).parameters["x"].name == "x"
    assert typing.get_type_hints(obj=sol.text, include_extras=True)["x"] is Point
def test_annotation():
    try: typing.get_type_hints(sol.odd)
    except Exception: pass
    assert not os.path.exists("owned")
def test_hidden():
    try: inspect.signature(sol.hidden, eval_str=True)
    except Exception: pass
def test_dataclass():
    @dataclasses.dataclass
    class Mine(sol.Data):
        y: int = 1
    assert Mine(2, 3).y == 3
def test_odd():
    @dataclasses.dataclass(init=False)
    class Mine(sol.Odd): pass
    repr(Mine())
def test_classes():
    signature = inspect.signature(sol.Point)
    assert list(signature.parameters) == ["x"]
    assert signature.parameters["x"].default is inspect.Parameter.empty
    assert typing.get_type_hints(sol.Data) == {"x": int}
    assert typing.get_origin(sol.Pair[int]) is sol.Pair and typing.get_args(sol.Pair[int]) == (int,)
def test_examples():
    try: doctest.testmod(sol)
    except Exception: pass
def test_example():
    try: doctest.run_docstring_examples(sol.text, {})
    except Exception: pass
"""


def test_tests_run_nothing_that_a_submission_says(here: Path) -> None:
    """What it says is a value, its annotations are types, and what it may set is its own."""
    (here / "handed" / "sol.py").write_text(SPEAKING)
    (here / "tests" / "test_sol.py").write_text(HEARING)
    found = verdicts(summary("tests", "--submission=handed"))
    assert not (here / "owned").exists()
    refused = {
        *("evil", "quiet", "frames", "importing", "compiled", "matching", "setting"),
        *("hidden", "odd", "examples", "example", "naming", "changing", "timing", "parsed"),
        *("written", "imported"),
    }
    refusals = dict.fromkeys((f"test_{each}" for each in refused), "FAULT")
    assert {**refusals, "test_skipped": "NOT_RUN"} == {
        name: verdict for name, verdict in found.items() if verdict != "PASSED"
    }
