"""The survey: what the source of a submission says, found by an executor that runs none of it."""

from __future__ import annotations

import copy
import sys
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from grader.constructs import CONSTRUCTS
from grader.errors import ProtocolError
from grader.executor import surveying
from grader.limits import Limits
from grader.program import Program
from grader.sandbox.zygote import Zygote
from grader.sessions import Gate, SessionRunner
from grader.survey import FunctionFacts, Place, Survey, decode_survey

BEGIN, END = "⟦", "⟧"
"""Around what is to be found in a snippet."""


def maybe(
    zygote: Zygote,
    sources: Mapping[str, str],
    python: tuple[int, int] | None = None,
    limits: Limits | None = None,
) -> Survey | None:
    """Return the survey of modules, None if there is none."""
    files = {name: (f"{name}.py", text) for name, text in sources.items()}
    program = Program.of(None, files, {})
    runner = SessionRunner(zygote, program, limits or Limits(), Gate())
    return runner.survey(list(sources), python)


def survey(zygote: Zygote, source: str, **modules: str) -> Survey:
    """Return the survey of a module `m`, and of others."""
    found = maybe(zygote, {"m": source, **modules})
    assert found is not None, "an honest module can be surveyed"
    return found


def unmarked(marked: str) -> tuple[str, list[tuple[int, int, int, int]]]:
    """Return the source in `marked`, and the places that are marked in it, as (line, column)s."""
    source: list[str] = []
    line, column = 1, 1
    opened: list[tuple[int, int]] = []
    places = []
    for character in marked:
        if character == BEGIN:
            opened.append((line, column))
        elif character == END:
            places.append((*opened.pop(), line, column))
        else:
            source.append(character)
            line, column = (line + 1, 1) if character == "\n" else (line, column + 1)
    return "".join(source), sorted(places)


def spans(places: list[Place]) -> list[tuple[int, int, int, int]]:
    """Return `places` as (line, column)s, in order."""
    return sorted((at.line, at.column, at.end_line, at.end_column) for at in places)


def function(found: Survey, name: str) -> FunctionFacts:
    """Return the facts about the last function of that name."""
    return [each for each in found.functions if each.name == name][-1]


