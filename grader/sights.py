"""What a run showed of each step, and whether that is what was expected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.matching.matches import match, unchanged
from grader.matching.outcome import Outcome
from grader.observation import Died, Observation, Raised, Returned
from grader.planning import Role
from grader.sessions import SessionRun
from grader.suite import Case, Session


@dataclass(slots=True)
class Sight:
    """What one run showed of one step."""

    identities: Mapping[str, int | None]
    """Which object each name was bound to when the step ran."""
    step: Observation | None = None
    before: list[Observation] = field(default_factory=list)
    after: list[Observation] = field(default_factory=list)


def sights(run: SessionRun) -> Mapping[int, Sight]:
    """Return what `run` showed, by the index of the step."""
    seen: dict[int, Sight] = {}
    identities: dict[str, int | None] = {}
    for item, observation in zip(run.plan, run.observations, strict=False):
        sight = seen.get(item.step_index)
        if sight is None:
            sight = seen[item.step_index] = Sight(identities)
        match item.role:
            case Role.STEP:
                sight.step = observation
            case Role.BEFORE:
                sight.before.append(observation)
            case Role.AFTER:
                sight.after.append(observation)
        if isinstance(observation.outcome, Returned) and observation.outcome.bound:
            identities = {**identities, **dict(observation.outcome.bound)}
    return seen


def assess(session: Session, case: Case, seen: Mapping[int, Sight]) -> Outcome | None:
    """Return the outcome of `case` as far as it was `seen`; None when the run never got there."""
    step, sight = session.steps[case.step_index], seen.get(case.step_index)
    if sight is None or sight.step is None:
        return None
    assert step.expectation is not None, "a case has an expectation"
    outcome = match(step.expectation, sight.step, sight.identities)
    # The last look may be missing when the executor died in it; what is there counts.
    looks = zip(step.observers, sight.before, sight.after, strict=False)
    for observer, before, after in looks:
        if not outcome.passed:
            break
        outcome = unchanged(observer, before, after)
    return outcome


def died(run: SessionRun) -> bool:
    """Return whether the executor of `run` did not survive it."""
    return bool(run.observations) and isinstance(run.observations[-1].outcome, Died)


def breakdowns(run: SessionRun) -> list[int]:
    """Return the steps, in order, that were meant to act and raised or died instead."""
    return [
        item.step_index
        for item, observation in zip(run.plan, run.observations, strict=False)
        if item.role is Role.STEP and _broke_down(observation, item.acts)
    ]


def _broke_down(observation: Observation, acts: bool) -> bool:
    match observation.outcome:
        case Died():
            return True
        case Raised():
            return acts
        case _:
            return False
