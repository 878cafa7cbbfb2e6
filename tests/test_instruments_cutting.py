"""How instruments cut a recursion, and what a call that is cut gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import pytest
from instrumented_programs import DIRECT, Site, gave, look, prober, sites, told

from grader.judging.probing import Probe, ProbeStep
from grader.sandbox.observation import Raised, Returned
from grader.sandbox.zygote import Zygote
from grader.values.display import literal


def test_cut_of_a_decorative_call_changes_nothing(zygote: Zygote) -> None:
    """A call of itself that nobody needs can be cut: the answer stays right."""
    source = """
        def f(n, again=True):
            if again:
                f(n, False)
            total = 0
            for k in range(n + 1):
                total += k
            return total
    """
    plain, without = look(zygote, source), look(zygote, source, cut=["sample.f:2"])
    assert (15, 15) == (gave(plain), gave(without))
    assert (0, 1) == (told(plain)["cuts"], told(without)["cuts"])
    assert Site(2, 1, 2) == sites(plain)["f"]
    assert Site(1, 0, 1) == sites(without)["f"]


@dataclass(frozen=True, slots=True)
class Cut:
    """What a recursion gives when the site `key` is cut, and when it gives its leaf instead."""

    source: str
    key: str
    cut: object
    """What the call gives; the name of an exception that it raises."""
    leaf: object
    call: str = "f(n)"


CUT: Final = {
    "def": Cut(
        """
        def f(n): return (7,) if n == 0 else (n, f(n - 1))[1]
        """,
        "f:2",
        None,
        7,
        call="f(n) and f(n)[0]",
    ),
    "several returns": Cut(
        """
        def f(n):
            if n == 0: return 10
            if n % 2: return f(n - 1) or 3
            return f(n - 1)
        """,
        "f:2",
        3,
        10,
    ),
    "implicit None": Cut(
        """
        def f(n):
            if n: f(n - 1)
            given.append(n)
            return len(given) if n == 5 else None
        given = []
        """,
        "f:2",
        1,
        7,  # 6 of them when it learns
    ),
    "return in try and finally": Cut(
        """
        def f(n):
            try:
                if n == 0: return 4
                return n + f(n - 1)
            finally:
                if n == 5: return 50
                if n == 0: return 8
        """,
        "f:2",
        50,
        50,
    ),
    "return in finally wins": Cut(
        """
        def f(n):
            try:
                return 4 if n == 0 else f(n - 1)
            finally:
                if n == 0: return 8
        """,
        "f:2",
        None,
        8,
    ),
    "except as base": Cut(
        """
        def f(n):
            try:
                return 100 // n + f(n - 1)
            except ZeroDivisionError:
                return 1
        """,
        "f:2",
        "TypeError",
        21,
    ),
    "method": Cut(
        """
        class A:
            def total(self, n): return 1 if n == 0 else n + self.total(n - 1)
        """,
        "A.total:3",
        "TypeError",
        6,
        call="A().total(n)",
    ),
    "nested": Cut(
        """
        def f(n):
            def go(k): return 1 if k == 0 else k + go(k - 1)
            return go(n)
        """,
        "f.<locals>.go:3",
        "TypeError",
        6,
    ),
    "lambda": Cut(
        "f = lambda n: 1 if n == 0 else n + f(n - 1)",
        "<lambda>:1",
        "TypeError",
        6,
    ),
    "generator": Cut(
        """
        def down(n):
            yield n
            if n: yield from down(n - 1)
        def f(n): return sum(down(n))
        """,
        "down:2",
        5,
        5,
    ),
    "value that cannot be copied": Cut(
        """
        class One:
            value = 1
            def __deepcopy__(self, memo): raise SystemError
        one = One()
        def f(n): return one if n == 0 else (n, f(n - 1))[1]
        """,
        "f:6",
        None,
        1,
        call="getattr(f(n), 'value', None)",
    ),
    "each gets a copy": Cut(
        """
        def f(n):
            if n == 0: return [1]
            rest = f(n - 1) or []
            rest.append(n)
            return rest
        def g(n): return sum(f(n) + f(n))
        """,
        "f:2",
        10,
        12,
        call="g(n)",
    ),
    "the leaf is that of the first innermost call": Cut(
        """
        def f(n): return next(leaves) if n < 2 else f(n - 1) + f(n - 2)
        leaves = iter(range(3, 100))
        """,
        "f:2",
        "TypeError",
        6,
    ),
    "an exception in the middle": Cut(
        """
        def f(n):
            if n == 0: raise KeyError
            try:
                return n + f(n - 1)
            except KeyError:
                return 3
        """,
        "f:2",
        "TypeError",
        "TypeError",  # the first call to end gives nothing
    ),
}


@pytest.mark.parametrize("kind", CUT)
def test_cut_call_gives_nothing_or_what_its_leaf_gave(zygote: Zygote, kind: str) -> None:
    """A call that is cut gives None, or what the first call to end gave that was a re-entry."""
    each = CUT[kind]
    call = ProbeStep(code=each.call, is_expression=True)
    probe = Probe(sizes=(5,), setup=(), call=call, modules=("sample",))
    probing = prober(zygote, each.source)
    for expected, leaf in ((each.cut, False), (each.leaf, True)):
        observation = probing.cut_session(
            probe, 5, [f"sample.{each.key}"], leaf_size=5 if leaf else None
        ).observe()
        assert told(observation)["cuts"] > 0
        if isinstance(observation.call.outcome, Raised):
            assert expected == observation.call.outcome.type_names[0]
        else:
            assert expected == gave(observation)


WHOLE: Final = {
    "def": ("def f(n): return 1 if n == 0 else n + f(n - 1)", "f:1", 1),
    "method": (
        """
        class A:
            def go(self, n): return 1 if n == 0 else n + self.go(n - 1)
        def f(n): return A().go(n)
        """,
        "A.go:3",
        1,
    ),
    "lambda": ("f = lambda n: 1 if n == 0 else n + f(n - 1)", "<lambda>:1", 1),
    "generator": (
        """
        def down(n):
            yield n
            if n: yield from down(n - 1)
        def f(n): return list(down(n)) or None
        """,
        "down:2",
        None,
    ),
}


@pytest.mark.parametrize("kind", WHOLE)
def test_whole_function_can_be_cut(zygote: Zygote, kind: str) -> None:
    """The first call is cut like the others, and gives nothing or the same leaf."""
    source, key, leaf = WHOLE[kind]
    call = ProbeStep(code="f(n)", is_expression=True)
    probe, probing = (
        Probe(sizes=(5,), setup=(), call=call, modules=("sample",)),
        prober(zygote, source),
    )
    for expected, by_leaf in ((None, False), (leaf, True)):
        observation = probing.cut_session(
            probe, 5, [f"sample.{key}"], leaf_size=5 if by_leaf else None, all_calls=True
        ).observe()
        assert expected == gave(observation)
        assert 1 == told(observation)["cuts"]


@pytest.mark.parametrize("source", [DIRECT, "f = lambda n: 0 if n == 0 else n + f(n - 1)"])
def test_leaf_of_a_deep_recursion_is_learned(zygote: Zygote, source: str) -> None:
    """Learning takes next to no room on the stack, and leaves the counts right."""
    (key,) = (key for key, *_ in told(look(zygote, source))["sites"])
    call = ProbeStep(code="f(n)", is_expression=True)
    probe = Probe(sizes=(960,), setup=(), call=call, modules=("sample",))
    observation = prober(zygote, source).cut_session(probe, 960, [key], leaf_size=960).observe()
    assert 960 == gave(observation)
    assert [key, 962, 960, 961] == told(observation)["sites"][0]


def test_nothing_is_learned_outside_the_call(zygote: Zygote) -> None:
    """What a set-up gives, and what a first call gives, is no leaf."""
    probe = Probe(
        sizes=(5,),
        setup=(ProbeStep(code="before = f(3)", is_expression=False),),
        call=ProbeStep(code="f(0), before", is_expression=True),
        modules=("sample",),
    )
    source = """
        def f(n): return [1] if n == 0 else f(n - 1)
    """
    observation = (
        prober(zygote, source)
        .cut_session(probe, 5, ["sample.f:2"], leaf_size=5, all_calls=True)
        .observe()
    )
    assert isinstance(observation.call.outcome, Returned)
    assert "(None, [1])" == literal(observation.call.outcome.value)