CONSTRUCT_SNIPPETS = [
    ("for", "⟦for⟧ x in y: pass\n"),
    ("for", "if a:\n\t⟦for⟧ x in y: pass\n"),
    ("for", "async def f():\n    ⟦async for⟧ x in y: pass\n"),
    ("for", "x = [a for a in b]; s = 'for x in y'  # for x in y\n"),
    ("for", "é = '🙂'; a = 1\nif é:\n    '🙂é'; x = 2\n⟦for⟧ ß in é: pass\n"),
    ("while", "x = 1\n⟦while⟧ x:\n    ⟦while⟧ y: pass\n"),
    ("while", '"""while True: pass"""\nwhile_ = 1\n'),
    ("list comprehension", "'é🙂'; x = ⟦[a for a in b]⟧\n"),
    ("list comprehension", "x = ⟦[⟦[a for a in b]⟧\n   for b in c]⟧\n"),
    ("list comprehension", "x = [a, b]; y = list(a for a in b)\n"),
    ("set comprehension", "x = ⟦{a for a in b}⟧; y = {a: 1 for a in b}; z = {1}\n"),
    ("dict comprehension", "x = ⟦{a: 1 for a in b}⟧; y = {a for a in b}; z = {}\n"),
    ("generator expression", "x = sum⟦(a for a in b)⟧\n"),
    ("generator expression", "x = ⟦(a for a in b)⟧; y = (1, 2); z = [a for a in b]\n"),
    ("assert", "⟦assert x, 'assert'⟧\nasserted = 1\n"),
    ("async", "⟦async def⟧ f():\n    async with x: await y\n"),
    ("break", "while 1:\n    ⟦break⟧\n"),
    ("continue", "while 1: x = 'continue'; ⟦continue⟧\n"),
    ("class", "@x\n⟦class⟧ A:\n    ⟦class⟧ B: pass\n    class_ = 1\n"),
    ("decorator", "@⟦a.b(1)⟧\n@ ⟦c⟧\ndef f(): return x @ y\n"),
    ("decorator", "@⟦a⟧\nclass C:\n    @⟦property⟧\n    def f(self): pass\n"),
    ("del", "⟦del x[0], y⟧\ndelete = 1\n"),
    ("f-string", "x = ⟦f'{a:>{b}}'⟧; y = 'f{a}'; z = ⟦rF'{c}'⟧\n"),
    ("global", "def f():\n    ⟦global x, y⟧\n"),
    ("nonlocal", "def f():\n    x = 1\n    def g():\n        ⟦nonlocal x⟧\n"),
    ("lambda", "x = ⟦lambda a: ⟦lambda: a⟧⟧; y = 'lambda a: a'\n"),
    ("match", "match = 1\nmatch.group(1)\n⟦match⟧ x:\n    case 1: pass\n"),
    (
        "nested function",
        "def f():\n    if x:\n        ⟦def⟧ g():\n            ⟦async def⟧ h(): pass\n",
    ),
    (
        "nested function",
        "class A:\n    def f(self): pass\ndef g():\n    class B:\n        def h(s): 0\n",
    ),
    ("star argument", "def f(a, ⟦*args⟧, b=1, ⟦**kw⟧): pass\n"),
    ("star argument", "def f(a, *, b): return g(*a, **b)\nx = lambda *a: a\n"),
    ("star argument", "def f(⟦* args⟧, ⟦**  kw⟧): pass\n"),
    ("ternary", "x = ⟦a if b else c⟧\nif a: pass\n"),
    ("try", "⟦try⟧: x\nexcept E: pass\n⟦try⟧: x\nexcept* E: pass\n"),
    ("walrus", "if (⟦n := f()⟧): x[⟦n:=1⟧]\n"),
    ("with", "⟦with⟧ a as b: pass\nasync def f():\n    ⟦async with⟧ a: pass\n"),
    ("yield", "def f():\n    x = ⟦yield⟧\n    ⟦yield 1⟧\n    ⟦yield from x⟧\n"),
    ("map", "x = ⟦map⟧(f, y); g = ⟦map⟧\n"),
    ("map", "x = df.map(f); d['map'] = 'map(f)'; m.map = 1; f(map=2)\n"),
    ("map", "'é'; x = f'é{ ⟦map⟧(a, b) } {⟦map⟧}'\n"),
    ("map", "import builtins as b\nx = ⟦b.map⟧; y = ⟦__builtins__.map⟧; z = b.other.map\n"),
    ("map", "from builtins import map as m, filter\nx = ⟦m⟧(f, y)\n"),
    ("map", "x = getattr(y, 'map'); import builtins\nz = ⟦getattr(builtins, 'map')⟧\n"),
    ("map", "def f(x: map, y: 'map' = 1) -> map: z: map = 1\n"),
    ("map", "def f(map): return map(1)\ng = lambda map: map\n"),
    ("map", "def f():\n    map = 1\n    return [map for x in y]\n"),
    ("map", "def f():\n    map = 1\n    def g(): return map\nx = ⟦map⟧\n"),
    ("map", "class A:\n    map = 1\n    y = map\n    def f(self): return ⟦map⟧\n"),
    ("map", "class A:\n    map = 1\n    x = [⟦map⟧ for a in map]\n"),
    ("map", "def f():\n    global map\n    map = 1\nx = map\n"),
    (
        "map",
        "def f():\n    map = 1\n    def g():\n        nonlocal map\n        map = 2\nx = ⟦map⟧\n",
    ),
    ("map", "from elsewhere import map\nx = map(f, y)\n"),
    ("map", "import map\nmap.map(x)\n"),
    ("map", "def map(f, xs): return xs\nx = map(f, y)\n"),
    ("map", "for map in x: print(map)\n"),
    ("map", "x = [map for map in y]; z = ⟦map⟧\n"),
    ("map", "x = [a for a in [(map := 1)]]\nmap\n"),
    ("map", "try: pass\nexcept E as map: map\n"),
    ("map", "match x:\n    case [*map]: map\n"),
    ("map", "with x as map: map\n"),
    ("map", "def f(x=⟦map⟧, *, map=⟦map⟧): return map\n"),
    ("sum", "sum = 0\nsum += 1\nprint(sum)\n"),
    ("sum", "total = ⟦sum⟧(xs)\nself.sum = 1\n"),
    ("sum", "from numpy import *\nx = sum(y)\n"),
    ("zip", "for a, b in ⟦zip⟧(c, d): pass\nimport zipfile\n"),
    ("any", "x = ⟦any⟧(y)\nanything = y.any()\n"),
    ("all", "x = ⟦all⟧\n"),
    ("sorted", "x.sort(); y = ⟦sorted⟧(x)\n"),
    ("filter", "x = list(⟦filter⟧(None, y)); q.filter(x)\n"),
    ("eval", "⟦eval⟧('1'); literal_eval('1')\n"),
    ("exec", "⟦exec⟧('x = 1'); executor = 1\n"),
    ("reduce", "from functools import reduce as r, partial\nx = ⟦r⟧(f, y); reduce(f, y)\n"),
    (
        "reduce",
        "import functools as ft, functools\nx = ⟦ft.reduce⟧; y = ⟦functools.reduce⟧(f, z)\n",
    ),
    ("reduce", "from functools import *\nx = ⟦reduce⟧(f, y)\n"),
    ("reduce", "def reduce(x): return x\nreduce(1); x.reduce(2); reduce_board(3)\n"),
]


@pytest.mark.parametrize(("kind", "marked"), CONSTRUCT_SNIPPETS)
def test_constructs_are_found_where_they_stand(zygote: Zygote, kind: str, marked: str) -> None:
    """A construct is found at its exact place, and nothing that looks like it is."""
    source, places = unmarked(marked)
    found = survey(zygote, source)
    assert not found.unparsed
    assert places == spans([each.place for each in found.constructs if each.kind == kind])


