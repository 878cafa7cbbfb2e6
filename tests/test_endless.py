"""Recursion that went too deep is explained: the circle of calls, and what their arguments do."""

from __future__ import annotations

from typing import Final

import pytest
from deep_recursion import PLAIN, said, tried

from grader.reporting.wording import LANGUAGES, format_message
from grader.sandbox.zygote import Zygote
from grader.verdict import Verdict

ENDLESS: Final[dict[str, tuple[str, str, list[tuple[str, dict[str, object]]]]]] = {
    "same arguments": (
        "def f(n, xs):\n    return f(n, xs)",
        "f(3, [1, 2])",
        [
            ("endless.itself", {"function": "f", "line": 1}),
            ("endless.same", {"call": "f(3, [1, 2])"}),
        ],
    ),
    "back and forth": (
        "def f(place):\n    return f((1 - place[0], 4))",
        "f((0, 4))",
        [("endless.itself", {"function": "f", "line": 1}), ("endless.again", {"count": 100})],
    ),
    "no arguments": (
        "def f():\n    return f()",
        "f()",
        [("endless.itself", {"function": "f", "line": 1})],
    ),
    "past zero": (
        "def f(n):\n    if n == 0:\n        return 0\n    return n + f(n - 2)",
        "f(3)",
        [("endless.itself", {"function": "f", "line": 1}), ("endless.past", {"name": "n"})],
    ),
    "rising": (
        "def f(start, stop):\n    return 0 if start == stop else f(start + 2, stop)",
        "f(1, 4)",
        [("endless.itself", {"function": "f", "line": 1}), ("endless.rises", {"name": "start"})],
    ),
    "never shorter": (
        "def f(n, xs):\n    return 0 if not xs else f(n, xs[1:] + [xs[0]])",
        "f(3, [1, 2, 3])",
        [
            ("endless.itself", {"function": "f", "line": 1}),
            ("endless.stays", {"name": "xs", "count": 3}),
        ],
    ),
    "longer": (
        "def f(xs):\n    return 0 if not xs else f(xs + [1])",
        "f([1])",
        [("endless.itself", {"function": "f", "line": 1}), ("endless.grows", {"name": "xs"})],
    ),
    "longer text": (
        "def f(text):\n    return f(text + '!')",
        "f('a')",
        [("endless.itself", {"function": "f", "line": 1}), ("endless.grows", {"name": "text"})],
    ),
    "a set that is full": (
        "def f(seen):\n    return f(seen | {1})",
        "f({1, 2})",
        [
            ("endless.itself", {"function": "f", "line": 1}),
            ("endless.same", {"call": "f({1, 2})"}),
        ],
    ),
    "two functions": (
        "def f(n):\n    return g(n)\ndef g(n):\n    return f(n)",
        "f(3)",
        [("endless.cycle", {}), ("endless.same", {})],
    ),
    "a method": (
        """
        class C:
            def f(self, n):
                return self.f(n + 1)
        """,
        "C().f(3)",
        [("endless.itself", {"function": "C.f", "line": 3}), ("endless.rises", {"name": "n"})],
    ),
    "a method of the same object": (
        "class C:\n    def f(self):\n        return self.f()",
        "C().f()",
        [
            ("endless.itself", {"function": "C.f", "line": 2}),
            ("endless.same", {"call": "C.f(<C>)"}),
        ],
    ),
    "a method of new objects": (
        "class C:\n    def f(self):\n        return C().f()",
        "C().f()",
        [("endless.itself", {"function": "C.f", "line": 2})],
    ),
    "a lambda": (
        "f = lambda n: f(n - 1)",
        "f(3)",
        [
            ("endless.itself", {"function": "<lambda>", "line": 1}),
            ("endless.past", {"name": "#1"}),
        ],
    ),
    "a nested function": (
        "def f(n):\n    def go(k):\n        return go(k - 1)\n    return go(n)",
        "f(3)",
        [("endless.itself", {"function": "go", "line": 2}), ("endless.past", {"name": "k"})],
    ),
    "a generator": (
        "def g(n):\n    yield from g(n)\ndef f(n):\n    return next(g(n))",
        "f(3)",
        [
            ("endless.itself", {"function": "g", "line": 1}),
            ("endless.same", {"call": "g(3)"}),
        ],
    ),
    "a tree of calls": (
        "def f(n):\n    return 1 if n == 1 else f(n - 1) + f(n - 2)",
        "f(5)",
        [("endless.itself", {"function": "f", "line": 1}), ("endless.past", {"name": "n"})],
    ),
    "a tree of calls that ends on one side": (
        "def f(s):\n    return f(s[1:]) + f(s[:1])",
        "f('ab')",
        [("endless.itself", {"function": "f", "line": 1}), ("endless.same", {"call": "f('')"})],
    ),
    "helpers that end": (
        """
        def size(xs): return 0 if not xs else 1 + size(xs[1:])
        def f(n):
            for _ in range(2):
                size([1, 2, 3, 4])
            return f(n - 1)
        """,
        "f(3)",
        [("endless.itself", {"function": "f", "line": 3}), ("endless.past", {"name": "n"})],
    ),
    "what is done on the way back": (
        """
        def undo(board): board.pop()
        def f(board):
            board.append(1)
            try:
                return f(board)
            finally:
                undo(board)
        """,
        "f([])",
        [("endless.itself", {"function": "f", "line": 3}), ("endless.grows", {"name": "board"})],
    ),
    "more arguments than are told": (
        "def f(a, b, c, d, e, g, h, i, n):\n    return f(a, b, c, d, e, g, h, i, n + 1)",
        "f(1, 2, 3, 4, 5, 6, 7, 8, 9)",
        [("endless.itself", {"function": "f", "line": 1})],
    ),
    "lists that are too long to be told": (
        "def f(xs):\n    xs[0] += 1\n    return f(xs)",
        "f([0] * 30)",
        [
            ("endless.itself", {"function": "f", "line": 1}),
            ("endless.stays", {"name": "xs", "count": 30}),
        ],
    ),
    "what changes without a direction": (
        "def f(n):\n    return f(3 if n == 2 else 2)",
        "f(3)",
        [
            ("endless.itself", {"function": "f", "line": 1}),
            ("endless.again", {"call": "f(3)", "count": 100}),
        ],
    ),
    "__repr__": (
        "class C:\n    def __repr__(self):\n        return f'<{self}>'",
        "repr(C())",
        [
            ("endless.itself", {"function": "C.__repr__", "line": 2}),
            ("endless.same", {"call": "C.__repr__(<C>)"}),
        ],
    ),
    "__eq__": (
        "class C:\n    def __eq__(self, other):\n        return self == other",
        "C() == C()",
        [
            ("endless.itself", {"function": "C.__eq__", "line": 2}),
            ("endless.same", {"call": "C.__eq__(<C>, <C>)"}),
        ],
    ),
    "__getattr__": (
        "class C:\n    def __getattr__(self, name):\n        return self.other",
        "C().x",
        [
            ("endless.itself", {"function": "C.__getattr__", "line": 2}),
            ("endless.same", {"call": "C.__getattr__(<C>, 'other')"}),
        ],
    ),
    "__init__": (
        "class C:\n    def __init__(self):\n        self.c = C()",
        "C()",
        [("endless.itself", {"function": "C.__init__", "line": 2})],
    ),
    "a property": (
        "class C:\n    @property\n    def x(self):\n        return self.x",
        "C().x",
        [
            ("endless.itself", {"function": "C.x", "line": 3}),
            ("endless.same", {"call": "C.x(<C>)"}),
        ],
    ),
    "its own room": (
        "import sys\nsys.setrecursionlimit(5_000)\ndef f(n):\n    return f(n - 1)",
        "f(3)",
        [("endless.itself", {"function": "f", "line": 3}), ("endless.past", {"name": "n"})],
    ),
    "memory that runs out at a higher limit": (
        "def f(xs, n):\n    return f(xs + list(range(5)), n)",
        "f([], 1)",
        [("endless.itself", {"function": "f", "line": 1}), ("endless.grows", {"name": "xs"})],
    ),
}


