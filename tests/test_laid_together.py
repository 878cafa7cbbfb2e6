"""Generated sessions that are run together, and come out as if they were run apart."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from textwrap import dedent
from typing import Any

import pytest
from builders import HEAD, submission, suite
from executor_sessions import run_together
from lucky_programs import WORDS, order_of_marks, with_other_seeds

from grader.judging.judge import grade
from grader.judging.rules import KINDS
from grader.sandbox.observation import Returned
from grader.sandbox.session_runs import SessionRun
from grader.sandbox.sessions import SessionRunner
from grader.sandbox.zygote import Zygote
from grader.suite.hidden import merge_suites, ordered_sessions
from grader.suite.loading import parse_hidden_suite, parse_suite
from grader.suite.model import Suite
from grader.verdict import Verdict

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="zygotes are for Linux")

PUBLIC = f"""{HEAD}
limits: {{cpu_s: 0.3}}
groups: [{{id: g, points: 1}}]
sessions:
- id: example
  steps: [{{do: f(1), returns: "1", group: g}}]
"""
GENERATED = f"""\
generated: {{version: 2, seed: "1", reference: "{"a" * 64}", content: "{"b" * 64}"}}
"""
SESSIONS = "\n".join(
    f"""\
- id: h{number}
  steps:
  - {{do: "x = {number}"}}
  - {{do: f(x), returns: "{number}", group: g}}
  - {{do: f(x + 10), returns: "{number + 10}", group: g}}
"""
    for number in range(2, 8)
)


@pytest.fixture(scope="module")
def others() -> Iterator[Sequence[Zygote]]:
    """Zygotes with the other seeds."""
    with with_other_seeds() as zygotes:
        yield zygotes


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lay so few sessions together that two longer ones are left."""
    monkeypatch.setattr("grader.suite.hidden._MAX_STEPS_TOGETHER", 9)


def whole(generated: str = GENERATED) -> Suite:
    """Return a suite with six hidden sessions."""
    public = parse_suite(PUBLIC.encode(), "sample.yaml", KINDS)
    hidden = f"exercise: sample\n{generated}sessions:\n{SESSIONS}"
    return merge_suites(public, parse_hidden_suite(hidden.encode(), "sample.hidden.yaml", public))


def test_generated_sessions_are_laid_together() -> None:
    """Those on the same modules become a few of much the same length; others stay apart."""
    example, *joined = ordered_sessions(whole())
    assert "example" == example.id
    assert [(3, 9), (3, 9)] == [(len(each.parts), len(each.steps)) for each in joined]
    assert 7 == len(ordered_sessions(whole(generated="")))
    for session in joined:
        codes = [session.steps[case.step_index].code for case in session.cases]
        assert ["f(x)", "f(x + 10)"] * 3 == codes


def test_enough_sessions_are_left_to_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where too few would be left, fewer are laid together, and none if that does not help."""
    monkeypatch.setattr("grader.suite.hidden._MAX_STEPS_TOGETHER", 100)
    assert 2 == len(ordered_sessions(whole()))
    assert [0, 3, 3] == [len(each.parts) for each in ordered_sessions(whole(), least=3)]
    assert 7 == len(ordered_sessions(whole(), least=8))


PROGRAMS = {
    "right": "def f(n): return n",
    "wrong": "def f(n): return n if n != 14 else 0",
    "raises": "def f(n): return n if n < 14 else 1 // 0",
    "endless": "def f(n):\n    while n == 5: pass\n    return n",
    "ends": "import os\ndef f(n): return n if n != 13 else os._exit(0)",
    "forgets to return": """
        memo = {}
        def f(n):
            if n % 10 in memo: return n
            memo[n % 10] = n
    """,
    "remembers": """
        seen = []
        def f(n):
            seen.append(n)
            return n if len(seen) < 4 else 0
    """,
}


@pytest.mark.parametrize("source", PROGRAMS.values(), ids=PROGRAMS)
def test_verdicts_are_those_of_sessions_apart(zygote: Zygote, source: str) -> None:
    """No mistake, death or left-over of one part costs another part anything."""
    together = grade(whole(), submission(dedent(source)), zygote)
    apart = grade(whole(generated=""), submission(dedent(source)), zygote)
    assert [(each.id, each.verdict) for each in apart.cases] == [
        (each.id, each.verdict) for each in together.cases
    ]
    assert apart.score == together.score


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Whatever has been run in an executor of its own."""
    asked = []
    run_once = SessionRunner._run

    def noted(
        runner: SessionRunner, plans: Any, modules: Any, *, in_full: bool
    ) -> list[SessionRun]:
        asked.append(plans)
        return run_once(runner, plans, modules, in_full=in_full)

    monkeypatch.setattr(SessionRunner, "_run", noted)
    return asked


def test_a_right_submission_needs_few_executors(zygote: Zygote, plans: list[Any]) -> None:
    """One for the public session, and one for each that others are laid together to."""
    grade(whole(), submission(PROGRAMS["right"]), zygote)
    assert 3 == len(plans)


def test_a_part_that_fails_does_not_tear_the_others_apart(zygote: Zygote, plans: list[Any]) -> None:
    """It runs by itself, and those that went well after it are laid together once more."""
    source = "def f(n): return n if n != 2 else 0"
    record = grade(whole(), submission(source), zygote)
    assert [1, 9, 6, 3, 9] == [sum(map(len, each)) for each in plans]
    assert 1 == sum(each.verdict is not Verdict.PASSED for each in record.cases)


def test_luck_is_found_in_sessions_laid_together(zygote: Zygote, others: Sequence[Zygote]) -> None:
    """They take turns at the seeds, and what had passed before is looked at again."""
    source = f"""
        def f(n):
            return n if list(set({WORDS})) == {order_of_marks()} else 0
    """
    lucky = grade(whole(), submission(dedent(source)), zygote, lambda: others)
    assert {Verdict.WRONG} == {each.verdict for each in lucky.cases}


def test_a_part_shows_the_same_whatever_was_before_it(zygote: Zygote) -> None:
    """Its objects are numbered anew, and what older ones print on their way out is nobody's."""
    source = """
        class Box:
            def __del__(self): print("gone")
    """
    runs = run_together(zygote, source, ("Box()", "None"), ("Box()", "None"), ("1", "Box()"))
    shown = [each for run in runs for each in run.observations]
    assert {""} == {each.stdout for each in shown}
    numbers = [
        each.outcome.identity if isinstance(each.outcome, Returned) else "nothing" for each in shown
    ]
    assert [0, None, 0, None, None, 0] == numbers


def test_staff_hear_of_looks_that_came_to_no_end(zygote: Zygote) -> None:
    """A look that ends the executor costs nobody a case, and a person is told to look."""
    body = """groups: [{id: g, points: 1}]
sessions:
- id: s
  visibility: hidden
  observers: [str(b)]
  steps:
  - {do: b = Box()}
  - {do: b.put(1), raises: ValueError, group: g}
"""
    source = """
        import os
        class Box:
            def put(self, n): raise ValueError
            def __str__(self): os._exit(0)
    """
    record = grade(suite(body), submission(dedent(source)), zygote)
    assert [Verdict.PASSED] == [each.verdict for each in record.cases]
    assert ["staff.looks"] == [each.key for each in record.staff_remarks]
