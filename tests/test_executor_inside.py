"""What a submission finds in an executor, and that sabotage there breaks nothing of ours."""

from __future__ import annotations

import pytest
from executor_sessions import gave, run

from grader.protocol import MAX_STDOUT_CHARS
from grader.sandbox.observation import Observation, Raised, Returned
from grader.sandbox.zygote import Zygote
from grader.suite.limits import Limits
from grader.values.decoding import decode
from grader.values.tree import Atom, Value


def python(value: object) -> Value:
    """Return a built-in `value` as the judge sees it."""
    tags: dict[type, str] = {list: "l", tuple: "t"}

    def tagged(each: object) -> object:
        if isinstance(each, list | tuple):
            return [tags[type(each)], [tagged(item) for item in each]]
        return each

    return decode(tagged(value))


def raised(observation: Observation) -> tuple[str, str]:
    """Return type and message of the exception that a step raised."""
    assert isinstance(observation.outcome, Raised), observation
    return observation.outcome.type_names[0], observation.outcome.message


def test_executors_do_not_see_each_other(zygote: Zygote) -> None:
    """What one session leaves behind in its interpreter is gone in the next."""
    source = "import sys\ndef f():\n  sys.seen = getattr(sys, 'seen', 0) + 1\n  return sys.seen\n"
    assert [Atom(1)] * 3 == [gave(zygote, source) for _ in range(3)]


def test_the_process_tells_nothing(zygote: Zygote) -> None:
    """No environment, no arguments, no path, no module of ours, nothing on standard input."""
    source = """
        import os, sys
        def f():
            ours = [name for name in sys.modules if name.startswith("grader")]
            return (
                len(os.environ), sys.argv, sys.path, ours, sys.stdin.read(), __name__, __file__
            )
    """
    assert python((0, [""], [], [], "", "sample", "sample.py")) == gave(zygote, source)


def test_garbage_is_collected(zygote: Zygote) -> None:
    """An executor has its collector at work."""
    assert Atom(value=True) == gave(zygote, "import gc\nf = gc.isenabled")


def test_text_streams(zygote: Zygote) -> None:
    """Printing is kept per step, errors apart from it; streams can be asked what programs ask."""
    source = """
        import sys
        print("import")
        def f():
            print("out", end="")
            print("err", file=sys.stderr)
            sys.stdout.write("!")
            sys.stdout.flush()
            sys.stdout.reconfigure(encoding="utf-8")
            return sys.stdout.isatty(), sys.stdout.encoding
    """
    seen = run(zygote, source, "f()", "print('x')")
    assert "import\n" == seen.imported.observation.stdout
    assert ["out!", "x\n"] == [each.stdout for each in seen.observations]
    first = seen.observations[0].outcome
    assert isinstance(first, Returned)
    assert python((False, "utf-8")) == first.value


def test_a_stream_that_was_replaced_is_put_back(zygote: Zygote) -> None:
    """A step that forgets to restore `sys.stdout` does not silence the next."""
    source = "import io, sys\ndef f():\n  sys.stdout = io.StringIO()\n  print('lost')\n"
    assert ["", "x\n"] == [
        each.stdout for each in run(zygote, source, "f()", "print('x')").observations
    ]


def test_too_much_output_is_remembered(zygote: Zygote) -> None:
    """A flood is cut off, also where the submission swallows every exception."""
    source = """
        def flood():
            while True:
                print("x" * 100)
        def swallowed():
            for _ in range(100):
                try:
                    print("x" * 100)
                except BaseException:
                    pass
            return 5
    """
    limits = Limits(output_chars=1_000)
    for code in ("flood()", "swallowed()"):
        first, second = run(zygote, source, code, "print(1)", limits=limits).observations
        assert first.overflowed
        assert len(first.stdout) <= MAX_STDOUT_CHARS
        assert ("1\n", False) == (second.stdout, second.overflowed)


