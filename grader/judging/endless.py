"""Explains a case that failed because the submission called itself too deep.

The case's own session runs again, in executors of its own: once with instruments that trace the
calls, and once with the highest recursion limit that the suite allows. A recursion that then comes
to its end was not endless, only deep.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from grader.judging.probing.calls import CallEvidence
from grader.judging.probing.cycles import traced_calls, why_endless
from grader.judging.probing.prober import evidence_in, raised_recursion_error
from grader.judging.results import Result, Results
from grader.messages import Message, message
from grader.protocol import MAX_SUBMISSION_REPLY_BYTES
from grader.sandbox.observation import Died, Observation, Raised, Returned
from grader.sandbox.planning import Item, Role, own_session
from grader.sandbox.sessions import SessionRun, SessionRunner
from grader.suite.model import Case, Session

_MOST_EXPLAINED: Final = 3
"""Cases of one submission that are looked into; the others most often fail for the same reason."""
_MOST_DEEP: Final = 10**6
_NO_ROOM: Final = frozenset({"RecursionError", "MemoryError"})

Parameters = Mapping[tuple[str, int], Sequence[str]]
"""Names of the parameters of functions, by their dotted name and line."""


class DepthExplainer:
    """Explains the cases of one submission that went too deep."""

    def __init__(self, runner: SessionRunner, recursion: int, parameters: Parameters) -> None:
        """Run sessions like `runner`, with recursion limits up to `recursion`."""
        self._name: Final = f"__probe_{secrets.token_hex(4)}"
        self._runner: Final = runner
        self._instrumented: Final = runner.instrumented(self._name)
        self._recursion: Final = recursion
        self._parameters: Final = parameters
        self._left = _MOST_EXPLAINED
        self._patient = True
        """Whether no session has died at the highest limit, which may take long."""

    def explained(self, session: Session, results: Results) -> Results:
        """Return `results`, with why they went too deep where that can be found."""
        deep = [case for case in session.cases if results[case.id].too_deep]
        return {**results, **{case.id: self._why(session, case, results[case.id]) for case in deep}}

    def _why(self, session: Session, case: Case, result: Result) -> Result:
        """Return `result`, of a case that went too deep, with why it did, if that can be found."""
        if not self._left or self._runner.received_bytes > MAX_SUBMISSION_REPLY_BYTES:
            return result
        self._left -= 1
        traced = self._run(session, case, {})
        if not traced.observations or not _too_deep(traced):
            return result
        if self._patient and (depth := self._depth_at_most(session, case)):
            said = message("endless.deep", depth=depth)
            return replace(result, explanation=(said, *result.explanation[1:]))
        why: tuple[Message, ...] = why_endless(traced_calls(_facts(traced)), self._parameters)
        return replace(result, explanation=(*result.explanation, *why))

    def _depth_at_most(self, session: Session, case: Case) -> int | None:
        """Return how deep `case` goes at the highest limit; None if it does not come to its end."""
        # Step by step: whatever dies in a batch takes that time twice.
        run = self._run(session, case, {"recursion": self._recursion}, lockstep=True)
        self._patient = not any(isinstance(each.outcome, Died) for each in run.observations)
        return _depth_reached(run)

    def _run(
        self,
        session: Session,
        case: Case,
        settings: Mapping[str, object],
        *,
        lockstep: bool = False,
    ) -> SessionRun:
        traced = {"transform": True, "always": True, "trace": True}
        runner = self._instrumented({**traced, **settings})
        plan = own_session(session, case.step_index, observed=False)
        evidence = Item(
            role=Role.STEP,
            step_index=len(session.steps),
            code=f"{self._name}_evidence__()",
            is_expression=True,
            binds=(),
        )
        return runner.run((*plan, evidence), lockstep=lockstep, modules=session.modules)


def _too_deep(run: SessionRun) -> bool:
    """Return whether the last step before the evidence went too deep."""
    steps = run.observations[: len(run.plan) - 1]
    return len(steps) == len(run.plan) - 1 and raised_recursion_error(steps[-1])


def _facts(run: SessionRun) -> Mapping[str, object] | None:
    return evidence_in(run.observations[len(run.plan) - 1 :])


def _depth_reached(run: SessionRun) -> int | None:
    """Return how deep calls went in a session in which nothing went too deep; None else."""
    if any(map(_ran_out, run.observations)):
        return None
    facts = _facts(run)
    calls = CallEvidence.of(facts)
    if facts is None or calls is None or not any(site.reentered for site in calls.sites):
        return None
    depth = facts.get("depth")
    return depth if isinstance(depth, int) and 1 < depth <= _MOST_DEEP else None


def _ran_out(observation: Observation) -> bool:
    """Return whether a step ended because there was no more room, which is no end."""
    match observation.outcome:
        case Raised(type_names=names):
            return not _NO_ROOM.isdisjoint(names)
        case Returned():
            return False
        case Died():
            return True