def test_every_construct_has_a_snippet() -> None:
    """No construct goes untested, and the executor knows the names that the judge knows."""
    assert set(CONSTRUCTS) == {kind for kind, _ in CONSTRUCT_SNIPPETS}
    assert set(CONSTRUCTS) == surveying.CONSTRUCTS


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_are_those_of_python(zygote: Zygote, newline: str) -> None:
    """A line ends where Python says so, not at a form feed or another break of Unicode."""
    lines = ["x = 1\x0c; y = '\u2028\x85'", "\x0c# é", "t = 'é\x1c\t'; z = [1 for a in y]"]
    found = survey(zygote, newline.join(lines))
    (use,) = found.constructs
    assert (3, 16) == (use.place.line, use.place.column)


def test_what_is_at_a_place_is_what_was_found(zygote: Zygote, root: Path) -> None:
    """The text at the place of a construct begins with its keyword, in all of our solutions."""
    sources = {path.stem: path.read_text() for path in (root / "reference").glob("*/*.py")}
    found = maybe(zygote, sources)
    assert found is not None
    assert not found.unparsed
    assert len(found.constructs) > 150
    for each in found.constructs:
        line = sources[each.place.module].split("\n")[each.place.line - 1]
        text = line[each.place.column - 1 :]
        start = {
            "for": "for",
            "while": "while",
            "list comprehension": "[",
            "generator expression": "(",
            "class": "class",
            "lambda": "lambda",
            "try": "try",
            "nested function": "def",
            "star argument": "*",
        }.get(each.kind, "")
        assert text.startswith(start), (each, line)
    for facts in found.functions:
        line = sources[facts.place.module].split("\n")[facts.place.line - 1]
        name = facts.name.rpartition(".")[2]
        assert line[facts.place.column - 1 :].startswith(f"def {name}(")


IN_FUNCTIONS = """
def f(x, key=lambda a: a, *rest):
    @cache
    def g():
        return [i for i in map(h, x)]
    class C:
        z = lambda: 1
        async def m(self):
            yield 1
    return g
x = lambda: [1 for _ in y]
class D:
    @property
    def p(self): return (i for i in self)
    q = {1 for i in r}
"""


def test_constructs_belong_to_functions(zygote: Zygote) -> None:
    """A construct is told with the function around it, of which the heading is a part."""
    found = survey(zygote, IN_FUNCTIONS)
    assert [
        ("lambda", "m.f"),
        ("star argument", "m.f"),
        ("decorator", "m.f.<locals>.g"),
        ("nested function", "m.f"),
        ("list comprehension", "m.f.<locals>.g"),
        ("map", "m.f.<locals>.g"),
        ("class", "m.f"),
        ("lambda", "m.f"),
        ("async", "m.f.<locals>.C.m"),
        ("yield", "m.f.<locals>.C.m"),
        ("lambda", "m"),
        ("list comprehension", "m"),
        ("class", "m"),
        ("decorator", "m.D.p"),
        ("generator expression", "m.D.p"),
        ("set comprehension", "m"),
    ] == [(each.kind, each.function) for each in found.constructs]


@pytest.mark.parametrize(
    "code",
    [
        "[[False] * n for _ in range(n)]",
        "[[None for _ in range(n)] for _ in range(m)]",
        "{(k, r): 0 for k in range(n) for r in range(n)}",
        "{(k, r): 0 for k in range(1, dimension(board) + 1) for r in range(k)}",
        "[set() for _ in range(n)]",
        "{name: [] for name in ('a', 'b')}",
        "[i * i + n for i in range(n)]",
        "tuple([-1] * n for _ in range(n))",
        "{i for i in [1, 2, 3]}",
        "[bytearray(n) for _ in range(n)]",
        "[(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]",
        "{letter: 0 for letter in 'abc'}",
        "{i: {0: i} for i in range(n)}",
        "{step: () for step in ((0, 1), (1, 0))}",
    ],
)
def test_comprehensions_that_initialise(zygote: Zygote, code: str) -> None:
    """A comprehension that fills a structure with its first content is told to."""
    assert all(each.initialises for each in survey(zygote, f"x = {code}\n").constructs)


@pytest.mark.parametrize(
    "code",
    [
        "[int(w) for w in words]",
        "[x for x in xs]",
        "[x for x in range(n) if x]",
        "[f(i) for i in range(n)]",
        "[xs[i] for i in range(n)]",
        "[x.y for i in range(n)]",
        "[not i for i in range(n)]",
        "[i == 1 for i in range(n)]",
        "[set(xs) for _ in range(n)]",
        "[list(x for x in xs) for _ in range(n)]",
        "[[x for x in xs] for _ in range(n)]",
        "[0 for _ in xs.range(n)]",
        "[0 for _ in [a, b]]",
        "[0 for _ in range(n) for x in xs]",
        "[0 for _ in {1, 2}]",
        "[{**d} for i in range(n)]",
        "[(*d, 0) for i in range(n)]",
        "[f'{i}' for i in range(n)]",
        "[i if i else 0 for i in range(n)]",
        "[(range := 1) for _ in range(n)]",
        "[0 async for _ in range(n)]",
    ],
)
def test_comprehensions_that_work_on_data(zygote: Zygote, code: str) -> None:
    """A comprehension that looks at data, chooses or calls does not initialise."""
    assert not survey(zygote, f"x = {code}\n").constructs[0].initialises


def test_range_and_set_of_their_own_initialise_nothing(zygote: Zygote) -> None:
    """A function that is merely called `range` may do anything."""
    source = "def f(range): return [0 for _ in range(3)]\nset = g\ny = [set() for _ in range(3)]\n"
    assert not any(each.initialises for each in survey(zygote, source).constructs)


