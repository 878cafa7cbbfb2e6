"""Constructs and new syntax that the survey finds, each at its place."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from surveyed_sources import maybe, spans, survey, unmarked

from grader.executor.syntax import constructs
from grader.executor.syntax.newer_syntax import MIN_VERSIONS
from grader.sandbox.survey import Construct
from grader.sandbox.zygote import Zygote
from grader.suite.vocabulary import COMPREHENSIONS, CONSTRUCTS

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
    (
        "if",
        "⟦if⟧ a: 0\n⟦elif⟧ b: 0\nx = a if b else c; y = [a for a in b if a]\n",
    ),
    ("import", "⟦import a, b⟧\n⟦from c import d⟧\nimported = __import__('e')\n"),
    ("index", "x = ⟦⟦a[0]⟧[b, c]⟧; ⟦d['e']⟧ = a[1:]\ny: list[int] = []\n"),
    ("slice", "x = ⟦a[1:]⟧; ⟦b[:]⟧ = c[0]; y = slice(1, 2)\n"),
    ("raise", "⟦raise A from b⟧\nraised = 1\n"),
    ("return", "def f():\n    ⟦return⟧\ndef g(): ⟦return 1⟧\nreturned = 1\n"),
    ("dict literal", "x = ⟦{}⟧; y = ⟦{1: ⟦{2: 3}⟧}⟧; z = {a: 1 for a in b}; dict(a=1)\n"),
    ("list literal", "x = ⟦[]⟧; [y] = ⟦[1]⟧; z = [a for a in b]; list(x)\n"),
    ("number literal", "x = ⟦1⟧ + ⟦2.5⟧ - ⟦3j⟧; y = True; z = '4'\n"),
    ("set literal", "x = ⟦{1, 2}⟧; y = set(); z = {a for a in b}\n"),
    ("text literal", "'docstring'\nx = ⟦'a'⟧ ⟦b'c'⟧\n".replace(" ⟦b", ", ⟦b")),
    ("text literal", "x = f'a{b}c'; y: 'A' = 1\ndef f():\n    'docstring'\n"),
    ("tuple literal", "x = ⟦()⟧; y = ⟦1, 2⟧; a, b = c; z = d[1, 2]\n"),
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
    assert set(CONSTRUCTS) == constructs.CONSTRUCTS


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


def _repeats(use: Construct) -> bool:
    return use.kind in COMPREHENSIONS


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
    plain = ("return", "number literal")
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
    ] == [(each.kind, each.function) for each in found.constructs if each.kind not in plain]


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
    found = [each for each in survey(zygote, f"x = {code}\n").constructs if _repeats(each)]
    assert found
    assert all(each.initialises for each in found)


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
    found = survey(zygote, f"x = {code}\n").constructs
    assert not next(filter(_repeats, found)).initialises


def test_range_and_set_of_their_own_initialise_nothing(zygote: Zygote) -> None:
    """A function that is merely called `range` may do anything."""
    source = "def f(range): return [0 for _ in range(3)]\nset = g\ny = [set() for _ in range(3)]\n"
    assert not any(each.initialises for each in survey(zygote, source).constructs)


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
    assert {each.what for each in before.too_new} <= MIN_VERSIONS.keys()
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
