"""Writes down a session as it went, the way an interpreter would have shown it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from grader.display import shown_text, shown_value
from grader.matching.matches import exception_text
from grader.observation import Died, Observation, Raised, Returned
from grader.planning import Role
from grader.record import LineState, TranscriptLine
from grader.sessions import SessionRun
from grader.suite import SameAs, Session
from grader.values import Atom

_SHOWN_CHARS: Final = 2_000
_MAX_LINES: Final = 200


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
    observed = _by_step(run)
    for item in run.plan:
        index = item.step_index
        if item.role is not Role.STEP or index > shown_step:
            continue
        step = session.steps[index]
        state = LineState.FAILED if index == shown_step else LineState.DONE
        if index == broken_step:
            state = LineState.CAUSE
        elif index not in observed or (broken_step is not None and index > broken_step):
            state = LineState.NOT_REACHED
        output = _output(observed[index]) if index in observed else ""
        if state is LineState.DONE and isinstance(step.expectation, SameAs):
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