def test_headings(zygote: Zygote) -> None:
    """Parameters are told by name, kind and whether they have a default, in their order."""
    found = survey(zygote, "def f(a, /, b, c=1, *d, e, g=2, **h): pass\ndef k(x=1, /, *, y): 0\n")
    assert [
        ("a", "positional only", False),
        ("b", "positional", False),
        ("c", "positional", True),
        ("d", "*args", False),
        ("e", "keyword only", False),
        ("g", "keyword only", True),
        ("h", "**kwargs", False),
    ] == [(p.name, p.kind, p.has_default) for p in function(found, "m.f").parameters]
    assert [("x", "positional only", True), ("y", "keyword only", False)] == [
        (p.name, p.kind, p.has_default) for p in function(found, "m.k").parameters
    ]


def test_places_of_functions_span_them(zygote: Zygote) -> None:
    """A function stands from its `def` to the end of its body, behind its decorators."""
    found = survey(zygote, "@a\n@b\nasync def f():\n    x\n\n    return 'é'\n\ny\n")
    assert [(3, 1, 6, 15)] == spans([each.place for each in found.functions])


LENGTHS = '''
def documented():
    """Text.

    # more
    """
    # a comment

    x = """
# text

"""
    return x


def nested():
    def inner(): "text"; return 1
    "no docstring"
    class C:
        "docstring"
        def m(self):
            """docstring"""  # comment
            return 1
    return inner

def one(): """docstring"""
def two(): return 1
'''


def test_lines_with_code_are_counted(zygote: Zygote) -> None:
    """Neither blank lines count, nor comments, nor docstrings; lines of other texts do."""
    found = survey(zygote, LENGTHS)
    assert {
        "m.documented": (6, True),
        "m.nested": (7, False),
        "m.nested.<locals>.inner": (1, True),
        "m.nested.<locals>.C.m": (2, True),
        "m.one": (1, True),
        "m.two": (1, False),
    } == {each.name: (each.code_lines, each.has_docstring) for each in found.functions}


@pytest.mark.parametrize(
    ("body", "nesting"),
    [
        ("pass", 0),
        ("x = [a for a in b if c]", 0),
        ("if x: pass\n    elif y: pass\n    elif z: pass\n    else: pass", 1),
        ("if x: pass\n    else:\n        if y: pass", 2),
        ("for a in b:\n        while c:\n            with d: pass\n    if e: pass", 3),
        ("try:\n        if x: pass\n    except E: pass", 2),
        ("match x:\n        case 1:\n            if y: pass", 2),
        ("def g():\n        if x:\n            if y: pass", 0),
        ("if x:\n        class C:\n            if y: pass", 2),
    ],
)
def test_nesting_of_blocks(zygote: Zygote, body: str, nesting: int) -> None:
    """Blocks in blocks are counted; an `elif` lies beside its `if`, a function on its own."""
    assert nesting == function(survey(zygote, f"def f():\n    {body}\n"), "m.f").nesting


CALLS = [
    ("def f(): return f()", ["m.f"]),
    ("def f(): g()\ndef g(): f(); h()\ndef h(): pass", ["m.g"]),
    ("def f():\n    def g(): return h()\n    return g()\ndef h(): pass", ["m.f.<locals>.g"]),
    ("def f(): return (lambda x: g(x))(1)\ndef g(x): pass", ["m.g"]),
    ("def f(): return [g(x) for x in y]\ndef g(x): pass", ["m.g"]),
    ("def f(): return sorted(x, key=g)\ndef g(x): pass", ["m.g"]),
    ("def f(g): g()\ndef g(): pass", []),
    ("def f():\n    g = 1\n    g()\ndef g(): pass", []),
    ("def g(): pass\nh = g\nk = h\ndef f(): k()", ["m.g"]),
    ("def g(): 0\ndef h(): 0\nT = {'a': g, 'b': [h]}\ndef f(x): return T[x]()", ["m.g", "m.h"]),
    ("def g(): pass\nT = {}\nT['g'] = g\ndef f(x): return T[x]()", ["m.g"]),
    ("from functools import partial\ndef g(x): pass\nh = partial(g, 1)\ndef f(): h()", ["m.g"]),
    ("fact = lambda n: f(n) * fact(n - 1)\ndef f(n): return fact(n)", ["m.f"]),
    ("def g(): pass\nSTART = g()\ndef f(): return START", []),
    ("def g(k): pass\n@g\ndef f(): pass", ["m.g"]),
    ("def g(): pass\ndef f(x=g): pass", ["m.g"]),
    ("class A:\n    def s(self): pass\ndef f(x): return x.s()", ["m.A.s"]),
    ("class A:\n    def s(self): 0\n    def t(self): return self.s()\ndef f(): A.t(1)", ["m.A.t"]),
    (
        "class A:\n    def __init__(self): 0\n    def t(self): 0\ndef f(): return A",
        ["m.A.__init__"],
    ),
    ("class A:\n    def __call__(self): 0\ndef f(): return A()()", ["m.A.__call__"]),
    ("class A:\n    def __init__(self): pass\nclass B(A): pass\ndef f(): B()", ["m.A.__init__"]),
    ("class A:\n    def f(self): 0\n    def s(self): return f()\ndef f(): return A.f", ["m.A.f"]),
    ("class A:\n    def join(self): pass\ndef f(x): return ', '.join(x)", []),
    ("import math\nclass A:\n    def sqrt(self): pass\ndef f(x): return math.sqrt(x)", []),
    ("import B\ndef f(): return B.g()", ["B.g"]),
    ("import B as C\ndef f(): return C.g(), C.k", ["B.g", "B.k"]),
    ("from B import g as h\ndef f(): return h()", ["B.g"]),
    ("from B import *\ndef f(): return g(), D()", ["B.g", "B.D.__init__"]),
    ("from . import B\ndef f(): return B.g()", ["B.g"]),
    ("from .B import g\ndef f(): return g()", ["B.g"]),
    ("import B\ndef f(): return B.h(), B.D.m, B.T['x']", ["B.g", "B.D.m", "B.k"]),
    ("def f():\n    import B\n    return B.g()", ["B.g"]),
    ("def f(x: g) -> g: pass\ndef g(): pass", []),
    ("def f(): global g; g = k\ndef k(): pass\ndef h(): g()", ["m.k"]),
    ("def f():\n    'g()'  # g()\ndef g(): pass", []),
]
OTHER = """
def g(): pass
def k(): pass
h = g
T = {"x": k}
class D:
    def __init__(self): pass
    def m(self): pass
"""


