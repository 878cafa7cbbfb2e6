"""What instruments see of a submission, how they cut it, and that nothing else changes."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from typing import Any, Final

import pytest

from grader.demands import Probe, ProbeStep
from grader.display import literal
from grader.executor.summaries import Summaries
from grader.executor.transforming import compiled
from grader.importable import packages_among
from grader.intake.submissions import Entry, read
from grader.judge import runner_for
from grader.limits import Limits
from grader.loading import load_suite
from grader.observation import Frame, Raised, Returned
from grader.planning import whole_session
from grader.probing.prober import Prober, Sighting, raised_recursion_error
from grader.program import Program
from grader.sandbox.nursery import Nursery, new_nursery
from grader.sandbox.zygote import Zygote
from grader.sessions import Gate, SessionRunner
from grader.values import Atom

ROOT: Final = Path(__file__).resolve().parents[1]
PROBE: Final = "__probe_1a2b3c4d"


@dataclass(frozen=True, slots=True)
class Site:
    """What the evidence says of one function."""

    entered: int
    reentered: int
    deepest: int


def prober(zygote: Zygote, source: str, **modules: str) -> Prober:
    """Return what probes `source`, with further modules by name."""
    sources = {name: (f"{name}.py", dedent(text)) for name, text in modules.items()}
    sources["sample"] = ("sample.py", dedent(source))
    program = Program.of("sample", sources, {})
    return Prober(SessionRunner(zygote, program, Limits(), Gate()))


def look(
    zygote: Zygote,
    source: str,
    size: int = 5,
    *,
    call: str = "f(n)",
    setup: tuple[str, ...] = (),
    **settings: object,
) -> Sighting:
    """Return what a probe of `call` shows."""
    steps = tuple(ProbeStep(code=code, is_expression=False) for code in setup)
    probe = Probe(sizes=(size,), setup=steps, call=ProbeStep(code=call, is_expression=True))
    return prober(zygote, source).look(probe, size, settings=settings)


def gave(sighting: Sighting) -> object:
    """Return the plain value of the call, which must not fail."""
    assert isinstance(sighting.call.outcome, Returned), sighting.call
    assert isinstance(sighting.call.outcome.value, Atom)
    return sighting.call.outcome.value.value


def told(sighting: Sighting) -> Mapping[str, Any]:
    """Return the evidence, which must be there."""
    assert sighting.evidence is not None, sighting
    return sighting.evidence


def sites(sighting: Sighting) -> dict[str, Site]:
    """Return the sites by the end of their keys, without module and line."""
    return {
        key.removeprefix("sample.").rpartition(":")[0]: Site(*counts)
        for key, *counts in told(sighting)["sites"]
    }


DIRECT: Final = """
    def f(n):
        if n == 0:
            return 0
        return n + f(n - 1)
