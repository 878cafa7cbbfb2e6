"""Units: what is rewritten behaves as it stands, and every loop and call is counted and ended."""

from __future__ import annotations

import ast
import marshal
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Final

import pytest
from executor_sessions import FILES, QUICK, died, plan_of
from test_instruments_rewriting import ODDITIES

from grader.executor.metering import PLACEHOLDER, Meter, insert_ticks
from grader.executor.rewriting import bind_objects
from grader.executor.syntax.guarded_imports import guarded_import_lines
from grader.intake.submissions import Entry, read_submission
from grader.judging.preparing import runner_for
from grader.judging.rules import KINDS
from grader.sandbox.budget import Budget, units
from grader.sandbox.observation import Observation, Raised, Returned
from grader.sandbox.planning import whole_session
from grader.sandbox.program import Program
from grader.sandbox.sandbox import Sandbox, new_sandbox
from grader.sandbox.session_runs import SessionRun
from grader.sandbox.sessions import SessionRunner
from grader.sandbox.zygote import Zygote
from grader.suite.files import load_suite
from grader.suite.limits import Limits
from grader.suite.vocabulary import optional_packages
from grader.values.tree import Atom
from grader.verdict import Verdict

ROOT: Final = Path(__file__).resolve().parents[1]
SMALL: Final = Limits(cpu_s=0.02, wall_s=20, session_wall_s=40)
"""A few million units, so that what does not end has ended soon."""


def counted(zygote: Sandbox, source: str, *codes: str, limits: Limits = QUICK) -> SessionRun:
    """Run the expressions `codes` on `source`, counted."""
    program = Program.from_sources({"sample": ("sample.py", dedent(source))}, FILES)
    runner = SessionRunner(zygote, program, limits, Budget())
    return runner.run(plan_of(*codes), modules=("sample",))


def plain(zygote: Sandbox, source: str, *codes: str) -> SessionRun:
    """Run the expressions `codes` on `source` as it stands."""
    program = as_it_stands(Program.from_sources({"sample": ("sample.py", dedent(source))}, FILES))
    return SessionRunner(zygote, program, Limits()).run(plan_of(*codes), modules=("sample",))


def as_it_stands(program: Program) -> Program:
    """Return `program` with code that counts nothing: it is sent as if it had come home before."""
    compiled = {
        name: marshal.dumps(
            ((compile(text, file, "exec", dont_inherit=True),), guarded_import_lines(text))
        )
        for name, (file, text) in program.sources.items()
    }
    return replace(program, compiled=compiled)


def facts(run: SessionRun) -> list[Observation]:
    """Return what was observed in `run`, but for the units."""
    return [replace(each, units=0) for each in (run.imported.observation, *run.observations)]


# What is rewritten behaves as it stands