@pytest.mark.parametrize(("source", "calls"), CALLS)
def test_calls_are_resolved_by_name(zygote: Zygote, source: str, calls: list[str]) -> None:
    """A function calls the functions that its names stand for, and hands on."""
    found = survey(zygote, source, B=OTHER)
    assert calls == list(function(found, "m.f").calls)


def test_names_in_other_functions_are_followed(zygote: Zygote) -> None:
    """What one function assigns to a global name, another one reads."""
    found = survey(zygote, "def f():\n    global g\n    g = k\ndef k(): pass\ndef h(): g()\n")
    assert ("m.k",) == function(found, "m.h").calls


TOUCHES = [
    ("return ⟦p[0]⟧", ["index"]),
    ("⟦p[0]⟧ = 1; ⟦p[1]⟧ += 1; del ⟦p[2]⟧", ["index"] * 3),
    ("return ⟦p.x⟧ + ⟦p.append⟧(1)", ["attribute"] * 2),
    ("⟦a, b = p⟧", ["unpack"]),
    ("⟦[a, *b] = p⟧", ["unpack"]),
    ("a = b = p", []),
    ("for a in ⟦p⟧: pass", ["iterate"]),
    ("return [a for a in ⟦p⟧], {b for a in x for b in ⟦p⟧}", ["iterate"] * 2),
    ("return x(*⟦p⟧, **⟦p⟧)", ["iterate"] * 2),
    ("yield from ⟦p⟧", ["iterate"]),
    ("return ⟦x in p⟧, ⟦x not in p⟧, p in x", ["in"] * 2),
    ("return ⟦len(p)⟧, ⟦sorted(p)⟧, ⟦set(p)⟧, ⟦zip(x, p)⟧", ["len", *["iterate"] * 3]),
    ("len = x; return len(p)", []),
    ("return ⟦p & 1⟧, ⟦~p⟧, ⟦2 ** p⟧", ["operator"] * 3),
    ("return p == q, p is None, p != q, not p, p and q", []),
    ("return ⟦p <= 3⟧, ⟦3 > p⟧", ["operator"] * 2),
    ("return ⟦isinstance(p, set)⟧, ⟦type(p)⟧, isinstance(x, p)", ["operator"] * 2),
    ("b = p; return ⟦b[0]⟧", ["index"]),
    ("b = p; c = b; return ⟦c.x⟧", ["attribute"]),
    ("b = p; b = x; return b[0]", []),
    ("return f(p), x[p], {p: 1}, [p], (p, p), str(p)", []),
    ("return lambda: ⟦p[0]⟧", ["index"]),
    ("return lambda p: p[0]", []),
    ("return [p[0] for p in x]", []),
    ("return '%s' % p, f'{p}'", []),
    ("return ⟦getattr(p, 'x')⟧", ["attribute"]),
]


@pytest.mark.parametrize(("marked", "hows"), TOUCHES)
def test_looks_into_parameters(zygote: Zygote, marked: str, hows: list[str]) -> None:
    """A look into the structure of a parameter is told from handing it on."""
    source, places = unmarked(f"def f(p, q):\n    {marked}\n")
    touches = function(survey(zygote, source), "m.f").touches
    assert hows == [each.how for each in touches]
    assert places == spans([each.place for each in touches])
    assert {"p"} >= {each.parameter for each in touches}


def test_structural_patterns_take_apart(zygote: Zygote) -> None:
    """A pattern that unpacks a parameter looks into it; one that compares does not."""
    source = "def f(p, q):\n    match p:\n        case (a, b): 0\n    match q:\n        case 1: 0\n"
    touches = function(survey(zygote, source), "m.f").touches
    assert [("p", "unpack")] == [(each.parameter, each.how) for each in touches]


