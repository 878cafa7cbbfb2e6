"""What instruments count of the calls of a submission, whatever guise its recursion has."""

from __future__ import annotations

from textwrap import dedent
from typing import Final

import pytest
from instrumented_programs import DIRECT, Site, gave, look, prober, sites, told

from grader.judging.probing import Probe, ProbeStep, raised_recursion_error
from grader.sandbox.observation import Raised
from grader.sandbox.zygote import Zygote
from grader.suite.limits import Limits

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
    observation = look(zygote, source, size)
    site = sites(observation)[key]
    assert size * (size + 1) // 2 == gave(observation)
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


def test_set_up_is_neither_counted_nor_cut(zygote: Zygote) -> None:
    """Only what happens during the call that is looked into is of interest."""
    observation = look(zygote, DIRECT, setup=("before = f(3)",), call="before", cut=["sample.f:2"])
    assert 6 == gave(observation)
    assert ([], 0) == (told(observation)["sites"], told(observation)["cuts"])


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
    observation = look(zygote, source, 20, watch=[])
    assert {"f": Site(1, 0, 1)} == sites(observation)
    assert [[1, 20]] == told(observation)["spread"]


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
    observation = look(zygote, source, watch=["sample.fail:2"])
    assert Site(18, 15, 6) == sites(observation)["fail"]
    assert [[1, 3], *[[0, 0]] * 18] == told(observation)["spread"]


def test_sites_on_one_line_have_keys_of_their_own(zygote: Zygote) -> None:
    """Functions of one name on one line are numbered."""
    source = "\n\nf = lambda n: (lambda k: k)(n) + (lambda k: 0)(n)"
    keys = [key for key, *_ in told(look(zygote, source))["sites"]]
    inner = "sample.<lambda>.<locals>.<lambda>:3"
    assert ["sample.<lambda>:3", inner, f"{inner}#2"] == keys


def test_functions_of_all_modules_are_sites(zygote: Zygote) -> None:
    """A helper module is rewritten like the main one."""
    helper = "def down(n):\n    return 0 if n == 0 else n + down(n - 1)\n"
    probe = Probe(
        sizes=(5,), setup=(), call=ProbeStep(code="f(n)", is_expression=True), modules=("sample",)
    )
    probing = prober(zygote, "from helper import down\ndef f(n): return down(n)", helper=helper)
    found = told(probing.session(probe, 5, settings={}).observe())
    assert [["sample.f:2", 1, 0, 1], ["helper.down:1", 6, 5, 6]] == found["sites"]


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
    observation = look(zygote, source)
    found = sites(observation)
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
    observation = look(zygote, f"{HOSTILE[trick]}\n{dedent(DIRECT)}", trace=True)
    assert Site(6, 5, 6) == sites(observation)["f"]
    assert 6 == told(observation)["total"]
