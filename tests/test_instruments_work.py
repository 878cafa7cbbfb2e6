"""Who does the work in an instrumented program, and who called whom."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent
from typing import Final

import pytest
from instrumented_programs import DIRECT, gave, look, told

from grader.sandbox.zygote import Zygote


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
    observation = look(zygote, each.source, 2, call=each.call, watch=[f"sample.{each.key}"])
    assert each.shares == told(observation)["spread"]


@dataclass(frozen=True, slots=True)
class Asked:
    """What each call of `f` asks of `g` that others do not, or do too."""

    source: str
    parts: list[list[int]]
    """Of all that is around and of each call: in thousandths, and how many nobody made before."""


ASKED: Final = {
    "again and again": Asked(
        """
        def f(n):
            for _ in range(9): g((n, "a"))
            return n and f(n - 1)
        """,
        [[0, 0], [1_000, 1], [1_000, 1], [1_000, 1]],
    ),
    "what others ask, too": Asked(
        """
        def f(n):
            for k in range(n): g(k)
            return n and f(n - 1)
        """,
        [[0, 0], [1_500, 2], [500, 0], [0, 0]],
    ),
    "of an object, changed and not": Asked(
        """
        def f(n, seen=None):
            seen = [] if seen is None else seen
            g(seen)
            if n > 1: seen.append(n)
            return n and f(n - 1, seen)
        """,
        [[0, 0], [1_000, 1], [500, 1], [500, 0]],
    ),
    "of copies": Asked(
        """
        def f(n, seen=(1, [2])):
            g((seen[0], list(seen[1])))
            return n and f(n - 1, seen)
        """,
        [[0, 0], [1_000, 1], [1_000, 1], [1_000, 1]],
    ),
    "of objects of its own": Asked(
        """
        class Box:
            def look(self): return g(self)
        def f(n, box=None):
            box = box or Box()
            box.n = min(n, 1)
            box.look()
            return n and f(n - 1, box)
        """,
        [[0, 0], [1_000, 2], [1_000, 0], [2_000, 2]],
    ),
    "by the variables around it": Asked(
        """
        def f(n):
            def h(): return n
            h(), h()
            return n and f(n - 1)
        """,
        [[0, 0], [1_000, 1], [1_000, 1], [1_000, 1]],
    ),
    "what cannot be told apart": Asked(
        """
        def f(n, end=iter(())):
            g(end), g(end)
            return n and f(n - 1)
        """,
        [[0, 0], [2_000, 2], [2_000, 2], [2_000, 2]],
    ),
}


@pytest.mark.parametrize("kind", ASKED)
def test_a_call_with_the_same_arguments_counts_once(zygote: Zygote, kind: str) -> None:
    """Who asks again adds nothing, and all who ask share what it counts."""
    source = dedent(ASKED[kind].source) + "def g(*given): return len(given)\n"
    line = 1 + source.splitlines().index(next(filter(_begins_f, source.splitlines())))
    observation = look(zygote, source, 2, watch=[f"sample.f:{line}"])
    assert ASKED[kind].parts == told(observation)["asked"]


def _begins_f(line: str) -> bool:
    return line.startswith("def f(")


def test_calls_that_are_too_many_have_no_share(zygote: Zygote) -> None:
    """They work as they would, and what they do counts for none of the others."""
    source = """
        def f(n):
            for _ in range(n): g()
            return n
        def g(): pass
        def many(n): return sum([f(1) for _ in range(n)])
    """
    observation = look(zygote, source, 6_000, call="many(n)", watch=["sample.f:2"])
    assert 6_000 == gave(observation)
    assert [[1, 6_000], *[[1, 1]] * 5_000] == told(observation)["spread"]


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