def test_imports(zygote: Zygote) -> None:
    """Imports are found wherever they stand, also those by a call with a literal name."""
    marked = dedent(
        """
        import ⟦a.b as c⟧, ⟦d⟧
        ⟦from e.f import g, h⟧
        from . import ⟦i⟧, ⟦j as k⟧
        ⟦from ..l import m⟧
        def f():
            import ⟦n⟧
            ⟦__import__('o')⟧; __import__(name)
        ⟦from importlib import import_module as im⟧
        ⟦im('p.q')⟧
        'import r'  # import s
        """
    )
    source, places = unmarked(marked)
    found = survey(zygote, source)
    names = ["a.b", "d", "e.f", ".i", ".j", "..l", "n", "o", "importlib", "p.q"]
    assert names == [each.name for each in found.imports]
    assert places == spans([each.place for each in found.imports])


NEW = [
    ("from __future__ import annotations", (3, 7)),
    ("if (x := 1): pass", (3, 8)),
    ("def f(a, /): pass", (3, 8)),
    ("f = lambda a, /: a", (3, 8)),
    ("s = f'{x=}'", (3, 8)),
    ("s = f'{x.y  = !r:>4}'", (3, 8)),
    ("@x[0].y\ndef f(): pass", (3, 9)),
    ("with (a as b, c as d): pass", (3, 9)),
    ("with (  # :)\n    (a) as b,\n    (c) as (d),\n): pass", (3, 9)),
    ("async def f():\n    async with (a as b):  # text\n        @c\n        def g(): pass", (3, 9)),
    ("match x:\n    case 1: pass", (3, 10)),
    ("try: pass\nexcept* E: pass", (3, 11)),
    ("x = a[*b]", (3, 11)),
]


@pytest.mark.parametrize(("source", "since"), NEW)
def test_newer_syntax(zygote: Zygote, source: str, since: tuple[int, int]) -> None:
    """Syntax is too new for a version before the one that it came with, and for no other."""
    before = maybe(zygote, {"m": source}, (since[0], since[1] - 1))
    at = maybe(zygote, {"m": source}, since)
    unasked = maybe(zygote, {"m": source})
    assert before is not None
    assert at is not None
    assert unasked is not None
    assert [since] == [each.since for each in before.too_new]
    assert {each.what for each in before.too_new} <= surveying.NEWER.keys()
    assert () == at.too_new
    assert () == unasked.too_new


@pytest.mark.skipif(sys.version_info < (3, 12), reason="that cannot be parsed before")
@pytest.mark.parametrize("source", ["type X = int", "def f[T](x: T): pass", "s = f'{d['k']}'"])
def test_syntax_of_python_3_12(zygote: Zygote, source: str) -> None:
    """What came with Python 3.12 can only be told there."""
    found = maybe(zygote, {"m": source}, (3, 11))
    assert found is not None
    assert [(3, 12)] == [each.since for each in found.too_new]


@pytest.mark.parametrize(
    "source",
    [
        "x: int = 1",
        "s = f'{x==y} {x!r} {x}=' + f'{x:=5}'",
        "with (open(x)) as (f): pass",
        "with (a), (b) as (c): pass",
        "with (a, b) as c: pass\nwith a as (b, c): pass",
        "with (a), (b): pass\nwith (a, b): pass",
        "@a.b.c(1)\ndef f(): pass",
        "x = a[(*b, 1)]; match = 1; y = a[b, c]",
        "s = f\"{d['k']}\" f'{d}'",
        "async def f():\n    return [x async for x in y]",
    ],
)
def test_old_syntax(zygote: Zygote, source: str) -> None:
    """What Python 3.6 understands is not too new for it."""
    found = maybe(zygote, {"m": source}, (3, 6))
    assert found is not None
    assert () == found.too_new


BODY = """
    count = 0
    for {a} in range(1, {n}):
        if look(board, {a}):
            count += {n}
    print(count, {a})
    return count
"""


def test_repeated_stretches(zygote: Zygote) -> None:
    """A stretch that is the same but for names and literals is told once, with both places."""
    one = f"def f(board):\n    'text'{BODY.format(a='row', n=5)}"
    other = f"def g(board):\n    import x{BODY.format(a='column', n=77)}"
    found = survey(zygote, f"{one}\n{other}")
    assert [(3, 8, 6, "m", 12, 17)] == [
        (
            *(each.first.line, each.first.end_line, each.statements),
            *(each.second.module, each.second.line, each.second.end_line),
        )
        for each in found.repeated
    ]


def test_repetition_across_modules(zygote: Zygote) -> None:
    """Stretches are compared between modules, too."""
    found = survey(
        zygote,
        f"def f(board):{BODY.format(a='row', n=5)}",
        n=f"x = 1\ndef g(board):{BODY.format(a='column', n=6)}",
    )
    assert [("m", "n")] == [(each.first.module, each.second.module) for each in found.repeated]


