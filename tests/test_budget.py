"""What a submission may use: counted, at full price or cheaply, and by which clock."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import pytest
import test_hidden_suites
import test_invariants
import test_laid_together
from builders import graded, submission, suite
from executor_sessions import died, plan_of, run
from lucky_programs import asking, step, with_other_seeds
from test_judge_limits import ENDLESS_IN_HIDDEN_SESSIONS

from grader.judging.judge import grade
from grader.sandbox.budget import Budget, Prices, StepLimits, exceeded_limit, units
from grader.sandbox.forked import ForkedProcess
from grader.sandbox.observation import Died, ImportObservation, Observation, Returned
from grader.sandbox.planning import Item, called_names
from grader.sandbox.program import Program
from grader.sandbox.session_runs import SessionRun, count_time_outs_twice
from grader.sandbox.sessions import SessionRunner
from grader.sandbox.zygote import Zygote
from grader.suite.limits import Limits
from grader.suite.model import Suite
from grader.values.tree import Atom
from grader.verdict import Verdict

CORPUS: Final[Mapping[str, tuple[Suite, str]]] = {
    "good": (suite(test_invariants.BODY), test_invariants.GOOD),
    **{
        f"bad: {name}": (suite(test_invariants.BODY), source)
        for name, source in test_invariants.BAD.items()
    },
    **{
        f"in parts: {name}": (test_laid_together.whole(), source)
        for name, source in test_laid_together.PROGRAMS.items()
    },
    **{
        f"hidden: {name}": (test_hidden_suites.whole(), source)
        for name, source in (
            ("right", test_hidden_suites.RIGHT),
            ("copied", test_hidden_suites.COPIED),
            ("wrong", test_hidden_suites.WRONG),
        )
    },
    "endless in hidden sessions": (
        suite(ENDLESS_IN_HIDDEN_SESSIONS),
        "def ends(): return 1\ndef endless():\n    while True: pass\n",
    ),
    **{
        f"lucky: {name}": (suite(asking(step("f()", "7"))), source)
        for name, source in (
            ("chance", "import random\ndef f(): return random.randrange(6, 9)\n"),
            ("hash", "def f(): return 7 if hash('a') % 2 else 8\n"),
            ("order", "def f(): return 7 if [*{'a', 'b', 'c', 'd'}][0] in 'ab' else 8\n"),
        )
    },
}


@pytest.fixture(scope="module", name="others")
def _others() -> Iterator[Sequence[Zygote]]:
    """Zygotes with other seeds."""
    with with_other_seeds() as others:
        yield others


@pytest.mark.parametrize("name", CORPUS)
def test_the_record_is_the_same_on_a_slow_machine(
    zygote: Zygote, others: Sequence[Zygote], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where all takes four times as long, or seems to, it is the same byte for byte."""
    asked, source = CORPUS[name]

    def record() -> str:
        return test_invariants.text_of(grade(asked, submission(source), zygote, lambda: others))

    usual, used_s = record(), ForkedProcess.used_s
    monkeypatch.setattr(ForkedProcess, "used_s", lambda process: 4 * used_s(process))
    assert usual == record()


# A failure is paid once

LIMITS: Final = Limits(cpu_s=1.0, output_chars=100_000)
FULL: Final = StepLimits(units(1.0), 100_000)


def item(code: str) -> Item:
    """Return the item of a plan that evaluates `code`."""
    (made,) = plan_of(code)
    return made


def good(used: int = 0, printed: str = "") -> Observation:
    """Return what is observed of a step that went well and used so much."""
    outcome = Returned(value=Atom(1), identity=None)
    return Observation(outcome=outcome, stdout=printed, units=used)


def after(verdict: Verdict, *codes: str, limits: Limits = LIMITS) -> Prices:
    """Return the prices when each of `codes` has failed by a limit, at full price."""
    prices = Prices(limits)
    for code in codes:
        prices.record_failure(item(code), verdict)
    return prices


def test_the_key_of_a_price_is_what_is_called() -> None:
    """Calls are known by their last name; code without any stands for itself."""
    assert ("solve", "Puzzle") == called_names("Puzzle(3).solve(x)")
    assert ("x + y",) == called_names("x + y")


