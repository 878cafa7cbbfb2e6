"""Recursion that went too deep is explained: the circle of calls, and what their arguments do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pytest
from builders import by_id, graded

from grader.messages import Message
from grader.probing.calls import Site
from grader.probing.cycles import Call, in_circles, traced_calls, why_endless
from grader.record import CaseResult
from grader.sandbox.zygote import Zygote
from grader.verdict import Verdict
from grader.wording import LANGUAGES, say

PLAIN: Final = "error.recursion"


def tried(zygote: Zygote, source: str, *steps: str, head: str = "") -> list[CaseResult]:
    """Return the cases of `steps`, which should give 6, on `source`; actions give no case."""
    lines = [f"- {{do: {step!r}, returns: '6', group: g}}" for step in steps]
    return among(zygote, source, lines, head)


def among(zygote: Zygote, source: str, steps: list[str], head: str = "") -> list[CaseResult]:
    """Return the cases of a session of `steps` in YAML on `source`."""
    body = "\n".join(
        [head, "groups: [{id: g, points: 1}]", "sessions:", "- id: s", "  steps:"]
        + [f"  {line}" for line in steps]
    )
    return list(by_id(graded(zygote, body, source)).values())


def said(case: CaseResult) -> dict[str, dict[str, Any]]:
    """Return what is said of `case`: the parameters of each message by its key."""
    return {each.key: dict(each.parameters) for each in case.explanation}


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


DEEP: Final = {
    "as it is": "def f(n):\n    return 6 if n == 0 else f(n - 1)",
    "wrong": "def f(n):\n    return 7 if n == 0 else f(n - 1)",
    "with an exception": "def f(n):\n    return 7 // n + f(n - 1)",
    "with too low a limit of its own": """
        import sys
        sys.setrecursionlimit(2_500)
        def f(n):
            return 6 if n == 0 else f(n - 1)
    """,
}


@pytest.mark.parametrize("kind", DEEP)
def test_deep_recursion_is_not_called_endless(zygote: Zygote, kind: str) -> None:
    """What ends when it has more room is told so, instead of what is said of endless ones."""
    (case,) = tried(zygote, DEEP[kind], "f(3_000)")
    assert Verdict.ERROR is case.verdict
    assert {"endless.deep": {"depth": 3_001}} == said(case)


def test_deep_recursion_of_two_functions_counts_the_calls_of_both(zygote: Zygote) -> None:
    """What is told is how many calls went on at the same time."""
    source = """
        def f(n): return 6 if n == 0 else g(n)
        def g(n): return f(n - 1)
        def h(n): return f(n) + f(n)
    """
    (case,) = tried(zygote, source, "h(3_000)")
    assert {"endless.deep": {"depth": 6_002}} == said(case)


def test_deep_recursion_with_room_of_its_own_passes(zygote: Zygote) -> None:
    """Who raises the limit may go deep."""
    source = f"import sys\nsys.setrecursionlimit(4_000)\n{DEEP['as it is']}"
    (case,) = tried(zygote, source, "f(3_000)")
    assert (Verdict.PASSED, {}) == (case.verdict, said(case))


def test_recursion_that_is_deeper_than_a_suite_allows_is_not_said_to_end(zygote: Zygote) -> None:
    """The room of the suite is all there is to find out in."""
    head = "limits: {recursion: 2000}"
    (case,) = tried(zygote, DEEP["as it is"], "f(3_000)", head=head)
    assert [PLAIN, "endless.itself"] == list(said(case))


@pytest.mark.parametrize(
    ("source", "call"),
    [
        ("def f(n):\n    raise RecursionError('no')", "f(3)"),
        (
            "def f(n):\n    xs = []\n    for _ in range(3_000): xs = [xs]\n    return repr(xs)",
            "f(3)",
        ),
    ],
    ids=["raised by hand", "in the interpreter"],
)
def test_nothing_is_said_of_what_is_no_recursion(zygote: Zygote, source: str, call: str) -> None:
    """Where no function calls itself there is no circle to tell of."""
    (case,) = tried(zygote, source, call)
    assert ["error.too_deep"] == list(said(case))


def test_recursion_error_that_is_caught_is_not_explained(zygote: Zygote) -> None:
    """Who catches it has an answer, right or wrong, or another exception."""
    source = """
        def g(n): return g(n + 1)
        def f(n):
            try:
                return g(n)
            except RecursionError:
                return n
        def h(n):
            try:
                return g(n)
            except RecursionError:
                raise ValueError(n) from None
    """
    right, wrong, raised = tried(zygote, source, "f(6)", "f(5)", "h(3)")
    assert Verdict.PASSED is right.verdict
    assert ["wrong.value"] == list(said(wrong))[:1]
    assert not any(key.startswith("endless.") for key in (*said(wrong), *said(raised)))
    assert Verdict.ERROR is raised.verdict


def test_refused_step_that_goes_too_deep_is_explained_or_not_but_judged(zygote: Zygote) -> None:
    """A step that must raise something else does not break the grading."""
    source = "def f(n): return f(n)\ndef g(): return 0"
    steps = [
        "- {do: x = g()}",
        "- {do: f(x), raises: ValueError, group: g, unchanged: [x]}",
        "- {do: f(4), raises: RecursionError, group: g}",
    ]
    refused, asked = among(zygote, source, steps)
    assert Verdict.PASSED is asked.verdict
    assert Verdict.PASSED is not refused.verdict


def test_set_up_that_goes_too_deep_is_not_explained(zygote: Zygote) -> None:
    """A case that was never reached says so, and no more."""
    source = "def f(n): return f(n)"
    steps = ["- {do: x = f(3)}", "- {do: x + 1, returns: '6', group: g}"]
    (case,) = among(zygote, source, steps)
    assert Verdict.SKIPPED is case.verdict
    assert ["skipped.step"] == list(said(case))


def test_set_up_of_a_case_is_no_part_of_its_explanation(zygote: Zygote) -> None:
    """What went deep before, and came to its end, is not what went too deep."""
    source = """
        def g(n): return 0 if n == 0 else g(n - 1)
        class C:
            def __repr__(self): return f"{self!r}"
    """
    steps = ["- {do: x = g(900)}", "- {do: 'repr(C()) + x', returns: '6', group: g}"]
    (case,) = among(zygote, source, steps)
    assert "C.__repr__" == said(case)["endless.itself"]["function"]


@pytest.mark.parametrize("visibility", ["hidden", "staff"])
def test_nothing_is_explained_of_hidden_sessions(zygote: Zygote, visibility: str) -> None:
    """What hidden cases call a function with stays hidden."""
    body = f"""
        groups: [{{id: g, points: 1}}]
        sessions:
        - id: s
          visibility: {visibility}
          steps:
          - {{do: f(3), returns: '6', group: g}}
    """
    record = graded(zygote, body, "def f(n): return f(n)")
    (case,) = by_id(record).values()
    assert Verdict.ERROR is case.verdict
    assert [PLAIN] == list(said(case))


def test_three_cases_are_explained(zygote: Zygote) -> None:
    """Those beyond keep the plain message: most often they fail for the same reason."""
    cases = tried(zygote, "def f(n): return f(n - 1)", *(f"f({n})" for n in range(5)))
    explained = [PLAIN, "endless.itself", "endless.past"]
    assert [explained] * 3 + [[PLAIN]] * 2 == [list(said(case)) for case in cases]


def test_other_cases_are_as_they_would_be(zygote: Zygote) -> None:
    """What an explanation runs counts for no other case."""
    source = "def f(n): return 6 if n == 6 else f(n - 1)"
    verdicts = [case.verdict for case in tried(zygote, source, "f(6)", "f(5)", "f(8)", "f(3)")]
    assert [Verdict.PASSED, Verdict.ERROR, Verdict.PASSED, Verdict.ERROR] == verdicts


TRICKS: Final = {
    "takes its time with more room": """
        import sys
        def f(n):
            while sys.getrecursionlimit() > 5_000: pass
            return f(n + 1)
    """,
    "ends the program with more room": """
        import os, sys
        def f(n):
            if sys.getrecursionlimit() > 5_000: os._exit(0)
            return f(n + 1)
    """,
}


@pytest.mark.parametrize("trick", TRICKS)
def test_session_that_dies_with_more_room_takes_nothing_away(zygote: Zygote, trick: str) -> None:
    """What was traced is told all the same, and other cases are explained without that session."""
    head = "limits: {cpu_s: 0.3}"
    cases = tried(zygote, TRICKS[trick], "f(1)", "f(2)", head=head)
    explained = [PLAIN, "endless.itself", "endless.rises"]
    assert [explained] * 2 == [list(said(case)) for case in cases]


RUBBISH: Final = {
    "rubbish": "lambda: 'no JSON'",
    "a number": "lambda: 5",
    "other JSON": "lambda: '[1]'",
    "nothing in it": "lambda: '{}'",
    "other shapes": """lambda: '{"sites": 1, "edges": 2, "cuts": 3, "spread": 4, "calls": 5}'""",
    "an exception": "lambda: 1 // 0",
    "the end": "lambda: __import__('os')._exit(0)",
    "nested lists": "lambda: '[' * 50_000",
    "endless depth": '''lambda: """{"sites": [["sample.f:9", 9, 8, 9]], "edges": [], "cuts": 0,
        "spread": [], "calls": [], "depth": 1e999}"""''',
}


@pytest.mark.parametrize("kind", RUBBISH)
def test_forged_evidence_explains_nothing(zygote: Zygote, kind: str) -> None:
    """A submission that finds the instruments can only take the explanation away from itself."""
    source = f"""