@pytest.mark.parametrize(
    ("code", "type_name", "message"),
    [
        ("input('?')", "EOFError", "input() was called"),
        ("exit()", "SystemExit", ""),
        ("quit(3)", "SystemExit", "3"),
        ("open('suite.yaml')", "FileNotFoundError", "suite.yaml"),
        ("open('/etc/passwd')", "FileNotFoundError", "/etc/passwd"),
        ("open('../suite.yaml')", "FileNotFoundError", "suite.yaml"),
        ("open('akari.txt', 'x')", "FileExistsError", "akari.txt"),
        ("open('akari.txt', 'z')", "ValueError", "invalid mode"),
        ("open(0)", "OSError", "Bad file descriptor"),
        ("open(None)", "TypeError", ""),
        ("open('latin.txt').read()", "UnicodeDecodeError", "utf-8"),
        ("__import__('os').listdir('/etc')", "FileNotFoundError", "/etc"),
        ("__import__('os').stat('/etc/passwd')", "FileNotFoundError", "/etc/passwd"),
        ("__import__('os').scandir('/etc')", "FileNotFoundError", "/etc"),
        ("__import__('os').remove('/etc/passwd')", "FileNotFoundError", "/etc/passwd"),
        ("__import__('os').mkdir('/etc/new')", "FileNotFoundError", "/etc/new"),
        ("__import__('os').open('/etc/passwd', 0)", "FileNotFoundError", "/etc/passwd"),
        ("__import__('os').open('/proc/self/mem', 2)", "FileNotFoundError", "/proc/self/mem"),
        ("__import__('posix').open('/etc/passwd', 0)", "ModuleNotAllowed", "not allowed"),
        ("__import__('os').readlink('/proc/self/exe')", "PermissionError", ""),
        ("__import__('os').fork()", "PermissionError", ""),
        ("__import__('os').kill(1, 9)", "PermissionError", ""),
        ("__import__('numpy').array", "ModuleNotAllowed", "'numpy' is not allowed"),
        ("__import__('grader')", "ModuleNotFoundError", "No module named 'grader'"),
        ("__import__('ctypes').CDLL", "ModuleNotAllowed", "'ctypes' is not allowed"),
        ("__import__('subprocess').run", "ModuleNotAllowed", "not allowed"),
        ("undefined", "NameError", "undefined"),
    ],
)
def test_what_is_not_there_says_so(zygote: Zygote, code: str, type_name: str, message: str) -> None:
    """Files, modules and people that are not there give the exception that students know."""
    (observation,) = run(zygote, "", code).observations
    assert type_name == raised(observation)[0]
    assert message in raised(observation)[1]


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("open('akari.txt').read()", "1 1\n\u25cf\n"),
        ("open('./akari.txt', encoding='utf-8').read()", "1 1\n\u25cf\n"),
        ("open('akari.txt').readlines()", ["1 1\n", "\u25cf\n"]),
        ("open('data/deep.txt').read()", "deep"),
        ("open('data\\\\deep.txt').read()", "deep"),
        ("open(b'data/../akari.txt').readline()", "1 1\n"),
        ("open('latin.txt', encoding='latin-1').read()", "\u00e9"),
        ("open('latin.txt', errors='replace').read()", "\ufffd"),
        ("open('data/deep.txt', 'rb').read().decode()", "deep"),
        ("__import__('pathlib').Path('akari.txt').read_text()", "1 1\n\u25cf\n"),
        ("__import__('pathlib').Path('data', 'deep.txt').read_bytes().decode()", "deep"),
        ("[line for line in __import__('csv').reader(open('data/deep.txt'))]", [["deep"]]),
        ("__import__('io').open('data/deep.txt').read()", "deep"),
    ],
)
def test_files_of_the_suite_can_be_read(zygote: Zygote, code: str, value: object) -> None:
    """`open` and `pathlib` find the files of the exercise, which exist in memory only."""
    assert python(value) == gave(zygote, "", code)


def test_who_looks_before_reading_finds_the_same(zygote: Zygote) -> None:
    """`os.path` and `pathlib` agree with `open` on which files there are."""
    source = """
        import os.path
        from pathlib import Path
        def f(name):
            return os.path.exists(name), os.path.isfile(name), Path(name).is_file()
    """
    assert python((True, True, True)) == gave(zygote, source, "f('akari.txt')")
    assert python((False, False, False)) == gave(zygote, source, "f('suite.yaml')")


