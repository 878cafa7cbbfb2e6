"""Plans that are expected share executors, and come to what they come to alone."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from builders import submission, suite
from executor_sessions import FILES, QUICK, Forks, plan_of

from grader.judging.judge import grade
from grader.sandbox.budget import Budget
from grader.sandbox.lots import Lot, LotPlan, Lots, Plan
from grader.sandbox.observation import ImportObservation, Observation, Raised
from grader.sandbox.program import Program
from grader.sandbox.session_runs import SessionRun
from grader.sandbox.sessions import SessionRunner
from grader.sandbox.zygote import Zygote

MODULES = ("sample",)
NOTHING = ImportObservation(
    observation=Observation(outcome=Raised(type_names=("Nothing",), message="")),
    defined=frozenset(),
)


class Ran:
    """Lots that come to a run of each plan, up to one that is `lost`."""

    def __init__(self, lost: Sequence[Plan] = (), *, is_stale: bool = False) -> None:
        """End a lot before a plan that is `lost`; it may be so as the lot is stale by then."""
        self.lots: list[list[Plan]] = []
        self._lost = lost
        self._is_stale = is_stale

    def __call__(self, lot: Sequence[LotPlan]) -> Lot:
        """Take note of a lot, and return what came of it."""
        plans = [each.plan for each in lot]
        self.lots.append(plans)
        ends = [at for at, plan in enumerate(plans) if plan in self._lost and at] or [len(plans)]
        runs = [SessionRun(plan, NOTHING) for plan in plans[: ends[0]]]
        return Lot(runs=runs, is_stale=self._is_stale and len(runs) < len(plans))


def taken(lots: Lots, plans: Sequence[Plan]) -> list[bool]:
    """Return of which `plans` something came in a lot, when they are asked for in turn."""
    return [lots.take(plan, MODULES) is not None for plan in plans]


def plans_of(count: int, length: int = 1) -> list[Plan]:
    """Return so many plans, each of so many steps."""
    return [plan_of(*[str(number)] * length) for number in range(count)]


def test_what_is_expected_runs_with_what_follows_and_counts_once() -> None:
    """The first that is asked for takes along those behind it; each is given out once."""
    ran, plans = Ran(), plans_of(4)
    lots = Lots(ran, lambda _plan: True)
    lots.expect(plans, MODULES)
    assert [True] * 3 == taken(lots, plans[1:])
    assert [plans[1:]] == ran.lots
    assert [False] * 3 == taken(lots, plans[1:])


def test_plans_that_nobody_expects_or_that_are_too_few_are_in_no_lot() -> None:
    """Nothing is gained by a lot of two, and what is not announced runs by itself."""
    ran, plans = Ran(), plans_of(5)
    lots = Lots(ran, lambda _plan: True)
    lots.expect(plans[:2], MODULES)
    assert [False] * 5 == taken(lots, plans[::-1])
    assert [] == ran.lots


def test_lots_are_bounded() -> None:
    """No more than forty plans, or 250 steps, run in one executor."""
    many, long = plans_of(100), plans_of(9, length=80)
    for plans, sizes in ((many, [40, 40, 20]), (long, [3] * 3)):
        ran = Ran()
        lots = Lots(ran, lambda _plan: True)
        lots.expect(plans, MODULES)
        assert all(taken(lots, plans))
        assert sizes == [len(lot) for lot in ran.lots]


def test_what_a_lot_did_not_survive_runs_by_itself_and_the_rest_in_another() -> None:
    """Only the plan at which a lot ended is not tried in one again."""
    plans = plans_of(6)
    ran = Ran([plans[2]])
    lots = Lots(ran, lambda _plan: True)
    lots.expect(plans, MODULES)
    assert [True, True, False, True, True, True] == taken(lots, plans)
    assert [plans, plans[3:]] == ran.lots


def test_where_sessions_leave_something_behind_there_are_no_lots_any_more() -> None:
    """A lot that is stale begins again with the plan that it ended at, twice."""
    plans = plans_of(6)
    ran = Ran(plans, is_stale=True)
    lots = Lots(ran, lambda _plan: True)
    lots.expect(plans, MODULES)
    assert [True, True, False, False, False, False] == taken(lots, plans)
    assert [plans, plans[1:]] == ran.lots


def test_a_result_at_another_price_does_not_count() -> None:
    """What ran at full price is not what a call comes to that has failed since."""
    plans, cheap = plans_of(3), set[Plan]()
    lots = Lots(Ran(), lambda plan: plan not in cheap)
    lots.expect(plans, MODULES)
    assert [True] == taken(lots, plans[:1])
    cheap.add(plans[1])
    assert [False, True] == taken(lots, plans[1:])


def test_what_is_kept_is_known_before_it_is_asked_for() -> None:
    """Who looks at a result does not take it."""
    plans, lots = plans_of(3), Lots(Ran(), lambda _plan: True)
    lots.expect(plans, MODULES)
    assert lots.peek(plans[1], MODULES) is None
    assert [True] == taken(lots, plans[:1])
    seen = lots.peek(plans[1], MODULES)
    assert seen is not None
    assert seen is lots.take(plans[1], MODULES)
    assert lots.peek(plans[1], MODULES) is None


SOURCE = """
import os, time
seen = []
def see(): seen.append(1); return len(seen)
def leave(): os._exit(3)
def work(turns):
    for _ in range(turns): pass
