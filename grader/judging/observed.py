"""What a run showed of each step: whether it was expected, and how an interpreter shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from grader.judging.answers import AnswerChecker
from grader.judging.matching import exception_text, match, unchanged
from grader.judging.record import LineStatus, TranscriptLine
from grader.judging.results import Result
from grader.sandbox.observation import Died, Observation, Raised, Returned
from grader.sandbox.planning import Role
from grader.sandbox.sessions import SessionRun
from grader.suite.model import Case, SameAs, Session, Step
from grader.values.display import shown_text, shown_value
from grader.values.tree import Atom

_SHOWN_CHARS: Final = 2_000
_MAX_LINES: Final = 200


@dataclass(slots=True)
class StepObservation:
    """What one run showed of one step."""

    identities: Mapping[str, int | None]
    """Which object each name was bound to when the step ran."""
    step: Observation | None = None
    before: list[Observation] = field(default_factory=list)
    after: list[Observation] = field(default_factory=list)
    checked: Result | None = None
    """What the checker of the suite says of what the step returned, where it has one."""


def observed(
    run: SessionRun, steps: Sequence[Step], checker: AnswerChecker
) -> Mapping[int, StepObservation]:
    """Return what `run` showed of `steps`, by the index of the step."""
    checked = checker.outcomes(steps, run)
    seen: dict[int, StepObservation] = {}
    identities: dict[str, int | None] = {}
    for item, observation in zip(run.plan, run.observations, strict=False):
        shown = seen.get(item.step_index)
        if shown is None:
            shown = seen[item.step_index] = StepObservation(
                identities, checked=checked.get(item.step_index)
            )
        match item.role:
            case Role.STEP:
                shown.step = observation
            case Role.BEFORE:
                shown.before.append(observation)
            case Role.AFTER:
                shown.after.append(observation)
        if isinstance(observation.outcome, Returned) and observation.outcome.bound:
            identities = {**identities, **dict(observation.outcome.bound)}
    return seen


def assess(session: Session, case: Case, seen: Mapping[int, StepObservation]) -> Result | None:
    """Return the result of `case` as far as it was `seen`; None when the run never got there."""
    step, shown = session.steps[case.step_index], seen.get(case.step_index)
    if shown is None or shown.step is None:
        return None
    assert step.expectation is not None, "a case has an expectation"
    result = match(step.expectation, shown.step, shown.identities, shown.checked)
    # The last look may be missing when the executor died in it; what is there counts.
    looks = zip(step.observers, shown.before, shown.after, strict=False)
    for observer, before, after in looks:
        if not result.passed:
            break
        result = unchanged(observer, before, after)
    return result


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


def transcript(
    session: Session, run: SessionRun, shown_step: int, broken_step: int | None = None
) -> tuple[TranscriptLine, ...]:
    """Return `run` up to `shown_step`, the line that a case is about.

    With `broken_step`, an earlier step that broke down, the lines after it were not reached.
    """
    lines = list(_lines(session, run, shown_step, broken_step))
    if len(lines) > _MAX_LINES:
        # The first line makes the object, the last ones lead to the failure.
        lines = [lines[0], *lines[-_MAX_LINES + 1 :]]
    return tuple(lines)


def _lines(
    session: Session, run: SessionRun, shown_step: int, broken_step: int | None
) -> Iterator[TranscriptLine]:
    by_step = _by_step(run)
    for item in run.plan:
        index = item.step_index
        if item.role is not Role.STEP or index > shown_step:
            continue
        step = session.steps[index]
        state = LineStatus.FAILED if index == shown_step else LineStatus.DONE
        if index == broken_step:
            state = LineStatus.CAUSE
        elif index not in by_step or (broken_step is not None and index > broken_step):
            state = LineStatus.NOT_REACHED
        output = _output(by_step[index]) if index in by_step else ""
        if state is LineStatus.DONE and isinstance(step.expectation, SameAs):
            output = ""  # "<Puzzle>" thirty times over hides the line that matters
        yield TranscriptLine(code=step.code, output=output, state=state, note=step.note)


def _by_step(run: SessionRun) -> dict[int, Observation]:
    # A plan is longer than its observations when the executor died on the way.
    return {
        item.step_index: observation
        for item, observation in zip(run.plan, run.observations, strict=False)
        if item.role is Role.STEP
    }


def _output(observation: Observation) -> str:
    printed = shown_text(observation.stdout, _SHOWN_CHARS)
    match observation.outcome:
        case Returned(value=Atom(None)) | Died():
            return printed
        case Returned(value=value):
            return _below(printed, shown_value(value, _SHOWN_CHARS))
        case Raised() as raised:
            traceback = f"Traceback (most recent call last):\n{exception_text(raised)}"
            return _below(printed, traceback)


def _below(printed: str, shown: str) -> str:
    if printed and not printed.endswith("\n"):
        printed += "\n"
    return printed + shown
