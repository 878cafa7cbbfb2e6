"""Draws the recursive calls of a function in a public case that failed.

The session of the case runs again in a separate executor, with instruments that record which call
made which (`grader.executor.tracing`). The time of this run does not count towards the submission's
budget. The record comes from the submission's process, so it is validated, and no verdict depends
on it.
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from grader.judging.calls import (
    Site,
    format_call,
    format_summary,
    function_display_name,
    is_summary,
)
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
"""Cases per submission whose calls are drawn. Other cases mostly fail for the same reason."""
MAX_CALLS: Final = 24
"""Calls in one picture. If there are more, those nearest to the first call are shown."""
MAX_CALL_CHARS: Final = 48
_MAX_RESULT_CHARS: Final = 24
_MAX_RECORDED: Final = 3_000
_KEY_CHARS: Final = 1_000
_DRAWN_VERDICTS: Final = frozenset({Verdict.WRONG, Verdict.ERROR})
"""Verdicts on cases that completed. Running other cases again would cost too much."""


@dataclass(slots=True)
class _Call:
    """One recorded call, and the indexes of the calls that it made."""

    parent: int
    """The index of the call that made this one, or -1."""
    key: str
    """The key of its `Site`, which contains the name of the function."""
    arguments: Sequence[Sequence[Any]]
    gave: Sequence[Any] | None
    """The summary of the result, or None if the call did not return."""
    is_cut: bool
    """Whether some of the calls that it made were not recorded."""
    callees: list[int] = field(default_factory=list)


class CallDrawer:
    """Draws the recursive calls of one submission."""

    def __init__(self, suite: Suite, runner: SessionRunner, parts: Mapping[str, str]) -> None:
        """Prepare to run sessions of `suite` as `runner` does, but with a separate budget.

        `parts` maps each module of the exercise to the name under which it is imported.
        """
        self._suite: Final = suite
        self._parts: Final = parts
        self._runner: Final = runner
        self._extra_runner: Final = runner.without_budget()
        # The name is random, so that no submission can guess it.
        self._name: Final = f"__probe_{secrets.token_hex(4)}"
        self._instrumented: Final = self._extra_runner.instrument(self._name)
        self._drawings_left = MAX_DRAWN

    def draw_calls(self, session: Session, results: Results) -> Results:
        """Return `results`, with pictures of the recursive calls added to some failed cases.

        The session runs again for each of these cases, of which a submission has `MAX_DRAWN`.
        """
        return {**results, **dict(self._draw_cases(session, results))}

    def _draw_cases(self, session: Session, results: Results) -> list[tuple[str, Result]]:
        """Return the id of each drawn case, and its result with the picture.

        Draws at most `MAX_DRAWN` cases in all, and none once half of the budget is spent, or the
        separate budget is exhausted.
        """
        drawn_results = []
        for case in session.cases:
            function, result = self._suite.widgets.traced_function(case.group), results[case.id]
            if function is None or result.verdict not in _DRAWN_VERDICTS:
                continue
            is_half_spent = self._runner.budget.is_half_spent(self._suite.limits)
            if self._drawings_left and not (is_half_spent or self._extra_runner.why_exhausted):
                self._drawings_left -= 1
                picture = self._picture(session, case, function)
                drawn_results.append((case.id, replace(result, calls=picture)))
        return drawn_results

    def _picture(self, session: Session, case: Case, function: str) -> CallsPicture | None:
        """Run the session of `case`, and return the calls of `function` in its step.

        Return None if the step is not an expression, or if the function is not recursive in it.
        """
        *earlier_steps, step = own_session(session, case.step_index, observed=False)
        if not step.is_expression or step.runs:  # `CALL` wraps the step in a lambda
            return None
        qualified_name = dotted_name(function, self._suite.modules, self._suite.binds, self._parts)
        runner = self._instrumented({"transform": True, "tree": [qualified_name]})
        instrumented_step = replace(step, code=CALL.format(name=self._name, code=step.code))
        evidence = Item(step_index=len(session.steps), code=f"{self._name}_evidence__()")
        run = runner.run((*earlier_steps, instrumented_step, evidence), modules=session.modules)
        facts = evidence_in(run.observations[len(earlier_steps) + 1 :])
        return build_picture(parse_calls(facts), qualified_name, function)


def parse_calls(facts: Mapping[str, Any] | None) -> list[_Call]:
    """Return the calls in `facts`, in order, or an empty list if `facts` is malformed."""
    match facts:
        case {"tree": list() as records} if len(records) <= _MAX_RECORDED:
            pass
        case _:
            return []
    calls: list[_Call] = []
    for record in records:
        match record:
            # The parent must be an earlier call: a forged cycle would cause an endless loop.
            case [int() as parent, str() as key, list() as arguments, gave, bool() as is_cut] if (
                len(key) <= _KEY_CHARS
                and -1 <= parent < len(calls)
                and all(map(is_summary, arguments))
                and (gave is None or is_summary(gave))
            ):
                if parent >= 0:
                    calls[parent].callees.append(len(calls))
                calls.append(_Call(parent, key, arguments, gave, is_cut))
            case _:
                return []
    return calls


def build_picture(
    calls: Sequence[_Call], qualified_name: str, function: str
) -> CallsPicture | None:
    """Return a picture of the outermost calls of a function, and of the calls that they made.

    If there are too many calls, only those nearest to the outermost ones are shown.
    `qualified_name` is the name of the function in `calls`, and `function` the displayed name.
    Return None if the outermost calls made no other recorded calls.
    """
    outermost = _outermost_calls(calls, qualified_name)
    if not any(calls[index].callees for index in outermost):
        return None
    shown_indexes = _nearest_calls(calls, outermost)
    traced_calls: list[TracedCall] = []
    # A stack, in reverse order: the last item is popped first.
    pending = [(index, 0) for index in reversed(outermost) if index in shown_indexes]
    is_cut = len(pending) < len(outermost)
    while pending:
        index, depth = pending.pop()
        call = calls[index]
        shown_callees = [callee for callee in call.callees if callee in shown_indexes]
        traced_calls.append(
            _traced_call(call, depth, is_cut=call.is_cut or len(shown_callees) < len(call.callees))
        )
        pending += [(callee, depth + 1) for callee in reversed(shown_callees)]
    shown_name = one_line(function, MAX_CALL_CHARS)
    return CallsPicture(function=shown_name, calls=tuple(traced_calls), is_cut=is_cut)


def _outermost_calls(calls: Sequence[_Call], qualified_name: str) -> list[int]:
    """Return the indexes of the calls to `qualified_name` not nested in another call to it."""
    outermost: list[int] = []
    covered: set[int] = set()
    for index, call in enumerate(calls):
        # One pass is enough, because a parent always precedes its callees.
        if call.parent in covered:
            covered.add(index)
        elif _function_name(call) == qualified_name:
            covered.add(index)
            outermost.append(index)
    return outermost


def _nearest_calls(calls: Sequence[_Call], outermost: Sequence[int]) -> Collection[int]:
    """Return the indexes of up to `MAX_CALLS` calls to show.

    These are `outermost`, then their callees, breadth-first.
    """
    nearest: dict[int, None] = {}
    pending = deque(outermost)
    while pending and len(nearest) < MAX_CALLS:
        index = pending.popleft()
        nearest[index] = None
        pending += calls[index].callees
    return nearest


def _function_name(call: _Call) -> str:
    return Site(key=call.key, entered=1, reentered=0, deepest=1).function


def _traced_call(call: _Call, depth: int, *, is_cut: bool) -> TracedCall:
    """Return `call` as it is drawn, with its text truncated."""
    result = None if call.gave is None else one_line(format_summary(call.gave), _MAX_RESULT_CHARS)
    text = format_call(function_display_name(_function_name(call)), call.arguments, MAX_CALL_CHARS)
    return TracedCall(depth=depth, text=text, gave=result, is_cut=is_cut)