def loop():
    while True: pass
def fill(): return [b"x" * 1_000_000 for _ in range(10_000)]
def tell(): print("x" * 1_000_000)
def forge():
    for fd in range(3, 64):
        try: os.write(fd, bytes(100))
        except OSError: pass
"""


def runner(sandbox: Forks) -> SessionRunner:
    """Return what runs `SOURCE`."""
    program = Program.of({"sample": ("sample.py", SOURCE)}, FILES)
    return SessionRunner(sandbox, program, QUICK, Budget())


def test_plans_share_an_executor(zygote: Zygote) -> None:
    """Ten sessions that are expected are one executor, and each finds what it finds alone."""
    sandbox, plans = Forks(zygote), [plan_of("see()", "see()") for _ in range(10)]
    together, alone = runner(sandbox), runner(sandbox)
    together.expect(plans, modules=MODULES)
    found = [together.run(plan, modules=MODULES) for plan in plans]
    assert 1 == sandbox.count
    assert [alone.run(plan, modules=MODULES) for plan in plans] == found
    assert alone.budget.units == together.budget.units


def test_what_takes_long_runs_by_itself(zygote: Zygote) -> None:
    """A step of a lot has an eighth of its limit, and all of it when it is asked for."""
    sandbox, codes = Forks(zygote), ["see()", "work(1_000_000)", "see()", "see()", "see()"]
    together, plans = runner(sandbox), [plan_of(code) for code in codes]
    together.expect(plans, modules=MODULES)
    assert all(together.run(plan, modules=MODULES).went_on for plan in plans)
    assert 3 == sandbox.count


@pytest.mark.parametrize("trouble", ["leave()", "loop()", "fill()", "tell()", "forge()"])
def test_trouble_is_what_it_is_alone(zygote: Zygote, trouble: str) -> None:
    """A session that dies, or fails by a limit, has the same end, and so have all others."""
    codes = ["see()", trouble, "see()", "see()", trouble, trouble, "see()", trouble, "see()"]
    plans = [plan_of("see()", code, "see()") for code in codes]
    together, alone = runner(Forks(zygote)), runner(Forks(zygote))
    together.expect(plans, modules=MODULES)
    expected = [alone.run(plan, modules=MODULES) for plan in plans]
    assert expected == [together.run(plan, modules=MODULES) for plan in plans]
    assert alone.budget.units == together.budget.units


def test_a_module_that_cannot_be_imported_is_told_of_each_session(zygote: Zygote) -> None:
    """What fails before any session of a lot fails as it does alone."""
    program = Program.of({"sample": ("sample.py", "raise ValueError(1)")}, FILES)
    plans = plans_of(3)
    together = SessionRunner(zygote, program, QUICK)
    together.expect(plans, modules=MODULES)
    alone = SessionRunner(zygote, program, QUICK)
    expected = [alone.run(plan, modules=MODULES) for plan in plans]
    assert expected == [together.run(plan, modules=MODULES) for plan in plans]
    assert not any(run.loaded for run in expected)


def test_a_wrong_program_has_the_same_record_with_fewer_executors(
    zygote: Zygote, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cases that fail are tried on their own, in one executor instead of one each."""
    steps = ", ".join(f"{{do: f({n}), returns: '{n}', group: g}}" for n in range(12))
    asked = suite(f"groups: [{{id: g, points: 12}}]\nsessions: [{{id: s, steps: [{steps}]}}]\n")
    wrong = submission("last = 0\ndef f(n):\n  global last\n  last += 1\n  return n + last - 1")
    shared, apart = Forks(zygote), Forks(zygote)
    together = grade(asked, wrong, shared)
    monkeypatch.setattr(SessionRunner, "expect", lambda *_args, **_named: None)
    assert grade(asked, wrong, apart) == together
    assert shared.count < apart.count


def test_what_fails_in_many_sessions_is_tried_together(
    zygote: Zygote, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cases that fail in sessions of one lot are tried on their own in another one."""
    cases = "{{do: '{n}', returns: '{n}', group: g}}, {{do: f({n}), returns: '{n}', group: g}}"
    each = "{{id: s{n}, steps: [" + cases + "]}}"
    sessions = ", ".join(each.format(n=n) for n in range(8))
    asked = suite(f"groups: [{{id: g, points: 12}}]\nsessions: [{sessions}]\n")
    wrong = submission("def f(n): return n + 1")
    ahead, apart = Forks(zygote), Forks(zygote)
    together = grade(asked, wrong, ahead)
    monkeypatch.setattr(SessionRunner, "kept", lambda *_args, **_named: None)
    assert grade(asked, wrong, apart) == together
    assert ahead.count < apart.count
