"""Draws the recursive calls of a function in a public case that failed.

The session of the case runs again, in its own executor, with instruments that record which call
made which (`grader.executor.tracing`). That time is not charged to the submission. The record
comes from the process of the submission, so its shape is checked, and no verdict depends on it.
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from grader.judging.calls import Site, is_summary, shown_call, shown_function, shown_summary
from grader.judging.pictures import CallsPicture, TracedCall
from grader.judging.probing import CALL, evidence_in
from grader.judging.results import Result, Results
from grader.judging.rules.rule import dotted_name
from grader.sandbox.planning import Item, own_session
from grader.sandbox.sessions import SessionRunner
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.suite.steps import Case
from grader.values.foreign_text import one_line
from grader.verdict import Verdict

MAX_DRAWN: Final = 3
"""Cases per submission whose calls are drawn; the rest mostly fail for the same reason."""
MAX_CALLS: Final = 24
"""Calls in one picture: those nearest to the first one."""
MAX_CALL_CHARS: Final = 48
_MAX_RESULT_CHARS: Final = 24
_MAX_RECORDED: Final = 3_000
_KEY_CHARS: Final = 1_000
_DRAWN: Final = frozenset({Verdict.WRONG, Verdict.ERROR})
"""Verdicts on cases that ran to their end: rerunning others would cost too much."""


@dataclass(slots=True)
class _Call:
    """One recorded call, and the calls that it made."""

    parent: int
    key: str
    arguments: Sequence[Sequence[Any]]
    gave: Sequence[Any] | None
    is_cut: bool
    callees: list[int] = field(default_factory=list)


class CallDrawer:
    """Draws the calls of one submission."""

    def __init__(self, suite: Suite, runner: SessionRunner, parts: Mapping[str, str]) -> None:
        """Run sessions of `suite` the way `runner` does.

        `parts` has, for each module of the exercise, the name that it is imported by.
        """
        self._suite: Final = suite
        self._parts: Final = parts
        self._runner: Final = runner
        self._extra_runner: Final = runner.aside()
        # Random, so that no submission can guess it.
        self._name: Final = f"__probe_{secrets.token_hex(4)}"
        self._instrumented: Final = self._extra_runner.instrumented(self._name)
        self._drawings_left = MAX_DRAWN

    def drawn(self, session: Session, results: Results) -> Results:
        """Return `results`, with pictures of the calls added to those of failed cases."""
        return {**results, **dict(self._with_pictures(session, results))}

    def _with_pictures(self, session: Session, results: Results) -> list[tuple[str, Result]]:
        found = []
        for case in session.cases:
            function, result = self._suite.widgets.traced(case.group), results[case.id]
            if function is None or result.verdict not in _DRAWN:
                continue
            nearly_spent = self._runner.budget.nearly_spent(self._suite.limits)
            if self._drawings_left and not (nearly_spent or self._extra_runner.spent):
                self._drawings_left -= 1
                picture = self._picture(session, case, function)
                found.append((case.id, replace(result, calls=picture)))
        return found

    def _picture(self, session: Session, case: Case, function: str) -> CallsPicture | None:
        """Return the calls of `function` in the step of `case`; None without any recursion."""
        *earlier_steps, step = own_session(session, case.step_index, observed=False)
        if not step.is_expression or step.runs:  # `CALL` puts it into a lambda
            return None
        dotted = dotted_name(function, self._suite.modules, self._suite.binds, self._parts)
        runner = self._instrumented({"transform": True, "tree": [dotted]})
        instrumented_step = replace(step, code=CALL.format(name=self._name, code=step.code))
        evidence = Item(step_index=len(session.steps), code=f"{self._name}_evidence__()")
        run = runner.run((*earlier_steps, instrumented_step, evidence), modules=session.modules)
        facts = evidence_in(run.observations[len(earlier_steps) + 1 :])
        return picture_of(traced(facts), dotted, function)


def traced(facts: Mapping[str, Any] | None) -> list[_Call]:
    """Return the calls in `facts`, in order; empty if `facts` has another shape."""
    match facts:
        case {"tree": list() as told} if len(told) <= _MAX_RECORDED:
            pass
        case _:
            return []
    calls: list[_Call] = []
    for each in told:
        match each:
            case [int() as parent, str() as key, list() as arguments, gave, bool() as is_cut] if (
                len(key) <= _KEY_CHARS
                and -1 <= parent < len(calls)  # an earlier one: a forged cycle would never end
                and all(map(is_summary, arguments))
                and (gave is None or is_summary(gave))
            ):
                if parent >= 0:
                    calls[parent].callees.append(len(calls))
                calls.append(_Call(parent, key, arguments, gave, is_cut))
            case _:
                return []
    return calls


def picture_of(calls: Sequence[_Call], dotted: str, function: str) -> CallsPicture | None:
    """Return a picture of the `calls` of the function `dotted`, with the calls below them.

    If there are too many, those nearest to the step are shown. Returns None without recursion.
    """
    first = _outermost(calls, dotted)
    if not any(calls[index].callees for index in first):
        return None
    shown = _nearest(calls, first)
    told: list[TracedCall] = []
    # A stack: the last comes out first.
    pending = [(index, 0) for index in reversed(first) if index in shown]
    is_cut = len(pending) < len(first)
    while pending:
        index, depth = pending.pop()
        call = calls[index]
        shown_callees = [each for each in call.callees if each in shown]
        told.append(
            _traced_call(call, depth, is_cut=call.is_cut or len(shown_callees) < len(call.callees))
        )
        pending += [(each, depth + 1) for each in reversed(shown_callees)]
    shown_name = one_line(function, MAX_CALL_CHARS)
    return CallsPicture(function=shown_name, calls=tuple(told), is_cut=is_cut)


def _outermost(calls: Sequence[_Call], dotted: str) -> list[int]:
    """Return the indexes of the outermost `calls` of the function `dotted`."""
    found: list[int] = []
    inside: set[int] = set()
    for index, call in enumerate(calls):
        if call.parent in inside:
            inside.add(index)
        elif _function(call) == dotted:
            inside.add(index)
            found.append(index)
    return found


def _nearest(calls: Sequence[_Call], first: Sequence[int]) -> Collection[int]:
    """Return the indexes of the calls to show: the `first`, then their callees, breadth first."""
    shown: dict[int, None] = {}
    pending = deque(first)
    while pending and len(shown) < MAX_CALLS:
        index = pending.popleft()
        shown[index] = None
        pending += calls[index].callees
    return shown


def _function(call: _Call) -> str:
    return Site(key=call.key, entered=1, reentered=0, deepest=1).function


def _traced_call(call: _Call, depth: int, *, is_cut: bool) -> TracedCall:
    gave = None if call.gave is None else one_line(shown_summary(call.gave), _MAX_RESULT_CHARS)
    text = shown_call(shown_function(_function(call)), call.arguments, MAX_CALL_CHARS)
    return TracedCall(depth=depth, text=text, gave=gave, is_cut=is_cut)