"""
GUISES: Final = {
    "direct": (DIRECT, "f"),
    "mutual": (
        """
        def f(n): return 0 if n == 0 else n + g(n)
        def g(n): return f(n - 1)
        """,
        "f",
    ),
    "nested": (
        """
        def f(n):
            def go(k):
                return 0 if k == 0 else k + go(k - 1)
            return go(n)
        """,
        "f.<locals>.go",
    ),
    "method": (
        """
        class Adder:
            def add(self, n): return 0 if n == 0 else n + self.add(n - 1)
        def f(n): return Adder().add(n)
        """,
        "Adder.add",
    ),
    "private method": (
        """
        class Adder:
            def __add(self, n, __rest=0): return __rest if n == 0 else n + self.__add(n - 1)
            def start(self, n): return self.__add(n)
        def f(n): return Adder().start(n)
        """,
        "Adder.__add",
    ),
    "inherited": (
        """
        class Base:
            def add(self, n): return 0 if n == 0 else n + self.add(n - 1)
        class Adder(Base):
            def add(self, n): return super().add(n)
        def f(n): return Adder().add(n)
        """,
        "Base.add",
    ),
    "lambda": ("f = lambda n: 0 if n == 0 else n + f(n - 1)", "<lambda>"),
    "Y combinator": (
        """
        def y(g): return (lambda x: x(x))(lambda x: g(lambda v: x(x)(v)))
        f = y(lambda go: lambda n: 0 if n == 0 else n + go(n - 1))
        """,
        "<lambda>.<locals>.<lambda>",
    ),
    "through a dict": (
        """
        def f(n): return TABLE[n == 0](n)
        def more(n): return n + f(n - 1)
        def stop(n): return 0
        TABLE = {False: more, True: stop}
        """,
        "f",
    ),
    "generator": (
        """
        def down(n):
            if n:
                yield n
                yield from down(n - 1)
        def f(n): return sum(down(n))
        """,
        "down",
    ),
    "generator in a loop": (
        """
        def down(n):
            if n:
                for k in down(n - 1):
                    yield k
                yield n
        def f(n): return sum(down(n))
        """,
        "down",
    ),
    "cached": (
        """
        from functools import lru_cache
        @lru_cache(maxsize=None)
        def f(n): return 0 if n == 0 else n + f(n - 1)
        """,
        "f",
    ),
    "decorated": (
        """
        from functools import wraps
        def logged(function):
            @wraps(function)
            def wrapper(*args, **kwargs):
                return function(*args, **kwargs)
            return wrapper
        @logged
        def f(n): return 0 if n == 0 else n + f(n - 1)
        """,
        "f",
    ),
    "__call__": (
        """
        class Adder:
            def __call__(self, n): return 0 if n == 0 else n + self(n - 1)
        f = Adder()
        """,
        "Adder.__call__",
    ),
    "__getitem__": (
        """
        class Sums:
            def __getitem__(self, n): return 0 if n == 0 else n + self[n - 1]
        def f(n): return Sums()[n]
        """,
        "Sums.__getitem__",
    ),
    "property": (
        """
        class Link:
            def __init__(self, n): self.n = n
            @property
            def total(self): return 0 if self.n == 0 else self.n + Link(self.n - 1).total
        def f(n): return Link(n).total
        """,
        "Link.total",
    ),
    "comprehension": ("def f(n): return n + sum([f(k) for k in range(n - 1, n) if n])", "f"),
    "coroutine": (
        """
        async def add(n): return 0 if n == 0 else n + await add(n - 1)
        def f(n):
            try:
                add(n).send(None)
            except StopIteration as end:
                return end.value
        """,
        "add",
    ),
    "keyword arguments": (
        """
        def f(n, /, rest=0, *more, extra=1, **others):
            del more, others
            return rest if n == 0 else f(n - 1, rest + n, extra=extra)
        """,
        "f",
    ),
}


@pytest.mark.parametrize("size", [5, 20])
@pytest.mark.parametrize("guise", GUISES)
def test_recursion_is_counted_in_every_guise(zygote: Zygote, guise: str, size: int) -> None:
    """The site of the recursion is entered, re-entered and as deep as the size says."""
    source, key = GUISES[guise]
    sighting = look(zygote, source, size)
    site = sites(sighting)[key]
    assert size * (size + 1) // 2 == gave(sighting)
    assert Site(size + 1, size, size + 1) == site


@pytest.mark.parametrize("guise", GUISES)
def test_cut_recursion_gives_wrong_answers(zygote: Zygote, guise: str) -> None:
    """Without its recursion a function that lives by it fails or answers something else."""
    source, key = GUISES[guise]
    (site,) = [
        site
        for site, *_ in told(look(zygote, source))["sites"]
        if site.removeprefix("sample.").rpartition(":")[0] == key
    ]
    without = look(zygote, source, cut=[site])
    assert told(without)["cuts"] > 0
    assert isinstance(without.call.outcome, Raised) or gave(without) != 15


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
    probe = Probe(sizes=(5,), setup=(), call=call)
    probing = prober(zygote, each.source)
    for expected, leaf in ((each.cut, False), (each.leaf, True)):
        sighting = probing.cut(probe, 5, [f"sample.{each.key}"], leaf_of=5 if leaf else None)
        assert told(sighting)["cuts"] > 0
        if isinstance(sighting.call.outcome, Raised):
            assert expected == sighting.call.outcome.type_names[0]
        else:
            assert expected == gave(sighting)


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
    probe, probing = Probe(sizes=(5,), setup=(), call=call), prober(zygote, source)
    for expected, by_leaf in ((None, False), (leaf, True)):
        sighting = probing.cut(
            probe, 5, [f"sample.{key}"], leaf_of=5 if by_leaf else None, whole=True
        )
        assert expected == gave(sighting)
        assert 1 == told(sighting)["cuts"]


@pytest.mark.parametrize("source", [DIRECT, "f = lambda n: 0 if n == 0 else n + f(n - 1)"])
def test_leaf_of_a_deep_recursion_is_learned(zygote: Zygote, source: str) -> None:
    """Learning takes next to no room on the stack, and leaves the counts right."""
    (key,) = (key for key, *_ in told(look(zygote, source))["sites"])
    call = ProbeStep(code="f(n)", is_expression=True)
    probe = Probe(sizes=(960,), setup=(), call=call)
    sighting = prober(zygote, source).cut(probe, 960, [key], leaf_of=960)
    assert 960 == gave(sighting)
    assert [key, 962, 960, 961] == told(sighting)["sites"][0]


def test_nothing_is_learned_outside_the_call(zygote: Zygote) -> None:
    """What a set-up gives, and what a first call gives, is no leaf."""
    probe = Probe(
        sizes=(5,),
        setup=(ProbeStep(code="before = f(3)", is_expression=False),),
        call=ProbeStep(code="f(0), before", is_expression=True),
    )
    source = """
        def f(n): return [1] if n == 0 else f(n - 1)
    """
    sighting = prober(zygote, source).cut(probe, 5, ["sample.f:2"], leaf_of=5, whole=True)
    assert isinstance(sighting.call.outcome, Returned)
    assert "(None, [1])" == literal(sighting.call.outcome.value)


def test_set_up_is_neither_counted_nor_cut(zygote: Zygote) -> None:
    """Only what happens during the call that is looked into is of interest."""
    sighting = look(zygote, DIRECT, setup=("before = f(3)",), call="before", cut=["sample.f:2"])
    assert 6 == gave(sighting)
    assert ([], 0) == (told(sighting)["sites"], told(sighting)["cuts"])


def test_all_of_a_session_can_be_counted(zygote: Zygote) -> None:
    """Where there is no single call of interest, everything counts from the import on."""
    source = f"{dedent(DIRECT)}\nf(1)"
    assert Site(6, 4, 4) == sites(look(zygote, source, setup=("f(3)",), call="n", always=True))["f"]


def test_iteration_is_no_recursion(zygote: Zygote) -> None:
    """A function that loops is entered once."""
    source = """
        def f(n):
            total = 0
            while n:
                total, n = total + n, n - 1
            return total
    """
    sighting = look(zygote, source, 20, watch=[])
    assert {"f": Site(1, 0, 1)} == sites(sighting)
    assert [[1, 20]] == told(sighting)["spread"]


def test_two_generators_side_by_side_are_no_recursion(zygote: Zygote) -> None:
    """A generator that is suspended is not active."""
    source = """
        def up(n):
            for k in range(n):
                yield k
        def f(n): return sum(a * b for a, b in zip(up(n), up(n)))
    """
    assert Site(2, 0, 1) == sites(look(zygote, source))["up"]


def test_generator_that_was_left_is_not_active(zygote: Zygote) -> None:
    """Generators that nobody finishes, and lambdas that raise, are forgotten."""
    source = """
        kept = []
        def up(n): yield n
        fail = lambda n: n // 0
        def f(n):
            for k in range(n):
                kept.append(up(k))
                next(kept[-1])
                try:
                    fail(k)
                except ZeroDivisionError:
                    pass
    """
    found = sites(look(zygote, source))
    assert (Site(5, 0, 1), Site(5, 0, 1)) == (found["up"], found["<lambda>"])


def test_exceptions_leave_the_counts_right(zygote: Zygote) -> None:
    """Whatever a function ends with, it has ended."""
    source = """
        def fail(n):
            if n == 0:
                raise KeyError(n)
            fail(n - 1)
        def f(n):
            for _ in range(3):
                try:
                    fail(n)
                except KeyError:
                    pass
    """
    sighting = look(zygote, source, watch=["sample.fail:2"])
    assert Site(18, 15, 6) == sites(sighting)["fail"]
    assert [[1, 3], *[[0, 0]] * 18] == told(sighting)["spread"]


def test_spread_is_asked_for(zygote: Zygote) -> None:
    """Who does the work is told only where a probe watches."""
    assert [] == told(look(zygote, DIRECT))["spread"]


@dataclass(frozen=True, slots=True)
class Watched:
    """Who does which work around and in the calls of the site `key`."""

    source: str
    key: str
    shares: list[list[int]]
    call: str = "f(n)"


WATCHED: Final = {
    "turns of each call": Watched(
        """
        def f(n):
            for _ in range(n):
                pass
            [k for k in range(2) for _ in range(3)]
            return 0 if n == 0 else f(n - 1)
        """,
        "f:2",
        [[0, 0], [0, 2 + 2 + 6], [0, 1 + 2 + 6], [0, 0 + 2 + 6]],
    ),
    "what others do for a call is its own": Watched(
        """
        def f(n):
            g(n)
            return 0 if n == 0 else f(n - 1)
        def g(n):
            for _ in range(n):
                h()
        h = lambda: [None for _ in range(10)]
        """,
        "f:2",
        [[0, 0], [3, 2 + 20], [2, 1 + 10], [1, 0]],
    ),
    "who calls does its own": Watched(
        """
        def g(n):
            while n > -2:
                n -= f()
        def f(): return 1
        """,
        "f:5",
        [[1, 4], [0, 0], [0, 0], [0, 0], [0, 0]],
        call="g(n)",
    ),
    "method": Watched(
        """
        class A:
            def f(self, n):
                for _ in range(n): self.touch()
                return n and self.f(n - 1)
            def touch(self): pass
        """,
        "A.f:3",
        [[0, 0], [2, 2], [1, 1], [0, 0]],
        call="A().f(n)",
    ),
    "nested": Watched(
        """
        def f(n):
            def go(k):
                for _ in range(k): pass
                return k and go(k - 1)
            return go(n)
        """,
        "f.<locals>.go:3",
        [[1, 0], [0, 2], [0, 1], [0, 0]],
    ),
    "lambda": Watched(
        "f = lambda n: n and len([k for k in range(n)]) + f(n - 1)",
        "<lambda>:1",
        [[0, 0], [0, 2], [0, 1], [0, 0]],
    ),
    "generator": Watched(
        """
        def up(n):
            for k in range(n): yield k
            if n: yield from up(n - 1)
        f = lambda n: sum([k for k in up(n)])
        """,
        "up:2",
        [[1, 3], [0, 2], [0, 1], [0, 0]],
    ),
    "exceptions in the middle": Watched(
        """
        def f(n):
            for k in range(9):
                if k == n: raise KeyError
                try: f(k)
                except KeyError: pass
        def g(n):
            try: f(n)
            finally:
                for _ in range(n): pass
        """,
        "f:2",
        [[1, 2], [0, 3], [0, 1], [0, 2], [0, 1]],
        call="g(n)",
    ),
    "generator that began before": Watched(
        """
        def up(n):
            for k in range(n): yield k
            if n: yield from up(n - 1)
        begun = up(2)
        next(begun)
        def f(n):
            other = up(1)
            next(other)
            return list(begun)
        """,
        "up:2",
        [[1, 1], [0, 1], [0, 1], [0, 0]],
        call="len(f(n))",
    ),
    "sites that are not there": Watched(DIRECT, "g:1", [[6, 0]], call="f(5)"),
}


@pytest.mark.parametrize("kind", WATCHED)
def test_spread_tells_who_does_the_work(zygote: Zygote, kind: str) -> None:
    """Each call of a watched site has a share of its own; first comes all that is around them."""
    each = WATCHED[kind]
    sighting = look(zygote, each.source, 2, call=each.call, watch=[f"sample.{each.key}"])
    assert each.shares == told(sighting)["spread"]


def test_calls_that_are_too_many_have_no_share(zygote: Zygote) -> None:
    """They work as they would, and what they do counts for none of the others."""
    source = """
        def f(n):
            for _ in range(n): g()
            return n
        def g(): pass
        def many(n): return sum([f(1) for _ in range(n)])
    """
    sighting = look(zygote, source, 6_000, call="many(n)", watch=["sample.f:2"])
    assert 6_000 == gave(sighting)
    assert [[1, 6_000], *[[1, 1]] * 5_000] == told(sighting)["spread"]


def test_work_of_who_consumes_a_recursive_generator_is_its_own(zygote: Zygote) -> None:
    """While a generator is suspended it is not active, however deep it is."""
    source = """
        def down(n):
            if n:
                yield n
                yield from down(n - 1)
        def f(n):
            total = 0
            for k in down(n):
                total += k
            return total
    """
    spread = told(look(zygote, source, 20, watch=["sample.down:2"]))["spread"]
    assert [[1, 20], *[[0, 0]] * 21] == spread


def test_edges_say_who_called_whom(zygote: Zygote) -> None:
    """Each pair of sites is told once, in the order in which it was first seen."""
    source = """
        def leaf(): yield 1
        def f(n):
            return g(n) if n else sum(leaf())
        g = lambda n: f(n - 1)
    """
    f, g, leaf = "sample.f:3", "sample.<lambda>:5", "sample.leaf:2"
    assert [[f, g], [g, f], [f, leaf]] == told(look(zygote, source))["edges"]


def test_sites_on_one_line_have_keys_of_their_own(zygote: Zygote) -> None:
    """Functions of one name on one line are numbered."""
    source = "\n\nf = lambda n: (lambda k: k)(n) + (lambda k: 0)(n)"
    keys = [key for key, *_ in told(look(zygote, source))["sites"]]
    inner = "sample.<lambda>.<locals>.<lambda>:3"
    assert ["sample.<lambda>:3", inner, f"{inner}#2"] == keys


def test_functions_of_all_modules_are_sites(zygote: Zygote) -> None:
    """A helper module is rewritten like the main one."""
    helper = "def down(n):\n    return 0 if n == 0 else n + down(n - 1)\n"
    probe = Probe(sizes=(5,), setup=(), call=ProbeStep(code="f(n)", is_expression=True))
    probing = prober(zygote, "from helper import down\ndef f(n): return down(n)", helper=helper)
    found = told(probing.look(probe, 5, settings={}))
    assert [["sample.f:2", 1, 0, 1], ["helper.down:1", 6, 5, 6]] == found["sites"]


def test_names_are_those_that_python_gives(zygote: Zygote) -> None:
    """A key has the qualified name and the line of its function, as Python knows them."""
    source = """
        class A:
            class B:
                @staticmethod
                def m(): return lambda: 0
        def outer():
            global inner
            def inner(): pass
            class C:
                def n(self): pass
            return A.B.m, A.B.m(), inner, lambda: C.n(None)
        def f(n): return [each() for each in outer()]
    """
    qualnames = [
        *("f:12", "outer:6", "A.B.m:5", "A.B.m.<locals>.<lambda>:5", "inner:8"),
        *("outer.<locals>.<lambda>:11", "outer.<locals>.C.n:10"),
    ]
    keys = [key for key, *_ in told(look(zygote, source))["sites"]]
    assert [f"sample.{qualname}" for qualname in qualnames] == keys


ODDITIES: Final = {
    "walrus in a lambda": ("f = lambda n: (k := n) + k", 10),
    "defaults see the class": (
        """
        class A:
            x = 5
            g = lambda self, n=x: n
            rows = [k for k in range(3)]
        def f(n): return A().g()
        """,
        5,
    ),
    "lambda that yields": ("def f(n): return sum((lambda: (yield n))())", 5),
    "deleted and reassigned parameters": (
        """
        def f(n, m=1):
            del m
            n = n + 1
            def g():
                nonlocal n
                n += 1
            g()
            return n
        """,
        7,
    ),
    "docstrings stay": (
        '''
        """Module."""
        from __future__ import annotations
        def g():
            """Only this."""
        def f(n): return len(g.__doc__ + __doc__) if g() is None else 0
        ''',
        17,
    ),
    "super and __class__": (
        """
        class A:
            def __init__(self, n): self.n = n
        class B(A):
            def __init__(self, n):
                super().__init__(n)
                self.c = __class__
        def f(n): return B(n).n
        """,
        5,
    ),
    "async generator": (
        """
        async def up(n):
            for k in range(n):
                yield k
        async def total(n): return sum([k async for k in up(n)])
        def f(n):
            try:
                total(n).send(None)
            except StopIteration as end:
                return end.value
        """,
        10,
    ),
    "names in f are its own": ("def f(n): return len(locals())", 1),
    "generator's value and closing": (
        """
        def g():
            try:
                yield 1
            finally:
                closed.append(1)
            return 3
        closed = []
        def h(): return (yield from g())
        def f(n):
            first = g()
            next(first)
            first.close()
            try:
                second = h()
                while True:
                    next(second)
            except StopIteration as end:
                return end.value + len(closed)
        """,
        5,
    ),
    "loop with else": (
        """
        def f(n):
            for k in range(n):
                if k == 7: break
            else:
                return k
        """,
        4,
    ),
}


@pytest.mark.parametrize("oddity", ODDITIES)
def test_oddities_of_python_stay_as_they_are(zygote: Zygote, oddity: str) -> None:
    """What a submission may contain works the same when it is rewritten."""
    source, expected = ODDITIES[oddity]
    assert expected == gave(look(zygote, source))


def test_traceback_keeps_its_lines(zygote: Zygote) -> None:
    """An exception has the frames that it has without instruments."""
    source = """
        def g(n):
            '''Doc.'''
            for k in range(n):
                if k == 2:
                    raise ValueError(k)
        h = lambda n: (
            g(n)
        )
        def f(n):

            return h(n)
    """
    outcome = look(zygote, source).call.outcome
    assert isinstance(outcome, Raised)
    expected = [("f", 12), ("<lambda>", 8), ("g", 6)]
    frames = tuple(Frame(file="sample.py", function=name, line=line) for name, line in expected)
    assert frames == outcome.frames


@pytest.mark.parametrize(
    "source",
    ["def f(:\n", "def f():\n    return\n  x\n", "return 1\n", "x = 1\0", "def f(a): global a\n"],
    ids=repr,
)
def test_what_is_no_python_gives_the_same_error(source: str) -> None:
    """A file that cannot be compiled is refused with the message that it has untouched."""
    with pytest.raises((SyntaxError, ValueError)) as plain:
        compile(source, "m.py", "exec", dont_inherit=True)
    with pytest.raises(plain.type) as rewritten:
        compiled(source, "m.py", "m", PROBE)
    assert plain.value.args == rewritten.value.args


def test_long_and_deep_sources_are_rewritten_too() -> None:
    """A tree is walked without recursion: what Python can compile can be rewritten."""
    deep = "x = " + "+".join(["1"] * 900) + "\nf = " + "lambda: " * 60 + "0\n"
    compiled(deep, "m.py", "m", PROBE)
    with pytest.raises((RecursionError, MemoryError)):
        compiled("x = " + "-" * 40_000 + "1", "m.py", "m", PROBE)
    assert len(compiled("def f(): pass\n" * 1_000, "m.py", "m", PROBE).co_code) > 1_000


def nested(levels: int) -> str:
    """Return a function that has so many loops in each other."""
    loops = [f"{' ' * level}for x in range(1):" for level in range(1, levels + 1)]
    return "\n".join(["def f(n):", *loops, f"{' ' * (levels + 1)}pass"])


def test_what_only_rewritten_cannot_be_compiled_is_no_evidence(zygote: Zygote) -> None:
    """A function that is nested as deep as Python allows is not reached, and nothing breaks."""
    source = ""
    with suppress(SyntaxError):  # Python 3.13 takes one more than those before
        for levels in range(1, 30):
            deeper = nested(levels)
            compile(deeper, "m.py", "exec", dont_inherit=True)
            source = deeper
    sighting = look(zygote, source)
    assert (False, None) == (sighting.reached, sighting.evidence)
    assert isinstance(sighting.call.outcome, Raised)
    assert ("SyntaxError",) == sighting.call.outcome.type_names


def test_endless_recursion_leaves_a_trace(zygote: Zygote) -> None:
    """The last 200 calls are told with what they were given, long after the stack has ended."""
    source = "def f(n, seen=()): return g(n + 1)\ndef g(n): return f(n)"
    sighting = look(zygote, source, trace=True)
    found = told(sighting)
    assert raised_recursion_error(sighting.call)
    assert 200 == len(found["calls"])
    assert found["total"] == sum(site.entered for site in sites(sighting).values()) > 900
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


@pytest.mark.parametrize("trace", [False, True])
@pytest.mark.parametrize("code", ["def f(n): return f(n + 1)", "f = lambda n: f(n + 1)"])
def test_instruments_take_next_to_no_room_on_the_stack(
    zygote: Zygote, code: str, trace: bool
) -> None:
    """A RecursionError comes where it comes without them, but for a few frames."""
    steps = ProbeStep(code="f(n)", is_expression=True)
    probing = prober(zygote, code)
    probe = Probe(sizes=(0,), setup=(), call=steps)
    depths = []
    for transformed in (False, True):
        look_at = probing.look(probe, 0, settings={"trace": trace}, transformed=transformed)
        outcome = look_at.call.outcome
        assert isinstance(outcome, Raised)
        depths.append(outcome.depth)
    assert 0 <= depths[0] - depths[1] <= 10


def test_counts_are_right_after_a_recursion_error(zygote: Zygote) -> None:
    """Where the stack ends nothing is counted by half."""
    source = """
        deep = lambda n: deep(n + 1)
        def down(n): return down(n + 1)
        def f(n):
            for function in (down, deep, down):
                try:
                    function(n)
                except RecursionError:
                    pass
            return 1 + flat(3)
        def flat(n): return 0 if n == 0 else flat(n - 1)
    """
    sighting = look(zygote, source)
    found = sites(sighting)
    assert Site(4, 3, 4) == found["flat"]
    assert found["down"].entered == found["down"].reentered + 2
    assert found["<lambda>"].entered == found["<lambda>"].reentered + 1


def test_recursion_limit_is_set_for_the_session(zygote: Zygote) -> None:
    """A probe may ask for more room than Python gives by itself, up to the limit of the suite."""
    assert raised_recursion_error(look(zygote, DIRECT, 3_000).call)
    deeper = look(zygote, DIRECT, 3_000, recursion=5_000)
    assert Site(3_001, 3_000, 3_001) == sites(deeper)["f"]
    own = f"import sys\nsys.setrecursionlimit(2_000)\n{dedent(DIRECT)}"
    assert Site(3_001, 3_000, 3_001) == sites(look(zygote, own, 3_000, recursion=5_000))["f"]
    assert Limits().recursion == gave(
        look(zygote, "import sys\nf = lambda n: sys.getrecursionlimit()", recursion=10**6)
    )


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
    assert summary == Summaries().of(value)


HOSTILE: Final = {
    "names of instruments": "__probe_x = __probe_enter__ = None",
    "len": "import builtins\nbuiltins.len = builtins.max = builtins.sorted = None",
    "json": "import json, json.encoder\njson.dumps = json.encoder.encode_basestring_ascii = None\n"
    "json.encoder.c_make_encoder = None",
    "frames": "import sys\nsys._getframe = None",
    "trace functions": "import sys\nsys.setprofile(None)\nsys.settrace(None)",
}


@pytest.mark.parametrize("trick", HOSTILE)
def test_submission_that_spoils_its_surroundings_is_counted_all_the_same(
    zygote: Zygote, trick: str
) -> None:
    """What instruments need was theirs before the submission ran."""
    sighting = look(zygote, f"{HOSTILE[trick]}\n{dedent(DIRECT)}", trace=True)
    assert Site(6, 5, 6) == sites(sighting)["f"]
    assert 6 == told(sighting)["total"]


def test_names_of_instruments_are_not_to_be_foreseen(zygote: Zygote) -> None:
    """Each prober has another name."""
    assert prober(zygote, DIRECT).name != prober(zygote, DIRECT).name


def test_plain_and_rewritten_sessions_share_nothing_but_the_tally(zygote: Zygote) -> None:
    """After a probe, a session of the submission runs as if there had been none."""
    runner = SessionRunner(
        zygote,
        Program.of("sample", {"sample": ("sample.py", dedent(DIRECT))}, {}),
        Limits(),
        Gate(),
    )
    probe = Probe(sizes=(5,), setup=(), call=ProbeStep(code="f(n)", is_expression=True))
    probing = Prober(runner)
    for transformed in (True, False, True):
        found = told(probing.look(probe, 5, settings={}, transformed=transformed))
        assert bool(found["sites"]) is transformed
    received = runner.received_bytes
    assert received > 0
    run = runner.run((), lockstep=False)
    assert run is not None
    assert run.loaded
    assert runner.received_bytes > received


@pytest.mark.parametrize("exercise", ["1010", "akari", "str8ts", "triomino", "yinyang"])
def test_rewritten_reference_behaves_as_it_stands(zygote: Zygote, exercise: str) -> None:
    """Every session of every suite gives the same observations on the rewritten reference."""
    suite = load_suite(ROOT / "testsuites" / f"{exercise}.yaml")
    folder = ROOT / "reference" / exercise
    path = folder if exercise == "1010" else folder / f"{exercise}.py"
    submission = read(Entry(exercise, path), suite.module, suite.defines)
    packages = packages_among(suite.imports)
    for package in packages:
        pytest.importorskip(package)
    with ExitStack() as stack:
        nursery: Nursery = stack.enter_context(new_nursery(packages)) if packages else zygote
        runner = runner_for(suite, submission, nursery, Gate())
        rewritten = runner.instrumented(PROBE).set_to({"transform": True})
        for session in suite.sessions:
            plan = whole_session(session)
            plain, told_by = (
                each.run(plan, lockstep=False, modules=session.modules)
                for each in (runner, rewritten)
            )
            assert plain is not None
            assert plain == told_by, session.id
