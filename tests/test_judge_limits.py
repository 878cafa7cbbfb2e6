"""Steps and sessions that take too long or give too much: they are bounded, and wrong at most."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from builders import graded, submission, suite
from judged_calls import CALLS, said, verdicts
from lucky_programs import with_other_seeds

from grader.judging.judge import grade
from grader.judging.preparing import runner_for
from grader.judging.record import Record
from grader.judging.rules import KINDS
from grader.sandbox.forked import ForkedProcess
from grader.sandbox.planning import whole_session
from grader.sandbox.session_runs import SessionRun
from grader.sandbox.sessions import SessionRunner
from grader.sandbox.zygote import Zygote
from grader.suite.files import load_suite
from grader.suite.limits import Limits

ROOT: Final = Path(__file__).parent.parent


def test_too_much_output_in_one_step(zygote: Zygote) -> None:
    """A flood costs its own case only."""
    body = CALLS.replace("cpu_s: 0.2", "cpu_s: 2, output_chars: 1000")
    source = "def f(n):\n  while n == 2: print('x' * 99)\n  return n\ndef h(n): return n\n"
    record = graded(zygote, body, source)
    assert ["PASSED", "OUTPUT", "PASSED", "PASSED", "PASSED"] == verdicts(record)


def test_after_some_time_outs_all_is_still_tried(zygote: Zygote) -> None:
    """An endless loop costs little after a while, and each case has its own verdict."""
    source = "def f(n):\n  while n > 1: pass\n  return n\ndef h(n): return n\n"
    record = graded(zygote, CALLS, source)
    assert ["PASSED", "TIMED_OUT", "TIMED_OUT", "TIMED_OUT", "PASSED"] == verdicts(record)
    assert "3" == record.cases[2].expected


@pytest.mark.parametrize(
    "values",
    [
        {"[0] * 30_000": "wrong.too_large.nodes", "loop": "wrong.too_large.depth"},
        {"'x' * 200_000": "wrong.too_large.text", "10**9_000": "wrong.too_large.digits"},
    ],
)
def test_monstrous_values_are_wrong_and_nothing_worse(
    zygote: Zygote, values: Mapping[str, str]
) -> None:
    """Huge or endless values are wrong answers with a sentence of their own."""
    for expression, key in values.items():
        source = (
            f"loop = []\nloop.append(loop)\ndef f(n): return {expression}\ndef h(n): return n\n"
        )
        record = graded(zygote, CALLS, source)
        assert [key] == said(record.cases[0])
        assert "PASSED" == verdicts(record)[-1]


ENDLESS_IN_HIDDEN_SESSIONS = """
    limits: {cpu_s: 0.1}
    groups: [{id: ends, points: 1}, {id: endless, points: 1}]
    sessions:
    - {id: seen, steps: [{do: ends(), returns: '1', group: ends}]}
""" + "".join(
    f"""
    - id: s{number}
      visibility: hidden
      steps:
      - {{do: endless(), returns: '1', group: endless}}
      - {{do: ends(), returns: '1', group: ends}}
"""
    for number in range(12)
)


def test_hidden_sessions_that_never_end_are_paid_twice(
    zygote: Zygote, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After two that ran out of time at full price, the others have less of it.

    Only one more has it all: the first case of the group that would be lost for less.
    """
    timed_out: list[bool] = []
    run = SessionRunner.run

    def counting(self: SessionRunner, *plan: Any, **how: Any) -> SessionRun:
        done = run(self, *plan, **how)
        if done.exceeded_a_limit:
            timed_out.append(done.had_cheap_limit)
        return done

    monkeypatch.setattr(SessionRunner, "run", counting)
    source = """
        def ends():
            return 1

        def endless():
            while True:
                pass
    """
    record = graded(zygote, ENDLESS_IN_HIDDEN_SESSIONS, source)
    assert [1.0, 0.0] == [group.points for group in record.groups]
    assert 3 == timed_out.count(False)
    assert 12 <= timed_out.count(True) <= 24