def test_reading_with_a_context_manager(zygote: Zygote) -> None:
    """The way that students learn: `with open(...) as file`."""
    source = (
        "def f():\n  with open('akari.txt') as file:\n    return [line.split() for line in file]\n"
    )
    assert python([["1", "1"], ["\u25cf"]]) == gave(zygote, source)


def test_own_modules_can_be_imported(zygote: Zygote) -> None:
    """A helper file is found, its own imports too, and it runs once."""
    modules = {
        "helper": "import other\nprint('helped')\nx = other.y + 1\n",
        "other": "y = 1\n",
    }
    seen = run(zygote, "import helper\nfrom helper import x\n", "x", modules=modules)
    assert "helped\n" == seen.imported.observation.stdout
    assert Returned(value=Atom(2), identity=None) == seen.observations[0].outcome


@pytest.mark.parametrize("name", ["random", "json", "io", "os", "time", "base64", "marshal", "re"])
def test_a_file_with_the_name_of_a_standard_module_hides_it(zygote: Zygote, name: str) -> None:
    """The submission gets its own module, and our side goes on with the real one."""
    source = f"import {name}\ndef f(): return {name}.mine\n"
    assert Atom(1) == gave(zygote, source, modules={name: "mine = 1\n"})


def test_a_broken_helper_is_told_where_it_is_imported(zygote: Zygote) -> None:
    """A syntax error in a helper is an exception of the import, and of that only."""
    source = "try:\n  import helper\nexcept SyntaxError as e:\n  x = e.filename\n"
    assert Atom("helper.py") == gave(zygote, source, "x", modules={"helper": "x = (\n"})


@pytest.mark.parametrize(
    "sabotage",
    [
        "import builtins; builtins.len = builtins.isinstance = builtins.type = None",
        "import json; json.loads = json.dumps = None; json.encoder = None",
        "import os; os.read = os.write = os._exit = None",
        "import sys; sys.stdout = sys.stderr = sys.stdin = None",
        "import sys; sys.modules.clear()",
        "import sys; sys.meta_path.clear(); sys.path = None",
        "import time; time.time = None; del time.monotonic",
        "global print, len, open; print = len = open = None",
        "import gc; gc.disable(); gc.set_threshold(1)",
        "import sys; sys.setrecursionlimit(1)",
    ],
)
def test_sabotage_of_the_interpreter_breaks_nothing_of_ours(zygote: Zygote, sabotage: str) -> None:
    """Who overwrites built-ins or modules breaks himself, if anybody."""
    nested: object = 1
    for _ in range(40):
        nested = [nested]
    source = "def f():\n  value = 1\n  for _ in range(40): value = [value]\n  return value\n"
    source += f"def g():\n  {sabotage}\n"
    seen = run(zygote, source, "g()", "f()", "1")
    values = [
        each.outcome.value for each in seen.observations if isinstance(each.outcome, Returned)
    ]
    assert [Atom(None), python(nested), Atom(1)] == values


def test_the_recursion_limit_has_a_ceiling_and_a_floor(zygote: Zygote) -> None:
    """A huge limit would crash the interpreter, a tiny one our own code."""
    source = """
        import sys
        def f(limit):
            sys.setrecursionlimit(limit)
            return sys.getrecursionlimit()
        def deep(n):
            return 0 if n == 0 else 1 + deep(n - 1)
    """
    codes = ("f(10**9)", "f(1)", "f(3000)", "deep(2500)", "deep(10**6)")
    seen = run(zygote, source, *codes, limits=Limits(recursion=5_000)).observations
    values = [each.outcome.value for each in seen if isinstance(each.outcome, Returned)]
    assert list(map(Atom, (5_000, 200, 3_000, 2_500))) == values
    assert raised(seen[4])[0] == "RecursionError"
    last = seen[4].outcome
    assert isinstance(last, Raised)
    assert last.depth > 2_500
    assert 64 == len(last.frames)