@pytest.mark.parametrize(
    "source",
    [
        f"def f(board):{BODY.format(a='row', n=5)}",
        f"def f(board):{BODY.format(a='x', n=5)}def g(board):{BODY.format(a='x', n='h(5)')}",
        "a = 1\nb = 2\nc = 3\nd = 4\ne = 5\nx()\n" * 2,
        "import a\nimport b\nimport c\nimport d\nimport e\nimport f\nimport g\n" * 4,
        "def f(): return g(1, 2, 3)\n" * 9,
    ],
)
def test_what_is_no_repetition(zygote: Zygote, source: str) -> None:
    """Stretches that differ in structure, or have little of it, are no repetition."""
    assert () == survey(zygote, source).repeated


def test_repetitions_do_not_overlap(zygote: Zygote) -> None:
    """Of many equal statements each is told of once at most, and not too many in all."""
    found = survey(zygote, "x = f(a, b, c, d, g(1), h(2))\n" * 400)
    assert 0 < len(found.repeated) <= 20
    spots = [(each.second.line, each.second.end_line) for each in found.repeated]
    assert all(
        one[1] < other[0] or other[1] < one[0] for one in spots for other in spots if one != other
    )


SUSPICIOUS = [
    ("import sys\n⟦sys.setprofile⟧(None)", ["sys.setprofile"]),
    ("import sys as s\n⟦s._getframe⟧(1)", ["sys._getframe"]),
    ("from sys import ⟦settrace as t⟧\n⟦t⟧(None)", ["sys.settrace"] * 2),
    ("import sys\n⟦sys.monitoring.register⟧", ["sys.monitoring"]),
    ("import sys\n⟦getattr(sys, 'settrace')⟧(None)", ["sys.settrace"]),
    ("import ⟦gc⟧, ⟦inspect as i⟧\n⟦from ctypes import util⟧", ["gc", "inspect", "ctypes"]),
    ("⟦__import__('gc')⟧", ["gc"]),
    ("⟦exec⟧('x'); ⟦eval⟧('x'); ⟦compile⟧", ["exec", "eval", "compile"]),
    ("⟦f.__code__⟧ = g", ["__code__"]),
    ("⟦setattr(f, '__code__', g)⟧", ["__code__"]),
    ("⟦__builtins__⟧['len'] = 1", ["__builtins__"]),
    ("import types\n⟦types.FunctionType⟧(c, {})", ["types.FunctionType"]),
    ("⟦__probe_1_call__⟧", ["__probe_1_call__"]),
    ("⟦e.tb_frame⟧", ["tb_frame"]),
    ("import sys\nsys.setrecursionlimit(5000); sys.exit(); globals(); vars(); locals()", []),
    ("import re\nre.compile('exec'); compiled = 'eval'; x.exec(); x.settrace()", []),
    ("def f(eval, exec): return eval(exec)", []),
    ("import threading, traceback, sys, types, functools, itertools", []),
]


@pytest.mark.parametrize(("marked", "names"), SUSPICIOUS)
def test_names_that_can_lie_to_a_probe(zygote: Zygote, marked: str, names: list[str]) -> None:
    """What can reach the instruments of a probe is noted, and ordinary names are not."""
    source, places = unmarked(marked)
    found = survey(zygote, source)
    assert names == [name for name, _ in found.suspicious]
    assert places == spans([place for _, place in found.suspicious])


def test_only_what_is_asked_is_surveyed(zygote: Zygote) -> None:
    """Modules that nobody names, such as given ones, are not surveyed."""
    program = Program.of(None, {n: (f"{n}.py", f"def {n}(): pass") for n in "abc"}, {})
    found = SessionRunner(zygote, program, Limits(), Gate()).survey(["a", "c", "d"])
    assert found is not None
    assert ["a.a", "c.c"] == [each.name for each in found.functions]


def test_a_survey_is_the_same_once_the_program_is_compiled(zygote: Zygote) -> None:
    """That the first executors have compiled the sources makes no difference."""
    program = Program.of("m", {"m": ("m.py", "def f(): return [1 for _ in range(3)]\n")}, {})
    runner = SessionRunner(zygote, program, Limits(), Gate())
    before = runner.survey(["m"])
    for _ in range(3):
        assert runner.run((), lockstep=False) is not None
    assert before == runner.survey(["m"])
    assert before is not None


DEEP = 10_000


@pytest.mark.parametrize(
    "source",
    [
        "def f(:\n",
        "x = 1\0\n",
        "x = '\ud800'\n",
        "(" * DEEP + ")" * DEEP,
        "x = " + "-" * 100_000 + "1",
        "x = " + "[" * 90 + "]" * 91,
        "x = " + "1 + " * 100_000 + "1",
        "x = a" + ".b" * 100_000,
        "if 1:\n" + "".join(" " * i + "if 1:\n" for i in range(1, 200)) + " " * 200 + "x",
    ],
)
def test_what_cannot_be_parsed_is_named(zygote: Zygote, source: str) -> None:
    """A module that breaks the parser is told by name, and the others are surveyed."""
    found = maybe(zygote, {"bad": source, "good": "def f(): pass\n"})
    if found is not None:  # the interpreter may die of it, which is no harm either
        assert {"bad"} == found.unparsed.keys()
        assert found.unparsed["bad"].endswith("Error")
        assert ["good.f"] == [each.name for each in found.functions]