SHAPES: Final = {
    "docstrings": '''
        """Of the module."""
        def f(n):
            """Of f."""
            return f.__doc__, __doc__, g.__doc__, C.__doc__, C.m.__doc__
        def g(): "Of g."
        class C:
            """Of C."""
            def m(self):
                """Of m."""
    ''',
    "what has to stand first": '''
        """Of the module, which is long enough to be counted."""
        from __future__ import annotations
        a, b, c = (1, 2, 3), [4, 5, 6], {7: 8, 9: 10}
        d = [a[0] + b[0] * c[7], a[1] + b[1] * c[9], len(str(a)) + len(str(b)), max(a) + min(b)]
        class C:
            """Of C, which is long as well."""
            x, y = [a[0] + b[0] * c[7], a[1] + b[1] * c[9]], [max(a) + min(b), len(str(a))]
            z = {1: len(str(x)), 2: len(str(y)), 3: max(x) + min(y), 4: sum(x) + sum(y)}
        def f(n): return __doc__, C.__doc__, C.z, d, f.__annotations__, annotations.optional
    ''',
    "only a docstring in a loop": """
        def f(n):
            for k in range(n):
                "no docstring"
            return k
    """,
    "comprehensions with several fors": """
        def f(n):
            pairs = [(i, j) for i in range(n) if i % 2 for j in range(i) if j]
            rest = {i: {j for j in range(i)} for i in range(n)}
            return pairs, rest, sum(i * j for i in range(n) for j in range(i))
    """,
    "generators": """
        def up(n):
            for k in range(n):
                got = yield k
                if got: yield got
        def f(n):
            g = up(n)
            return next(g), g.send("x"), list(g), [*up(2)], sum(up(4))
    """,
    "lambdas with defaults and stars": """
        f = lambda n, *more, k=2, **named: (n, more, k, named, (lambda: n)())
    """,
    "async": """
        import asyncio
        async def up(n):
            for k in range(n): yield k
        async def total(n):
            got = [k async for k in up(n)]
            async for k in up(n): got.append(k)
            return got
        def f(n):
            try: total(n).send(None)
            except StopIteration as end: return end.value
    """,
    "class bodies": """
        class A:
            rows = []
            for k in range(3): rows.append(k)
            while len(rows) < 5: rows.append(0)
            twice = [2 * k for k in range(3)]
            k = sorted(x for x in vars())
        def f(n): return A.rows, A.twice, A.k
    """,
    "match": """
        def kind(x):
            match x:
                case [first, *rest] if rest: return "many", first, rest
                case {"a": a, **more}: return "map", a, more
                case int() | str() as y: return "one", y
                case _: return None
        def f(n): return [kind(x) for x in ([1, 2, 3], {"a": 1, "b": 2}, n, 1.5)]
    """,
    "star-expressions": """
        def f(n):
            first, *rest = range(n)
            got = []
            for a, *b in [(1, 2, 3), (4,)]: got += [a, *b]
            return first, rest, got, [*rest, *got], {**{"x": 1}}
    """,
    "loops with else, break and continue": """
        def f(n):
            got = []
            for k in range(n):
                if k == 1: continue
                if k == 9: break
            else: got.append("for")
            while n:
                n -= 1
                if n == 1: break
            else: got.append("while")
            return got, k, n
    """,
    "names, locals and code": """
        def f(n):
            x = 1
            return sorted(locals()), f.__code__.co_varnames, f.__code__.co_firstlineno
    """,
    "tracebacks": """
        def g(n):
            for k in range(n):
                while k == 2:
                    raise ValueError(k)
        h = lambda n: (
            g(n)
        )
        def f(n): return [
            h(k)
            for k in range(n)
        ]
    """,
    "exceptions in loops": """
        def f(n):
            for k in range(n):
                try: 1 // k
                except ZeroDivisionError: continue
                finally: n += k
            return n
    """,
    "text that looks like ours": """
        def f(n):
            for k in range(n): s = "\\0meter", k in {"\\0meter"}
            return s, k in {frozenset()}, type(s[0])
    """,
    "print and warn": """
        def f(n):
            for k in range(n): print(k, end=" ")
            return [print(k) for k in "ab"]
    """,
    "global, nonlocal and walrus": """
        total = 0
        def f(n):
            global total
            seen = []
            def add(k):
                nonlocal seen
                seen = seen + [k]
            while (n := n - 1) > 0:
                total += n
                add(n)
            return total, seen, [y := n, y**2]
    """,
    "decorators and properties": """
        from functools import lru_cache, wraps
        def twice(g):
            @wraps(g)
            def h(*a): return g(*a), g(*a)
            return h
        class A:
            @property
            def x(self): return [k for k in range(3)]
            @staticmethod
            @twice
            def s(n): return n
        @lru_cache
        def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
        def f(n): return A().x, A.s(n), A.s.__name__, fib(30)
    """,
}


@pytest.mark.parametrize("shape", [*SHAPES, *ODDITIES])
def test_what_is_counted_behaves_as_it_stands(zygote: Zygote, shape: str) -> None:
    """Values, output, exceptions and lines of tracebacks are those of the untouched program."""
    source = SHAPES[shape] if shape in SHAPES else ODDITIES[shape][0]
    here, there = (each(zygote, source, "f(5)") for each in (plain, counted))
    assert here.is_loaded
    assert facts(here) == facts(there)


@pytest.mark.parametrize(
    "source",
    [
        "def f(n): return f(n + 1)",
        "f = lambda n: f(n + 1)",
        "def f(n): return g(n)\ndef g(n): return f(n + 1)",
        "def f(n):\n    for _ in range(2): f(n + 1)",
        "def f(n): return [f(n + 1) for _ in range(2)]",
        "class A:\n    def __str__(self): return str(A())\ndef f(n): return str(A())",
    ],
)
def test_a_recursion_goes_as_deep(zygote: Zygote, source: str) -> None:
    """A RecursionError comes at the very depth at which it comes untouched."""
    depths = []
    for each in (plain, counted):
        (seen,) = each(zygote, source, "f(0)").observations
        assert isinstance(seen.outcome, Raised)
        assert "RecursionError" in seen.outcome.type_names
        depths.append(seen.outcome.depth)
    assert depths[0] == depths[1] > 0


def test_rewriting_takes_no_recursion() -> None:
    """What Python can compile is rewritten, however long and deep it is."""
    deep = "x = " + "+".join(["1"] * 900) + "\nf = " + "lambda: " * 60 + "0\n"
    compile(insert_ticks(ast.parse(deep)), "m.py", "exec", dont_inherit=True)


