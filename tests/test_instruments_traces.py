"""Traces of endless recursion, and how the arguments of its calls are summed up."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import pytest
from instrumented_programs import look, sites, told

from grader.executor.tracing import Summaries
from grader.judging.probing import raised_recursion_error
from grader.sandbox.zygote import Zygote


def test_endless_recursion_leaves_a_trace(zygote: Zygote) -> None:
    """The last 200 calls are told with what they were given, long after the stack has ended."""
    source = "def f(n, seen=()): return g(n + 1)\ndef g(n): return f(n)"
    observation = look(zygote, source, trace=True)
    found = told(observation)
    assert raised_recursion_error(observation.call)
    assert 200 == len(found["calls"])
    assert found["total"] == sum(site.entered for site in sites(observation).values()) > 900
    numbers = [arguments[0][1] for key, arguments in found["calls"] if key == "sample.f:1"]
    assert all(after == before + 1 for before, after in pairwise(numbers))
    assert ["sized", "tuple", 0, ""] == dict(found["calls"])["sample.f:1"][1]


TRACED: Final = {
    "calls that have ended": (
        """
        def length(xs): return 0 if not xs else 1 + length(xs[1:])
        def f(n):
            length([1, 2, 3])
            return f(n - 1)
        """,
        {"f"},
    ),
    "calls on the way back": (
        """
        def undo(n): return n
        def f(n):
            try:
                return f(n + 1)
            finally:
                for _ in range(3): undo(n)
        """,
        {"f"},
    ),
    "calls after it was caught": (
        """
        def g(n): return g(n + 1)
        def other(n): return 0 if n == 0 else other(n - 1)
        def f(n):
            try:
                g(n)
            except RecursionError:
                return other(n)
        """,
        {"g"},
    ),
    "an exhausted generator": (
        """
        def up(n): yield from range(n)
        def f(n): return sum(up(3)) + f(n + 1)
        """,
        {"f"},
    ),
    "a lambda that raises": (
        """
        fail = lambda n: n // 0
        def safe(n):
            try:
                fail(n)
            except ZeroDivisionError:
                pass
        def f(n):
            safe(n)
            return f(n + 1)
        """,
        {"f"},
    ),
    "the recursion of an earlier call": (
        """
        def g(n): return 0 if n == 0 else g(n - 1)
        class A:
            def __repr__(self): return f"{self!r}"
        f = repr
        """,
        {"__repr__"},
    ),
}


@pytest.mark.parametrize("kind", TRACED)
def test_trace_is_of_calls_that_went_on_when_the_stack_was_deepest(
    zygote: Zygote, kind: str
) -> None:
    """Whatever else a submission calls meanwhile does not look like part of its recursion."""
    source, expected = TRACED[kind]
    call = "f(A())" if "A" in source else "f(n)"
    setup = ("g(500)",) if "A" in source else ()
    found = told(look(zygote, source, call=call, setup=setup, trace=True, always=True))
    keys = [key for key, _ in found["calls"]]
    assert 200 == len(keys)
    assert expected == {key.rpartition(":")[0].rpartition(".")[2] for key in keys[-150:-10]}
    assert 300 < found["depth"] < 1_000


def test_trace_of_many_arguments_says_that_there_are_more(zygote: Zygote) -> None:
    """Eight arguments of a call are told, and whether there were others."""
    source = "def f(n, *, a=1, b=2, c=3, d=4, e=5, g=6, h=7, i=8): return n"
    (call,) = told(look(zygote, source, trace=True))["calls"]
    assert [*(["int", each] for each in (5, 1, 2, 3, 4, 5, 6, 7)), ["more"]] == call[1]


def test_arguments_are_summed_up_without_the_submission(zygote: Zygote) -> None:
    """No method of a submission is called, and the same object has the same number."""
    source = """
        class Board:
            def __repr__(self): raise SystemExit
            __str__ = __len__ = __hash__ = __eq__ = __getattribute__ = __class__ = __repr__
        class Liar(list):
            def __len__(self): raise SystemExit
        b, c = Board(), Board()
        def g(*args, **kwargs): return 1 if kwargs else g(5, None, True, 0.5, "x" * 30, k=2)
        def f(n): return g(b, c, b, Liar([1]))
    """
    *_, first, last = told(look(zygote, source, trace=True))["calls"]
    liar = ["object", "Liar", 3]
    objects = [["object", "Board", number] for number in (1, 2)]
    assert ["sized", "tuple", 4, None] == first[1][0]
    assert ["sized", "tuple", 5, "5, None, True, 0.5, 'xxxxxxxxxxxxxxxxxxxx'"] == last[1][0]
    assert ["sized", "dict", 1, "'k': 2"] == last[1][1]
    source = source.replace("*args, **kwargs", "a, b, c=0, d=0, e=0, k=0").replace(
        "if kwargs", "if k"
    )
    *_, first, last = told(look(zygote, source, trace=True))["calls"]
    assert [objects[0], objects[1], objects[0], liar] == first[1][:4]


SUMMED_UP: Final[list[tuple[object, list[object]]]] = [
    (None, ["none"]),
    (True, ["bool", True]),
    (-5, ["int", -5]),
    (0.5, ["float", "0.5"]),
    (-(10**12) - 7, ["int", "-...000000000007 (40 bits)"]),
    ("\ud800" + "a" * 30, ["str", 31, "\ud800" + "a" * 19]),
    ([], ["sized", "list", 0, ""]),
    ([1, "b"], ["sized", "list", 2, "1, 'b'"]),
    (((1, 2), (3,)), ["sized", "tuple", 2, "(1, 2), (3,)"]),
    ((5, ((1, 2), (3, 4))), ["sized", "tuple", 2, "5, ((1, 2), (3, 4))"]),
    (((1, 2, 3, 4), (5, 6, 7)), ["sized", "tuple", 2, None]),
    ([[1]], ["sized", "list", 1, None]),
    ({3, 1, 2}, ["sized", "set", 3, "1, 2, 3"]),
    ({"a": 1}, ["sized", "dict", 1, "'a': 1"]),
    (b"ab", ["sized", "bytes", 2, "97, 98"]),
    (range(3), ["sized", "range", 3, "0, 1, 2"]),
    (range(10**30), ["sized", "range", 10**12, None]),
    (list(range(7)), ["sized", "list", 7, None]),
    (object, ["object", "type", 1]),
]


@pytest.mark.parametrize(("value", "summary"), SUMMED_UP, ids=lambda each: ascii(each)[:30])
def test_summary(value: object, summary: list[object]) -> None:
    """A value is told by its type, its size and, if it is short, what is in it."""
    assert summary == Summaries().summarise(value)