@pytest.mark.parametrize("kind", ENDLESS)
def test_endless_recursion_is_explained(zygote: Zygote, kind: str) -> None:
    """Behind the plain message stands which calls repeat, and what their arguments do."""
    source, call, expected = ENDLESS[kind]
    (case,) = tried(zygote, source, call)
    told = said(case)
    assert Verdict.ERROR is case.verdict
    assert [PLAIN, *(key for key, _ in expected)] == list(told)
    for key, parameters in expected:
        assert parameters == {name: told[key].get(name) for name in parameters}


@pytest.mark.parametrize("names", ["fg", "fgh", "fghijk"])
def test_circle_of_calls_is_shown(zygote: Zygote, names: str) -> None:
    """Functions that call each other are told in the order in which they do."""
    pairs = zip(names, names[1:] + names[0], strict=True)
    source = "\n".join(f"def {one}({one}1): return {other}({one}1 + 1)" for one, other in pairs)
    (case,) = tried(zygote, source, "f(3)")
    told = said(case)
    way = told["endless.cycle"]["way"].split(" → ")
    first = names.index(way[0])
    assert [*names[first:], *names[:first], names[first]] == way
    assert f"{way[0]}1" == told["endless.rises"]["name"]


def test_long_circle_of_calls_is_clipped(zygote: Zygote) -> None:
    """A circle of more than six shows that there is more."""
    names = "fghijklm"
    pairs = zip(names, names[1:] + names[0], strict=True)
    (case,) = tried(zygote, "\n".join(f"def {a}(n): return {b}(n)" for a, b in pairs), "f(3)")
    way = said(case)["endless.cycle"]["way"].split(" → ")
    assert (8, "...", way[0]) == (len(way), way[6], way[7])