import builtins
forged = {RUBBISH[kind]}
for name in list(vars(builtins)):
    if name.endswith("_evidence__"):
        setattr(builtins, name, forged)
def f(n): return f(n + 1)
"""
    (case,) = tried(zygote, source, "f(3)")
    assert Verdict.ERROR is case.verdict
    assert [PLAIN] == list(said(case))


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
        "en": "`f` (line 1) calls itself again and again.",
        "es": "`f` (línea 1) se llama a sí misma una y otra vez.",
        "nl": "`f` (regel 1) roept telkens zichzelf aan.",
    },
    "endless.stays": {
        "en": "`xs` never gets shorter: its length is 1 each time.",
        "es": "`xs` nunca se acorta: su longitud es siempre 1.",
        "nl": "`xs` wordt nooit korter: de lengte is telkens 1.",
    },
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_explanation_reads_well(zygote: Zygote, language: str) -> None:
    """What is told is a sentence in each language."""
    (case,) = tried(zygote, "def f(xs): return f([xs[0] + 1])", "f([3])")
    sentences = [say(each, language) for each in case.explanation[1:]]
    assert [texts[language] for texts in SENTENCES.values()] == sentences


# What is made of traced calls


def calls(keys: str, arguments: Any = None) -> list[Call]:
    """Return calls of functions with one letter; `arguments` has those of each."""
    given = arguments or [()] * len(keys)
    return [
        Call(Site(key=f"m.{key}:1", entered=1, reentered=0, deepest=1), tuple(each))
        for key, each in zip(keys, given, strict=True)
    ]


@pytest.mark.parametrize(
    ("keys", "stretch", "length"),
    [
        ("", "", 1),
        ("f", "", 1),
        ("ff", "", 1),
        ("fff", "fff", 1),
        ("fgfg", "", 1),
        ("fgfgfg", "fgfgfg", 2),
        ("fgfgf", "", 1),
        ("abcfgfgfg", "fgfgfg", 2),
        ("fgfgfgabc", "fgfgfg", 2),
        ("ffffffffghhh", "ffffffff", 1),
        ("fffggggg", "ggggg", 1),
        ("fghfghfgh", "fghfghfgh", 3),
        ("fghfghfghf", "fghfghfghf", 3),
        ("abcdefghij", "", 1),
        ("ffgffgffg", "ffgffgffg", 3),
    ],
)
def test_longest_stretch_that_goes_in_circles(keys: str, stretch: str, length: int) -> None:
    """A circle is seen three times, and is as short as it can be."""
    found, of_one = in_circles(calls(keys))
    assert (stretch, length) == ("".join(each.site.key[2] for each in found), of_one)


def why(keys: str, *arguments: Any, names: tuple[str, ...] = ("n",)) -> list[Message]:
    """Return what is said of calls of `keys` whose only argument is each of `arguments`."""
    given = [(each,) for each in arguments]
    return list(why_endless(calls(keys, given), {("m.f", 1): names}))[1:]


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        ([["int", 1], ["int", 0], ["int", -1]], "endless.past"),
        ([["int", 3], ["int", 2], ["int", 1]], None),
        ([["int", 3], ["int", 2], ["int", 2]], None),
        ([["int", 3], ["int", 4], ["int", 4]], None),
        ([["int", 3], ["int", 4], ["int", 6]], "endless.rises"),
        ([["int", 3], ["int", 4], ["float", "6.0"]], None),
        ([["int", True], ["int", 4], ["int", 6]], None),
        ([["int", "...7 (90 bits)"]] * 3, None),
        ([["sized", "list", 9, None]] * 3, "endless.stays"),
        ([["sized", "list", 0, None]] * 3, None),
        ([["sized", "list", n, None] for n in (7, 8, 9)], "endless.grows"),
        ([["sized", "list", n, None] for n in (9, 8, 7)], None),
        ([["str", 30, "a" * 20]] * 3, "endless.stays"),
        ([["str", 2, "ab"]] * 3, "endless.same"),
        ([["object", "C", 1]] * 3, "endless.same"),
        ([["object", "C", 0]] * 3, None),
        ([["object", "C", n] for n in (1, 2, 3)], None),
        ([["none"]] * 3, "endless.same"),
        ([["more"]] * 3, None),
        ([["surprise", 5]] * 3, None),
    ],
)
def test_what_is_said_of_one_argument(arguments: list[list[object]], key: str | None) -> None:
    """Only what is sure is said: that it passed zero, rises, grows, stays, or is the same."""
    assert ([key] if key else []) == [each.key for each in why("fff", *arguments)]


def test_calls_with_different_numbers_of_arguments_are_not_compared() -> None:
    """A site whose calls do not look alike has been forged."""
    given = [(["int", 1],), (["int", 2], ["int", 3]), ()]
    assert ["endless.itself"] == [each.key for each in why_endless(calls("fff", given), {})]


def test_argument_without_a_name_has_a_number() -> None:
    """Where the source does not tell the names, their place does."""
    numbers = [["int", n] for n in (1, 2, 3)]
    (rises,) = why("fff", *numbers, names=())
    assert ("name", "#1") in rises.parameters


def evidence(**changed: object) -> Mapping[str, Any]:
    """Return the evidence of three calls of `m.f`, with some facts changed."""
    call = ["m.f:1", [["int", 3]]]
    facts = {
        "sites": [["m.f:1", 4, 3, 4]],
        "edges": [["m.f:1", "m.f:1"]],
        "cuts": 0,
        "spread": [],
        "calls": [call] * 3,
    }
    return {**facts, **changed}


def test_traced_calls_are_those_of_the_evidence() -> None:
    """Each call has its site, and a summary of each argument."""
    (first, *_) = found = traced_calls(evidence())
    assert (3, "m.f:1", (("int", 3),)) == (len(found), first.site.key, first.arguments)


_nested: list[Any] = []
for _ in range(900):
    _nested = [_nested]
_FAR_DOWN: Final = "m.f:" + "9" * 99
MALFORMED: Final = {
    "no evidence": None,
    "nothing": {},
    "no calls": evidence(calls=None),
    "too many calls": evidence(calls=[["m.f:1", []]] * 201),
    "calls of no site": evidence(calls=[[5, []]] * 3),
    "calls without arguments": evidence(calls=[["m.f:1"]] * 3),
    "calls with more": evidence(calls=[["m.f:1", [], 5]] * 3),
    "arguments of another shape": evidence(calls=[["m.f:1", {}]] * 3),
    "an empty summary": evidence(calls=[["m.f:1", [[]]]] * 3),
    "a summary that is none": evidence(calls=[["m.f:1", ["int"]]] * 3),
    "a nested summary": evidence(calls=[["m.f:1", [["int", _nested]]]] * 3),
    "a fraction": evidence(calls=[["m.f:1", [["int", 0.5]]]] * 3),
    "a number beyond belief": evidence(calls=[["m.f:1", [["int", -(10**100)]]]] * 3),
    "a length beyond belief": evidence(calls=[["m.f:1", [["str", 10**100, "a"]]]] * 3),
    "a line beyond belief": evidence(
        calls=[[_FAR_DOWN, []]] * 3, sites=[[_FAR_DOWN, 4, 3, 4]], edges=[[_FAR_DOWN] * 2]
    ),
    "the key of a call that is too long": evidence(calls=[["m.f:" + "9" * 5_000, []]] * 3),
    "a call that leads nowhere": evidence(edges=[]),
    "edges of another shape": evidence(edges=[["m.f:1"]]),
    "too many edges": evidence(edges=[["m.f:1", "m.f:1"]] * 501),
    "keys that are too long": evidence(edges=[["m.f:1", "f" * 1_001]]),
    "sites of another shape": evidence(sites=[["m.f:1", 4, 3]]),
    "counts below zero": evidence(sites=[["m.f:1", 4, -3, 4]]),
    "counts beyond belief": evidence(sites=[["m.f:1", 10**100, 3, 4]]),
    "cuts of another shape": evidence(cuts="0"),
    "shares of another shape": evidence(spread=[[1]]),
}


@pytest.mark.parametrize("kind", MALFORMED)
def test_malformed_evidence_tells_of_no_calls(kind: str) -> None:
    """Whatever is out of shape is believed in nothing."""
    assert () == traced_calls(MALFORMED[kind])