MANY_SESSIONS = """
    groups: [{id: g, points: 1}]
    sessions:
""" + "".join(
    f"""
    - id: s{number}
      visibility: hidden
      steps: [{{do: f(1), returns: '1', group: g}}]
"""
    for number in range(40)
)
WAITS = """
    from threading import Lock

    lock = Lock()
    lock.acquire()

    def f(n):
        lock.acquire(timeout=0.05)
        return hash("a")
"""
"""Always wrong, otherwise with each seed, and below every limit of a step and of a session."""
COUNTS = """
    def f(n):
        for i in range(1_000_000):
            n = i
        return 1
"""
"""Right, and takes some computing time."""


@pytest.fixture(scope="module", name="others")
def _others() -> Iterator[Sequence[Zygote]]:
    """Zygotes with other seeds."""
    with with_other_seeds() as others:
        yield others


def within(limits: Limits, source: str, zygote: Zygote, others: Sequence[Zygote] = ()) -> Record:
    """Return the record of `source` on many sessions, repeated by `others`, within `limits`."""
    asked = suite(MANY_SESSIONS).with_changes(limits=limits)
    reseeded = (lambda: others) if others else None
    return grade(asked, submission(source), zygote, reseeded)


@pytest.mark.parametrize(
    ("limits", "source", "tried"),
    [
        (Limits(submission_wall_s=0.2), WAITS, "WRONG"),
        (Limits(submission_cpu_s=0.4, session_cpu_s=0.12), COUNTS, "PASSED"),
    ],
    ids=["waits", "counts"],
)
def test_a_submission_has_a_budget_of_time(
    zygote: Zygote, limits: Limits, source: str, tried: str
) -> None:
    """Who stays below all other limits is not run for ever; what was tried keeps its verdict."""
    record = within(limits, source, zygote)
    found = verdicts(record)
    untried = found.index("NOT_RUN")
    assert {tried} == set(found[:untried])
    assert {"NOT_RUN"} == set(found[untried:])
    assert ["not_run.budget"] == said(record.cases[-1])
    slept = ("staff.slept",) if source is WAITS else ()
    assert ("staff.budget", *slept) == tuple(each.key for each in record.staff_remarks)


@pytest.mark.parametrize("waited_s", [0.0, 1e6], ids=["idle", "busy"])
def test_waiting_for_a_processor_is_not_paid_from_the_budget(
    zygote: Zygote, monkeypatch: pytest.MonkeyPatch, waited_s: float
) -> None:
    """What a submission earns does not depend on what else the machine does meanwhile."""
    monkeypatch.setattr(ForkedProcess, "waited_s", lambda _self: waited_s)
    found = verdicts(within(Limits(submission_wall_s=0.2), WAITS, zygote))
    assert ("NOT_RUN" not in found) is bool(waited_s)


def test_programs_of_the_author_have_no_budget(zygote: Zygote) -> None:
    """A reference runs as many sessions as an author tries on it."""
    asked = suite(MANY_SESSIONS).with_changes(limits=Limits(submission_cpu_s=0.001))
    runner = runner_for(asked, submission("def f(n): return n"), zygote)
    for session in asked.sessions[:3]:
        assert runner.run(whole_session(session), modules=session.modules).is_loaded
    assert runner.why_exhausted is None


def test_who_leaves_a_budget_hears_nothing_of_it(zygote: Zygote, others: Sequence[Zygote]) -> None:
    """A right submission gets everything, and staff are told nothing."""
    record = within(Limits(), "def f(n): return n", zygote, others)
    assert {"PASSED"} == set(verdicts(record))
    assert () == record.staff_remarks


@pytest.mark.parametrize(
    ("exercise", "most_s"),
    [("1010", 150), ("akari", 60), ("str8ts", 60), ("triomino", 100), ("yinyang", 60)],
)
def test_nobody_holds_a_worker_for_long(exercise: str, most_s: float) -> None:
    """With the session under way when the budget is spent, it is a minute.

    For 1010! and triomino it is more: what takes long there does so also where it is right. Those
    are seconds of units; a clock ends nobody who computes as fast as others.
    """
    limits = load_suite(ROOT / "testsuites" / f"{exercise}.yaml", KINDS).limits
    assert limits.submission_wall_s + limits.session_wall_s <= most_s
    assert limits.submission_cpu_s + limits.session_cpu_s <= most_s