def test_names_of_a_submission_are_shown_harmless(zygote: Zygote) -> None:
    """A name cannot be so long that it fills the page."""
    name = "x" * 500
    (case,) = tried(zygote, f"def f({name}): return f({name} + 1)", "f(3)")
    assert 50 >= len(said(case)["endless.rises"]["name"])
    text = "'" + "`\\n" * 6 + "'"
    (case,) = tried(zygote, "def f(text): return f(text)", f"f({text})", head="")
    assert "\n" not in said(case)["endless.same"]["call"]


def test_explanation_is_the_same_each_time(zygote: Zygote) -> None:
    """The same submission is told the same."""
    source = "def f(n): return g(n)\ndef g(n): return f(n + 1)"
    first, second = (tried(zygote, source, "f(3)") for _ in range(2))
    assert first == second


SENTENCES: Final = {
    "endless.itself": {
        "de": "`f` (Zeile 1) ruft sich immer wieder selbst auf.",
        "en": "`f` (line 1) calls itself again and again.",
        "es": "`f` (línea 1) se llama a sí misma una y otra vez.",
        "fr": "`f` (ligne 1) s'appelle elle-même sans cesse.",
        "nl": "`f` (regel 1) roept telkens zichzelf op.",
    },
    "endless.stays": {
        "de": "`xs` ist jedes Mal gleich lang: Die Länge ist 1. Sollte es kürzer werden?",
        "en": "`xs` has length 1 in every call. Should it get shorter?",
        "es": "`xs` mide siempre lo mismo: su longitud es 1. ¿Debería acortarse?",
        "fr": "`xs` a chaque fois la même longueur\N{NO-BREAK SPACE}: 1. "
        "Devrait-elle diminuer\N{NO-BREAK SPACE}?",
        "nl": "`xs` is elke keer even lang: de lengte is 1. Moet het korter worden?",
    },
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_explanation_reads_well(zygote: Zygote, language: str) -> None:
    """What is told is a sentence in each language."""
    (case,) = tried(zygote, "def f(xs): return f([xs[0] + 1])", "f([3])")
    sentences = [format_message(each, language) for each in case.explanation[1:]]
    assert [texts[language] for texts in SENTENCES.values()] == sentences