def test_what_is_nested_too_deep_to_be_rewritten_runs_as_it_stands(zygote: Zygote) -> None:
    """A thousand functions in each other take more depth as a tree: clocks must do for them."""
    source = f"nest = {'lambda: ' * 1000}0\ndef f(n): return n\n"
    (seen,) = counted(zygote, source, "f(5)").observations
    assert (Returned(value=Atom(5), identity=None), 0) == (seen.outcome, seen.units)


@pytest.mark.corpus
@pytest.mark.parametrize("exercise", ["1010", "akari", "str8ts", "triomino", "yinyang"])
def test_counted_reference_behaves_as_it_stands(zygote: Zygote, exercise: str) -> None:
    """Every session of every suite gives the same observations on the counted reference."""
    suite = load_suite(ROOT / "testsuites" / f"{exercise}.yaml", KINDS)
    folder = ROOT / "reference" / exercise
    path = folder if exercise == "1010" else folder / f"{exercise}.py"
    submission = read_submission(Entry(exercise, path), suite.modules, suite.defines)
    packages = optional_packages(suite.imports)
    for package in packages:
        pytest.importorskip(package)
    with ExitStack() as stack:
        sandbox: Sandbox = stack.enter_context(new_sandbox(packages)) if packages else zygote
        runner = runner_for(suite, submission, sandbox)
        plain_program = as_it_stands(runner._program)
        there = SessionRunner(sandbox, plain_program, suite.limits)
        for session in suite.sessions:
            plan = whole_session(session)
            here = runner.run(plan, modules=session.modules)
            assert sum(each.units for each in here.observations)
            assert facts(here) == facts(there.run(plan, modules=session.modules))


# Every loop and call is counted, and ended

ENDLESS: Final = {
    "while": "while True: pass",
    "while with a test": "while not n > 10: pass",
    "for": "for _ in iter(int, 1): pass",
    "for without a body of its own": "for _ in __import__('itertools').count(): continue",
    "nested, the inner one empty": "while True:\n        for _ in (): pass",
    "comprehension": "[0 for _ in iter(int, 1)]",
    "set comprehension": "{0 for _ in iter(int, 1)}",
    "dict comprehension": "{0: 0 for _ in iter(int, 1)}",
    "comprehension with two": "[0 for _ in iter(int, 1) for _ in ()]",
    "comprehension with a test": "[0 for k in iter(int, 1) if k]",
    "generator expression": "sum(0 for _ in iter(int, 1))",
    "generator fed to a set": "set(ever())",
    "lambda in turns": "while (lambda: True)(): pass",
    "swallows all": """
        while True:
            try:
                while True: raise SystemExit
            except BaseException: continue
    """,
    "loops on the way out": """
        try: raise SystemExit
        finally:
            while True: pass
    """,
    "recursion caught and tried again": """
        while True:
            try: down()
            except RecursionError: pass
    """,
    "recursion as a tree": "fib(90)",
    "lambda recursion": "(lambda g: g(g, 90))(lambda g, n: n if n < 2 else g(g, n-1) + g(g, n-2))",
    "method called by a built-in": "sorted([Key(), Key()])",
    "property": "Key().endless",
    "text": "str(Key())",
    "reduce": "__import__('functools').reduce(lambda a, b: a, iter(int, 1))",
    "map": "set(map(lambda k: 0, iter(int, 1)))",
    "in a nested function": """
        def g():
            while True: pass
        g()
    """,
    "async": "endless_async().send(None)",
}
AROUND: Final = """
import sys
def ever():
    while True: yield 0
def down(): down()
def tree(n):
    try: return eert(n + 1)
    except RecursionError: pass
    return eert(n)
def eert(n):
    try: return tree(n + 1)
    except RecursionError: pass
    return tree(n)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
class Key:
    def __lt__(self, other):
        while True: pass
    def __str__(self):
        for _ in ever(): pass
    @property
    def endless(self): return [k for k in ever() if k]
async def endless_async():
    while True: pass
def f(n):
    {body}
"""


def test_a_recursion_that_is_caught_and_tried_again_is_ended(zygote: Zygote) -> None:
    """Its units are used up where there is no depth left, and that can be said all the same."""
    seen = counted(zygote, AROUND.format(body="tree(n)"), "f(1)", limits=SMALL)
    assert (Verdict.TIMED_OUT, "units of the step") == died(seen.observations[-1])