@pytest.mark.parametrize(
    "source",
    [
        "def f(): pass\n" * 50_000,
        "def f(a, b): return a[0], f(b, [x for x in a])\n" * 5_000,
        "x = '" + "a" * 1_000_000 + "'\n",
        "x = [" + "é, " * 200_000 + "]\n",
        "x = f'" + "{a}" * 20_000 + "'\n",
        "x = 1; " * 50_000,
        "f" + "()" * 900,
        "x = " + "lambda: " * 150 + "1",
        "def f():\n" + "    x = g(1, h(2), k(3), m(4))\n" * 20_000,
        "class A:\n" + "    def m(self): return self.m()\n" * 5_000,
        "T = {" + "'a': f, " * 5_000 + "}\n" + "def f(): return T\n" * 2_000,
        "a0 = f\n" + "".join(f"a{i + 1} = a{i}\n" for i in range(5_000)) + "def f(): a5000()\n",
        "from m import x\n" * 2_000 + "def f(): x\n" * 100,
        "import sys\n" * 10_000 + "sys.settrace\n" * 10_000,
        "é" * 200_000 + " = [" + "map, " * 50_000 + "]\n",
    ],
)
def test_large_sources_come_to_an_end(zygote: Zygote, source: str) -> None:
    """However large a source is, a survey of it ends, and holds no more than its caps allow."""
    found = maybe(zygote, {"m": source})
    if found is not None:
        assert len(found.functions) <= 5_000
        assert len(found.constructs) <= 2_000 * 5


def test_a_survey_that_runs_out_of_time_or_memory_is_none(zygote: Zygote) -> None:
    """The limits of a session hold for a survey, too."""
    source = "x = [f(i) for i in range(1)]\n" * 30_000
    assert maybe(zygote, {"m": source}, limits=Limits(cpu_s=0.05)) is None
    lost = maybe(zygote, {"m": source}, limits=Limits(memory_bytes=4_000_000))
    assert lost is None or {"m": "MemoryError"} == lost.unparsed


PLACE = ["m", 1, 2, 1, 3]
FACTS: dict[str, Any] = {
    "constructs": [["for", PLACE, "m.f", False]],
    "functions": [
        ["m.f", PLACE, [["a", "positional", False]], True, 3, 0, ["m.f"], [["a", "in", PLACE]]]
    ],
    "imports": [["a", PLACE]],
    "too_new": [["match", [3, 10], PLACE]],
    "repeated": [[PLACE, PLACE, 5]],
    "suspicious": [["gc", PLACE]],
    "unparsed": {"n": "SyntaxError"},
}
MODULES = ("m", "n")


def test_facts_of_the_right_shape_are_taken() -> None:
    """What an executor of ours sends is what the judge gets."""
    found = decode_survey(FACTS, MODULES)
    assert {"n": "SyntaxError"} == found.unparsed
    assert "m.f" == found.functions[0].calls[0]
    assert (3, 10) == found.too_new[0].since


WRONG: list[tuple[list[str | int], object]] = [
    (["constructs"], None),
    (["constructs", 0], ["for", PLACE, "m.f"]),
    (["constructs", 0, 0], "goto"),
    (["constructs", 0, 3], 1),
    (["constructs", 0, 2], "x" * 201),
    (["constructs", 0, 1, 0], "n"),
    (["constructs", 0, 1, 0], "other"),
    (["constructs", 0, 1, 0], []),
    (["constructs", 0, 1, 1], 0),
    (["constructs", 0, 1, 1], True),
    (["constructs", 0, 1, 1], 1.0),
    (["constructs", 0, 1, 1], 2),
    (["constructs", 0, 1, 3], 1 << 31),
    (["constructs"], [["for", PLACE, "m.f", False]] * 20_001),
    (["functions", 0], []),
    (["functions", 0, 2, 0, 1], "sideways"),
    (["functions", 0, 2, 0, 0], 5),
    (["functions", 0, 3], None),
    (["functions", 0, 4], -1),
    (["functions", 0, 6], [["m.f"]]),
    (["functions", 0, 6], ["m.f"] * 201),
    (["functions", 0, 7, 0, 1], "kick"),
    (["imports", 0], ["a"]),
    (["too_new", 0, 1], [3]),
    (["too_new", 0, 1], ["3", 10]),
    (["repeated", 0, 2], 0),
    (["repeated"], [[PLACE, PLACE, 5]] * 21),
    (["suspicious", 0], ["gc", PLACE, 1]),
    (["unparsed"], []),
    (["unparsed"], {"other": "SyntaxError"}),
    (["unparsed"], {"n": None}),
    (["more"], []),
]


@pytest.mark.parametrize(("way", "value"), WRONG)
def test_facts_of_another_shape_are_refused(way: list[str | int], value: object) -> None:
    """Whatever our executor could not have sent is refused as a whole."""
    facts: Any = copy.deepcopy(FACTS)
    at = facts
    for step in way[:-1]:
        at = at[step]
    at[way[-1]] = copy.deepcopy(value)
    with pytest.raises(ProtocolError):
        decode_survey(facts, MODULES)


@pytest.mark.parametrize("facts", [None, [], {}, 5, {**FACTS, "constructs": {}}])
def test_what_is_no_survey_is_refused(facts: object) -> None:
    """A reply without a survey in it is none."""
    with pytest.raises(ProtocolError):
        decode_survey(facts, MODULES)