def test_chance_and_hashes_are_the_same_in_each_session(zygote: Zygote) -> None:
    """Random numbers, the order of sets of text and `hash` do not differ from run to run."""
    source = """
        import random
        drawn = random.random()
        def f():
            return drawn, random.randint(1, 10**9), hash("text"), list({"a", "b", "c", "d"})
    """
    one, other = gave(zygote, source), gave(zygote, source)
    assert one == other
    with Zygote() as another:
        assert one == gave(another, source)


@pytest.mark.parametrize(
    "body",
    [
        "return 'x' * 10**12",
        "x = 'a'\n  while True: x += x",
        "x = []\n  while True: x.append([0] * 1000)",
        "x = ()\n  while True: x = (x,)",
        "x = {}\n  while True: x[len(x)] = [x]",
    ],
)
def test_using_up_all_memory_is_an_exception(zygote: Zygote, body: str) -> None:
    """Large pieces or many small ones: what is reported is a MemoryError, in its step."""
    limits = Limits().with_changes(cpu_s=10.0, memory_bytes=48 << 20)
    seen = run(zygote, f"def f():\n  {body}\n", "f()", "1", limits=limits)
    assert raised(seen.observations[0])[0] == "MemoryError"
    assert Returned(value=Atom(1), identity=None) == seen.observations[1].outcome


def test_exceptions_tell_where_they_came_from(zygote: Zygote) -> None:
    """Frames of the submission only, innermost last, with the lines of its own files."""
    source = "import helper\ndef f():\n  return helper.g()\n"
    modules = {"helper": "\n\ndef g():\n  return {}['key']\n"}
    (observation,) = run(zygote, source, "f()", modules=modules).observations
    outcome = observation.outcome
    assert isinstance(outcome, Raised)
    assert ("KeyError", "LookupError", "Exception", "BaseException") == outcome.type_names
    assert [("sample.py", 3, "f"), ("helper.py", 4, "g")] == [
        (frame.file, frame.line, frame.function) for frame in outcome.frames
    ]
    assert 2 == outcome.depth


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("class E(Exception):\n  def __str__(self): raise ValueError", "<its __str__ raised"),
        ("class E(Exception):\n  def __str__(self): return 5", "<its __str__ raised"),
        ("class E(Exception):\n  def __str__(self): return 'x' * 10**6", "x" * 2_000),
        ("class E(Exception):\n  __traceback__ = property(lambda s: 1 / 0)", ""),
        ("class E(Exception):\n  __class__ = int", ""),
        ("class E(BaseException): pass", ""),
        ("class E(KeyboardInterrupt): pass", ""),
        ("class E(GeneratorExit): pass", ""),
    ],
)
def test_odd_exceptions_are_reported(zygote: Zygote, source: str, message: str) -> None:
    """An exception that misbehaves while it is described is an exception like any other."""
    (observation,) = run(zygote, f"{source}\ndef f(): raise E\n", "f()").observations
    assert raised(observation)[0] == "E"
    assert raised(observation)[1].startswith(message)


def test_the_names_of_the_module_are_the_names_of_the_session(zygote: Zygote) -> None:
    """Steps see what the submission defines, and the judge is told those names."""
    seen = run(zygote, "x = 1\n_y = 2\ndef f(): return x\nimport math as m\n", "x + _y", "f()")
    assert frozenset({"x", "_y", "f", "m"}) == seen.imported.defined
    assert 2 == len(seen.observations)


def test_identity_tells_the_object_itself_from_a_copy(zygote: Zygote) -> None:
    """The same object has the same number all through a session, another one never."""
    source = "class P:\n  def me(self): return self\n  def copy(self): return P()\n"
    seen = run(
        zygote, f"{source}p = P()\n", "p", "p.me()", "p.copy()", "p.copy()", "p", "5", "None"
    )
    numbers = [
        each.outcome.identity for each in seen.observations if isinstance(each.outcome, Returned)
    ]
    assert numbers[0] == numbers[1] == numbers[4]
    assert 3 == len({numbers[0], numbers[2], numbers[3]})
    assert [None, None] == numbers[5:]