def test_the_second_failure_makes_a_call_cheap() -> None:
    """One may be bad luck; after two at full price further calls get a fiftieth of the time."""
    assert FULL == after(Verdict.TIMED_OUT, "f(1)").limits_for(item("f(3)"))
    twice = after(Verdict.TIMED_OUT, "f(1)", "p.f(2)")
    assert FULL._replace(units=FULL.units // 50) == twice.limits_for(item("f(3)"))
    assert FULL == twice.limits_for(item("g(f)")), "what is only named is not called"
    assert FULL == twice.full(item("f(3)"))


def test_a_time_out_with_another_seed_counts_for_both() -> None:
    """With that of the marks, which is tried next, the call is not waited for once more."""
    plan, loaded = (
        (item("g(1)"), item("f(1)"), item("h(1)")),
        ImportObservation(observation=good(1), defined=frozenset()),
    )
    late = Observation(outcome=Died(verdict=Verdict.TIMED_OUT, evidence=""))
    prices = after(Verdict.TIMED_OUT, "f(1)")
    count_time_outs_twice([SessionRun(plan, loaded, [good(1), late])], prices)
    assert FULL.units // 50 == prices.limits_for(item("f(2)")).units
    assert FULL == prices.limits_for(item("h(2)"))


def test_a_call_that_went_well_has_four_times_as_much() -> None:
    """Who is slow but right is not cut off by failures of the same call, up to the full price."""
    prices = after(Verdict.TIMED_OUT, "f(1)", "f(2)")
    prices.record_success(item("f(3)"), good(FULL.units // 20))
    prices.record_success(item("f(4)"), good(FULL.units // 30))
    assert FULL.units // 20 * 4 == prices.limits_for(item("f(5)")).units
    prices.record_success(item("f(6)"), good(FULL.units // 2))
    assert FULL == prices.limits_for(item("f(7)"))


def test_calls_that_never_went_well_are_not_waited_for() -> None:
    """After four time-outs of whatever calls, one that has yet to end at all is cheap at once."""
    prices = after(Verdict.TIMED_OUT, "f(1)", "g(1)", "h(1)", "k(1)")
    assert FULL.units // 50 == prices.limits_for(item("new(1)")).units
    prices.record_success(item("known(1)"), good(7))
    assert FULL == prices.limits_for(item("known(2)"))
    assert FULL == after(Verdict.TIMED_OUT, "f(1)", "g(1)", "h(1)").limits_for(item("new(1)"))


def test_a_call_that_is_pardoned_has_its_full_price() -> None:
    """What went well at full price is not cut short again, whatever failed."""
    prices = after(Verdict.TIMED_OUT, "f(1)", "f(2)", "g(1)", "g(2)")
    prices.pardon([item("f(3)")])
    assert FULL == prices.limits_for(item("f(4)"))
    assert FULL.units // 50 == prices.limits_for(item("g(3)")).units


def test_output_has_a_price_of_its_own() -> None:
    """Who floods gets 10,000 characters, or four times what was printed when it went well."""
    prices = after(Verdict.OUTPUT, "f(1)", "f(2)")
    assert FULL._replace(chars=10_000) == prices.limits_for(item("f(3)"))
    prices.record_success(item("f(4)"), good(printed="x" * 9_000))
    assert FULL._replace(chars=36_000) == prices.limits_for(item("f(5)"))


def test_memory_has_a_price_of_the_whole_session() -> None:
    """A session that calls what filled the memory twice has a quarter of it, 24 MiB at least."""
    mib = 1 << 20
    prices = after(Verdict.MEMORY, "f(1)", "f(2)")
    assert 32 * mib == prices.memory_bytes(plan_of("1", "f(3)"), 128 * mib)
    assert 24 * mib == prices.memory_bytes(plan_of("f(3)"), 64 * mib)
    assert 256 * mib == prices.memory_bytes(plan_of("f(3)"), 1024 * mib)
    assert 128 * mib == prices.memory_bytes(plan_of("g(3)"), 128 * mib)


def test_some_calls_have_a_limit_of_their_own() -> None:
    """A suite may give a function more, or less, than other steps; the most of them counts."""
    prices = Prices(LIMITS.with_changes(calls={"best": 20.0, "quick": 0.5}))
    given = [prices.full(item(code)).units for code in ("best(1)", "p.quick()", "quick(best())")]
    assert [units(20), units(0.5), units(20)] == given
    assert FULL == prices.full(item("other(best)"))


def test_a_call_with_more_time_has_it(zygote: Zygote) -> None:
    """What takes longer than other steps may ends there, and nowhere else."""
    source = "def f(n):\n    for _ in range(n): pass\n    return n\ng = f\n"
    turns = units(0.02) // 4
    seen = run(zygote, source, f"f({turns})", limits=Limits(cpu_s=0.02, calls={"f": 2.0}))
    assert isinstance(seen.observations[-1].outcome, Returned)
    seen = run(zygote, source, f"g({turns})", limits=Limits(cpu_s=0.02, calls={"f": 2.0}))
    assert (Verdict.TIMED_OUT, "units of the step") == died(seen.observations[-1])


MANY = """
    limits: {cpu_s: 0.1}
    groups: [{id: g, points: 9}, {id: h, points: 1}]
    sessions:
    - id: s
      steps:
""" + "".join(
    f"      - {{do: f({number}), returns: '{number}', group: {'h' if number > 8 else 'g'}}}\n"
    for number in range(10)
)


@pytest.fixture(name="paid")
def _paid(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The code of each step that failed by its full limit."""
    codes: list[str] = []
    pay = Prices.record_failure

    def noted(prices: Prices, asked: Item, verdict: Verdict) -> None:
        codes.append(asked.code)
        pay(prices, asked, verdict)

    monkeypatch.setattr(Prices, "record_failure", noted)
    return codes


def test_who_is_slow_after_failures_keeps_the_points(zygote: Zygote) -> None:
    """A right call that takes more than the cheap price passes, though others never ended."""
    slow = units(0.1) // 2 // 8
    source = f"""
        def f(n):
            while n in (1, 2, 3, 4): pass
            for _ in range({slow} if n == 9 else 0): pass
            return n
    """
    record = graded(zygote, MANY, source)
    wrong = [case.id for case in record.cases if case.verdict is not Verdict.PASSED]
    assert [f"g/{number}" for number in (2, 3, 4, 5)] == wrong
    assert [5.0, 1.0] == [group.points for group in record.groups]


def test_each_group_that_is_lost_was_tried_at_full_price(zygote: Zygote, paid: list[str]) -> None:
    """Two failures are believed, and of each group one case more has all there is."""
    record = graded(zygote, MANY, "def f(n):\n    while True: pass\n")
    assert [0.0, 0.0] == [group.points for group in record.groups]
    assert {Verdict.TIMED_OUT} == {case.verdict for case in record.cases}
    assert "f(9)" in paid
    assert len(paid) <= 4


def test_a_session_pays_for_two_floods(zygote: Zygote) -> None:
    """After two floods of one session its other calls of the same function print little more."""
    source = "def f(): return [print('x', end='') for _ in iter(int, 1)]\ng = f\n"
    steps = ("f()", "f()", "f()", "g()", "1 + 1", "f()")
    seen = run(zygote, source, *steps, limits=Limits(output_chars=1_000_000, cpu_s=10.0))
    *_, failed, others, right, last = (each for each in seen.observations)
    assert all(each.overflowed for each in (failed, others, last))
    assert isinstance(right.outcome, Returned)
    assert seen.had_cheap_limit
    full, cheap = others.units, failed.units
    assert cheap * 50 < full
    assert (cheap, full) == (last.units, seen.observations[0].units)


@pytest.mark.parametrize("place", ["seen = []", "global seen"])
def test_no_room_to_reply_is_memory_too(zygote: Zygote, place: str) -> None:
    """Who fills the memory fails by that, whether a step's end frees it or a module holds it."""
    source = f"""
        seen = []
        def f():
            {place}
            while True: seen.append([len(seen)])
    """
    tried = run(zygote, source, *["f()"] * 6)
    assert {Verdict.MEMORY} == {exceeded_limit(each) for each in tried.observations}
    if place == "seen = []":
        assert len(tried.observations) == len(tried.plan)


def test_a_pass_at_full_price_pardons(zygote: Zygote, paid: list[str]) -> None:
    """Who fails where little was given and passes with all of it keeps that from then on."""
    slow = units(0.1) // 2 // 8
    source = f"""
        def f(n):
            while n < 2: pass
            for _ in range({slow}): pass
            return n
    """
    record = graded(zygote, MANY, source)
    wrong = [case.id for case in record.cases if case.verdict is not Verdict.PASSED]
    assert ["g/1", "g/2"] == wrong
    assert {"f(0)", "f(1)"} == set(paid)


# Clocks


def test_the_kernel_is_a_clock_too(zygote: Zygote) -> None:
    """A session that computes for ten times its limit in ways that are not counted is told of."""
    budget = Budget()
    source = "def f(): return sum(range(10**12))\n"
    program = Program.from_sources({"sample": ("sample.py", source)}, {})
    runner = SessionRunner(zygote, program, Limits(cpu_s=9, session_cpu_s=0.1), budget)
    (seen,) = runner.run(plan_of("f()"), modules=("sample",)).observations
    assert (Verdict.TIMED_OUT, "CPU limit of the session") == died(seen)
    assert budget.clock_decided


@pytest.mark.parametrize(
    ("used", "remarks"),
    [
        ({"units": units(46)}, ["staff.budget"]),
        ({"cpu_s": 181.0}, ["staff.budget", "staff.clock"]),
        ({"cpu_s": 181.0, "units": units(46)}, ["staff.budget"]),
        ({"idle_s": 51.0}, ["staff.budget", "staff.slept"]),
        ({"cpu_s": 179.0, "idle_s": 49.0, "units": units(44)}, []),
    ],
)
def test_what_a_submission_may_use_is_counted(
    zygote: Zygote, used: Mapping[str, Any], remarks: list[str]
) -> None:
    """Units end it, waiting does, and a clock at four times the limit; staff are told which."""
    program = Program.from_sources({"sample": ("sample.py", "")}, {})
    runner = SessionRunner(zygote, program, Limits(), Budget(**used))
    assert bool(remarks) is (runner.why_exhausted is not None)
    assert remarks == [each.key for each in runner.budget.staff_remarks(Limits())]