@pytest.mark.parametrize("kind", ENDLESS)
def test_what_never_ends_is_ended_by_its_units(zygote: Zygote, kind: str) -> None:
    """Whatever turns or calls without end has its units used up, and none of the time."""
    body = dedent(ENDLESS[kind]).strip().replace("\n", "\n    ")
    budget = Budget()
    program = Program.from_sources({"sample": ("sample.py", AROUND.format(body=body))}, {})
    runner = SessionRunner(zygote, program, SMALL, budget)
    (last,) = runner.run(plan_of("f(1)", "1"), modules=("sample",)).observations
    assert (Verdict.TIMED_OUT, "units of the step") == died(last)
    assert not budget.clock_decided
    assert units(SMALL.cpu_s) <= budget.units < 2 * units(SMALL.cpu_s)


@pytest.mark.parametrize(
    "source",
    [
        "while True: pass\n",
        "for _ in iter(int, 1): pass\n",
        "class A:\n    while True: pass\n",
        "x = [0 for _ in iter(int, 1) if _]\n",
    ],
)
def test_what_never_loads_is_ended_by_its_units(zygote: Zygote, source: str) -> None:
    """So it is at the top level of a module and in the body of a class."""
    seen = counted(zygote, source, "1", limits=SMALL)
    assert not seen.is_loaded
    assert (Verdict.TIMED_OUT, "units of the step") == died(seen.imported.observation)


@pytest.mark.parametrize(
    ("body", "limits"),
    [
        ("sum(range(10**12))", SMALL),
        ("exec('while True: pass')", SMALL),
    ],
)
def test_what_units_do_not_see_is_ended_by_a_clock(
    zygote: Zygote, body: str, limits: Limits
) -> None:
    """One huge operation, and code made as text, have ten times the limit; that is told."""
    budget = Budget()
    program = Program.from_sources({"sample": ("sample.py", f"def f(): {body}")}, {})
    runner = SessionRunner(zygote, program, limits, budget)
    (last,) = runner.run(plan_of("f()"), modules=("sample",)).observations
    assert (Verdict.TIMED_OUT, "CPU time of the step") == died(last)
    assert budget.clock_decided
    assert ["staff.clock"] == [each.key for each in runner.budget.staff_remarks(limits)]


def test_the_session_has_its_units_too(zygote: Zygote) -> None:
    """Steps that are each within their limit may not compute too much together."""
    source = "def f():\n    for _ in range(100_000): pass\n"
    limits = SMALL.with_changes(session_cpu_s=0.02)
    seen = counted(zygote, source, *["f()"] * 20, limits=limits)
    assert 1 < len(seen.observations) < 20
    assert (Verdict.TIMED_OUT, "units of the step") == died(seen.observations[-1])


def test_units_are_the_same_each_time(zygote: Zygote) -> None:
    """In two sessions, and under another hash seed: no chance and no clock is in them."""
    source = """
        import random
        class C:
            def __init__(self, n): self.n = n
            def __hash__(self): return hash(str(self.n))
            def __eq__(self, other): return self.n == other.n
        def f(n):
            words = {C(k) for k in range(n)}
            return sum(1 for w in sorted(words, key=lambda c: c.n) if w.n % 2)
    """
    used = []
    with Zygote(seed=1) as other:
        for each in (zygote, zygote, other):
            run = counted(each, source, "f(300)", "f(10)")
            used.append([seen.units for seen in (run.imported.observation, *run.observations)])
    assert used[0] == used[1] == used[2]
    assert used[0][1] > used[0][2] > 0


def test_a_step_tells_the_units_of_its_own(zygote: Zygote) -> None:
    """Twice the turns are twice the units, and a step has nothing of those before it."""
    source = "def f(n):\n    for _ in range(n): pass\n"
    few, many, again = counted(zygote, source, "f(1000)", "f(2000)", "f(1000)").observations
    assert few.units == again.units
    assert 2 * few.units == pytest.approx(many.units, rel=0.01)


def test_a_meter_is_no_name() -> None:
    """It cannot be looked up: what is rewritten knows no name more, in code or in a namespace."""
    source = "def f(n):\n    while n: n -= 1\n    return [k for k in range(3)]\n"
    code = compile(insert_ticks(ast.parse(source)), "m.py", "exec", dont_inherit=True)
    namespace: dict[str, object] = {}
    meter = Meter(10**6, sys.exit)
    meter.begin_step(10**6)
    exec(bind_objects(code, {PLACEHOLDER: meter}), namespace)
    f = namespace["f"]
    assert callable(f)
    assert [0, 1, 2] == f(5)
    assert {"f", "__builtins__"} == namespace.keys()
    assert meter.end_step() > 5
