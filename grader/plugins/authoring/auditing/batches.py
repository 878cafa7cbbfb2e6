"""Plans batches of sessions that run in one executor, and finds the cases that fail in them.

A batch has one plan for all its sessions. The observations of this plan are divided among the
sessions again.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from grader.errors import SuiteError
from grader.judging.answers import AnswerChecker
from grader.judging.matching import StepObservation, assess, breakdowns, observations_by_step
from grader.sandbox.budget import Prices, units
from grader.sandbox.planning import Item, whole_session
from grader.sandbox.session_runs import SessionRun
from grader.suite.limits import Limits
from grader.suite.session import Session
from grader.suite.steps import Case
from grader.verdict import Verdict


def query_item(code: str) -> Item:
    """Return an item that evaluates the expression `code`, which is not a step of a session."""
    # No session has so many steps, so the index matches none of them.
    return Item(step_index=sys.maxsize, code=code)


@dataclass(frozen=True, slots=True)
class Batch:
    """Sessions that run one after another in one executor, with their common plan."""

    sessions: tuple[Session, ...]
    offsets: tuple[int, ...]
    """For each session, the offset of its step indexes in the plan."""
    plan: tuple[Item, ...]
    modules: tuple[str, ...]

    @classmethod
    def from_sessions(cls, sessions: Sequence[Session], modules: Sequence[str]) -> Batch:
        """Return the batch of `sessions`. `modules` are all modules of the suite, in order."""
        offsets, offset = [], 0
        plan: list[Item] = []
        for session in sessions:
            offsets.append(offset)
            items = whole_session(session)
            plan += [replace(item, step_index=item.step_index + offset) for item in items]
            offset += len(session.steps)
        used_modules = {name for session in sessions for name in session.modules}
        return cls(
            tuple(sessions),
            tuple(offsets),
            tuple(plan),
            tuple(name for name in modules if name in used_modules),  # keeps the order of the suite
        )

    def plan_with_query(self, code: str) -> tuple[tuple[Item, ...], tuple[str, ...]]:
        """Return a plan that evaluates `code` after each session, and the modules it needs."""
        plan: list[Item] = []
        for session in self.sessions:
            plan += whole_session(session)
            plan.append(query_item(code))
        return tuple(plan), self.modules

    def shares(self, run: SessionRun, limits: Limits) -> Iterator[tuple[str, float]]:
        """Yield the id of each session, and the largest share of a limit that the session used."""
        prices = Prices(limits)
        # Observations are per item, but limits also apply to a whole session.
        indexes = [
            index for index, session in enumerate(self.sessions) for _ in whole_session(session)
        ]
        used_units = [0] * len(self.sessions)
        largest_shares = [0.0] * len(self.sessions)
        for index, item, observation in zip(indexes, self.plan, run.observations, strict=True):
            used_units[index] += observation.units
            largest_shares[index] = max(
                largest_shares[index], observation.units / prices.full(item).units
            )
        for session, total, share in zip(self.sessions, used_units, largest_shares, strict=True):
            yield session.id, max(share, total / units(limits.session_cpu_s))

    def failing(
        self, run: SessionRun, checker: AnswerChecker
    ) -> Iterator[tuple[str, frozenset[str]]]:
        """Yield the id of each session with cases that failed in `run`, and the ids of these cases.

        Raises `SuiteError` if a checker of the suite fails.
        """
        steps = [step for session in self.sessions for step in session.steps]
        observations = observations_by_step(run, checker.outcomes(steps, run))
        broken_steps = set(breakdowns(run))
        for session, offset in zip(self.sessions, self.offsets, strict=True):
            indexes = range(len(session.steps))
            session_observations = {
                index: observations[index + offset]
                for index in indexes
                if index + offset in observations
            }
            # Later steps build on the broken one, so their cases fail too.
            first_broken = next(
                (index for index in indexes if index + offset in broken_steps), len(indexes)
            )
            failed = [
                case.id
                for case in session.cases
                if case.step_index > first_broken
                or not _passes(session, case, session_observations)
            ]
            if failed:
                yield session.id, frozenset(failed)


def _passes(session: Session, case: Case, observations: Mapping[int, StepObservation]) -> bool:
    """Return whether `case` passes. Raises `SuiteError` if its checker fails."""
    outcome = assess(session, case, observations)
    if outcome is not None and outcome.verdict is Verdict.FAULT:
        message = (
            f"cannot decide whether an answer to {case.id} of session {session.id} is right:"
            f" {outcome.evidence}"
        )
        raise SuiteError(
            message,
            help="correct the checker: it must return True, False, or a string that describes the"
            " mistake, and must not raise an exception",
        )
    return outcome is not None and outcome.passed
