"""What the survey says of functions: headings, lengths, nesting, calls, looks into parameters."""

from __future__ import annotations

import pytest
from surveyed_sources import function, spans, survey, unmarked

from grader.sandbox.zygote import Zygote


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


def test_imports_that_are_followed_from_afar_are_followed_from_nearby_too(zygote: Zygote) -> None:
    """A module that passes a name on calls what it stands for, whoever else imports it."""
    chain = {f"m{i}": f"from m{i + 1} import g\ndef f(): g()\n" for i in range(1, 7)}
    found = survey(zygote, "from m1 import g\ndef f(): g()\n", **chain, m7="def g(): pass\n")
    assert [("m7.g",)] * 5 == [function(found, f"m{i}.f").calls for i in range(2, 7)]


def test_modules_that_import_a_name_from_each_other_both_call_it(zygote: Zygote) -> None:
    """Neither of them has to come first."""
    source = "from B import g\ndef g(): pass\ndef f(): g()\n"
    found = survey(zygote, source, B="from m import g\ndef h(): g()\n")
    assert ("m.g",) == function(found, "m.f").calls == function(found, "B.h").calls


def test_many_bases_of_many_classes_are_looked_up_once(zygote: Zygote) -> None:
    """Otherwise the survey of some twenty classes in code that never runs would not come back."""
    names = [[f"m.C{j}.x{i}" for j in range(24) if j != i] for i in range(24)]
    classes = "".join(
        f"    class C{i}({', '.join(bases)}): pass\n" for i, bases in enumerate(names)
    )
    source = f"import m\nif False:\n{classes}def g(): pass\ndef f(): g()\n"
    assert ("m.g",) == function(survey(zygote, source), "m.f").calls


def test_classes_that_are_each_others_bases_can_be_surveyed(zygote: Zygote) -> None:
    """Such classes cannot be made, but their module may hold them in a function."""
    source = "import m\nclass A(m.B.C): pass\nclass B(m.A.C): pass\ndef f(): A()\n"
    assert () == function(survey(zygote, source), "m.f").calls


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
