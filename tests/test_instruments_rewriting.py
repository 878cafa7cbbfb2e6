"""Submissions that instruments rewrite: they behave as they stand."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from textwrap import dedent
from typing import Final

import pytest
from instrumented_programs import DIRECT, gave, look, prober, told

from grader.executor.rewriting import compile_source
from grader.executor.transforming import insert_instruments
from grader.intake.submissions import Entry, read_submission
from grader.judging.preparing import runner_for
from grader.judging.probing import Probe, ProbeRunner, ProbeStep
from grader.judging.rules import KINDS
from grader.sandbox.budget import Budget
from grader.sandbox.observation import Frame, Raised
from grader.sandbox.planning import whole_session
from grader.sandbox.program import Program
from grader.sandbox.sandbox import Sandbox, new_sandbox
from grader.sandbox.sessions import SessionRunner
from grader.sandbox.zygote import Zygote
from grader.suite.files import load_suite
from grader.suite.limits import Limits
from grader.suite.vocabulary import optional_packages

ROOT: Final = Path(__file__).resolve().parents[1]
PROBE: Final = "__probe_1a2b3c4d"
REWRITE: Final = partial(insert_instruments, module_name="m", prefix=PROBE)


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
    with pytest.raises(plain.type) as refused:
        compile_source(source, "m.py", REWRITE)
    assert plain.value.args == refused.value.args


def test_long_and_deep_sources_are_rewritten_too() -> None:
    """A tree is walked without recursion: what Python can compile can be rewritten."""
    deep = "x = " + "+".join(["1"] * 900) + "\nf = " + "lambda: " * 60 + "0\n"
    compile_source(deep, "m.py", REWRITE)
    with pytest.raises((RecursionError, MemoryError)):
        compile_source("x = " + "-" * 40_000 + "1", "m.py", REWRITE)
    assert len(compile_source("def f(): pass\n" * 1_000, "m.py", REWRITE).co_code) > 1_000


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
    observation = look(zygote, source)
    assert (False, None) == (observation.reached, observation.evidence)
    assert isinstance(observation.call.outcome, Raised)
    assert "SyntaxError" == observation.call.outcome.type_names[0]


@pytest.mark.parametrize("trace", [False, True])
@pytest.mark.parametrize("code", ["def f(n): return f(n + 1)", "f = lambda n: f(n + 1)"])
def test_instruments_take_next_to_no_room_on_the_stack(
    zygote: Zygote, code: str, trace: bool
) -> None:
    """A RecursionError comes where it comes without them, but for a few frames."""
    steps = ProbeStep(code="f(n)", is_expression=True)
    probing = prober(zygote, code)
    probe = Probe(sizes=(0,), setup=(), call=steps, modules=("sample",))
    depths = []
    for transformed in (False, True):
        look_at = probing.session(
            probe, 0, settings={"trace": trace}, transformed=transformed
        ).observe()
        outcome = look_at.call.outcome
        assert isinstance(outcome, Raised)
        depths.append(outcome.depth)
    assert 0 <= depths[0] - depths[1] <= 10


def test_names_of_instruments_are_not_to_be_foreseen(zygote: Zygote) -> None:
    """Each prober has another name."""
    assert prober(zygote, DIRECT).name != prober(zygote, DIRECT).name


def test_plain_and_rewritten_sessions_share_nothing_but_the_budget(zygote: Zygote) -> None:
    """After a probe, a session of the submission runs as if there had been none."""
    usage = Budget()
    runner = SessionRunner(
        zygote,
        Program.from_sources({"sample": ("sample.py", dedent(DIRECT))}, {}),
        Limits(),
        usage,
    )
    probe = Probe(
        sizes=(5,), setup=(), call=ProbeStep(code="f(n)", is_expression=True), modules=("sample",)
    )
    probing = ProbeRunner(runner)
    for transformed in (True, False, True):
        found = told(probing.session(probe, 5, settings={}, transformed=transformed).observe())
        assert bool(found["sites"]) is transformed
    received = usage.received_bytes
    assert received > 0
    run = runner.run((), modules=("sample",))
    assert run.is_loaded
    assert usage.received_bytes > received


@pytest.mark.corpus
@pytest.mark.parametrize("exercise", ["1010", "akari", "str8ts", "triomino", "yinyang"])
def test_rewritten_reference_behaves_as_it_stands(zygote: Zygote, exercise: str) -> None:
    """Every session of every suite gives the same observations on the rewritten reference."""
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
        there = runner.instrument(PROBE)({"transform": True})
        for session in suite.sessions:
            plan = whole_session(session)
            plain, told_by = (each.run(plan, modules=session.modules) for each in (runner, there))
            assert plain is not None
            assert plain == told_by, session.id
