"""Matches the observations of a run against the expectations of its steps.

Each kind of expectation has a pure function that matches it; `match` calls the right one. Outcomes
that override every expectation (a dead executor, too much output, an unexpected exception) are
handled first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from grader.judging.printing import (
    exception_text,
    expected_text,
    is_none,
    match_exception,
    match_text,
    nothing_displayed_result,
    nothing_raised_result,
    returned_not_printed_remarks,
    unexpected_exception_result,
)
from grader.judging.record import LineStatus, TranscriptLine
from grader.judging.results import PASSED, Result, values_to_keep
from grader.judging.screens import input_remarks, match_program, match_screen, screen_text
from grader.messages import Message, message
from grader.sandbox.observation import Died, Observation, Raised, Returned
from grader.sandbox.planning import Role
from grader.sandbox.session_runs import SessionRun
from grader.suite.expectations import (
    Accepts,
    ComparedExpectation,
    Completes,
    Exits,
    Expectation,
    Prints,
    Raises,
    Returns,
    SameAs,
    Shows,
)
from grader.suite.session import Session
from grader.suite.steps import Case, Step
from grader.values.differences import value_differences
from grader.values.display import literal, render_value, short_value
from grader.values.equality import comparison_key, convert_to_form, equal_cached
from grader.values.foreign_text import one_line, safe_text
from grader.values.leniency import align_value
from grader.values.tree import Atom, Value
from grader.verdict import Verdict

_SHOWN_CHARS: Final = 2_000
"""How many characters of the output of each transcript line are kept."""
_MAX_LINES: Final = 200
"""How many lines of a transcript are kept."""
_FLOOD_CHARS: Final = 400
"""How many characters are shown of output that exceeded its limit."""


@dataclass(slots=True)
class StepObservation:
    """The observations of one step in one run."""

    identities: Mapping[str, int | None]
    """For each name of the session, the identity of the object bound to it when the step ran."""
    before: Mapping[str, Observation]
    """The observation of each observer before the step, by its code."""
    step: Observation
    after: dict[str, Observation] = field(default_factory=dict)
    checked: Result | None = None
    """The result from the suite's checker for the returned value, if the step has a checker."""


def observations_by_step(
    run: SessionRun, checked: Mapping[int, Result]
) -> Mapping[int, StepObservation]:
    """Return the observations in `run`, grouped by step index.

    `checked` has the checkers' results by step index; each is attached to its step.
    """
    by_step: dict[int, StepObservation] = {}
    identities: dict[str, int | None] = {}
    looks: dict[str, Observation] = {}
    for item, observation in zip(run.plan, run.observations, strict=False):
        if item.role is Role.LOOK:
            looks[item.code] = observation
            continue
        index, outcome = item.step_index, observation.outcome
        step = StepObservation(identities, looks, observation, checked=checked.get(index))
        # Looks that follow belong both after this step and before the next one.
        by_step[index], looks = step, step.after
        if isinstance(outcome, Returned) and outcome.bound:
            identities = {**identities, **dict(outcome.bound)}  # earlier steps keep the old dict
    return by_step


def assess(
    session: Session, case: Case, observations: Mapping[int, StepObservation]
) -> Result | None:
    """Return the result of `case` given the `observations`. Return None if it was not reached.

    If the step matches its expectation, the observers must be unchanged as well.
    """
    step, observation = session.steps[case.step_index], observations.get(case.step_index)
    if observation is None:
        return None
    assert step.expectation is not None, "every case has an expectation"
    result = match(step.expectation, observation.step, observation.identities, observation.checked)
    for observer in step.observers:
        # If the executor died before a look, the pair of looks is incomplete and does not count.
        if result.credit and {observer} <= observation.before.keys() & observation.after.keys():
            comparison = compare_observer(
                observer, observation.before[observer], observation.after[observer]
            )
            result = result if comparison.passed else comparison
    return result


def passed_before(
    session: Session, case: Case, observations: Mapping[int, StepObservation], own_result: Result
) -> bool:
    """Return whether the same step passed earlier in `session`, so that `case` should pass, too.

    An action between the two steps can justify a different result, unless `case` passed after that
    action in its own session, where its result is `own_result`.
    """
    steps, step = session.steps, session.steps[case.step_index]
    for earlier_case in reversed(session.cases):
        earlier_step = steps[earlier_case.step_index]
        if earlier_case.step_index >= case.step_index or earlier_step.code != step.code:
            continue
        steps_between = steps[earlier_case.step_index + 1 : case.step_index]
        if earlier_step.expectation != step.expectation or earlier_step.acts:
            return False
        if not own_result.passed and any(between.acts for between in steps_between):
            return False
        result = assess(session, earlier_case, observations)
        return result is not None and result.passed
    return False


def executor_died(run: SessionRun) -> bool:
    """Return whether the executor died during `run`."""
    return bool(run.observations) and isinstance(run.observations[-1].outcome, Died)


def breakdowns(run: SessionRun) -> list[int]:
    """Return the indices of actions that raised, and of steps that died, in order."""
    return [
        item.step_index
        for item, observation in zip(run.plan, run.observations, strict=False)
        if item.role is Role.STEP
        and isinstance(observation.outcome, Raised | Died if item.acts else Died)
    ]


def transcript(
    session: Session, run: SessionRun, shown_step: int, broken_step: int | None = None
) -> tuple[TranscriptLine, ...]:
    """Return the transcript of `run` up to `shown_step`, the step that a case checks.

    `broken_step` is an earlier step that broke down: lines after it are marked as not reached.
    """
    lines = list(_lines(session, run, shown_step, broken_step))
    if len(lines) > _MAX_LINES:
        # The first line usually creates the object, and the last lines lead to the failure.
        lines = [lines[0], *lines[-_MAX_LINES + 1 :]]
    return tuple(lines)


def _lines(
    session: Session, run: SessionRun, shown_step: int, broken_step: int | None
) -> Iterator[TranscriptLine]:
    """Yield the lines of `transcript` without a limit on their number."""
    # If the executor died, the run has fewer observations than its plan has items.
    observations = zip(run.plan, run.observations, strict=False)
    by_step = {
        item.step_index: observation for item, observation in observations if item.role is Role.STEP
    }
    for item in run.plan:
        index = item.step_index
        if item.role is not Role.STEP or index > shown_step:
            continue
        step = session.steps[index]
        status = LineStatus.FAILED if index == shown_step else LineStatus.DONE
        if index == broken_step:
            status = LineStatus.CAUSE
        elif index not in by_step or (broken_step is not None and index > broken_step):
            status = LineStatus.NOT_REACHED
        output = _output(by_step[index], step) if index in by_step else ""
        if status is LineStatus.DONE and isinstance(step.expectation, SameAs):
            output = ""  # thirty lines of "<Puzzle>" would hide the line that matters
        yield TranscriptLine(code=step.display_text, output=output, state=status, note=step.note)


def _output(observation: Observation, step: Step) -> str:
    """Return what an interpreter would display for `step`: its output, and value or exception."""
    printed = safe_text(screen_text(observation, step.typed), _SHOWN_CHARS)
    match observation.outcome:
        case Returned(value=Atom(None)) | Died():  # interpreters do not display None
            return printed
        case Returned() if step.run is not None:  # the value is an exit code
            return printed
        case Returned(value=value):
            displayed = render_value(value, _SHOWN_CHARS)
        case Raised() as raised:
            displayed = f"Traceback (most recent call last):\n{exception_text(raised)}"
    gap = "\n" if printed and not printed.endswith("\n") else ""
    return f"{printed}{gap}{displayed}"


def match(
    expectation: Expectation,
    observation: Observation,
    identities: Mapping[str, int | None],
    checked: Result | None = None,
) -> Result:
    """Return the result of comparing `observation` with `expectation` and its alternatives.

    `identities` maps names of the session to identities of objects, and `checked` is the checker's
    result for the returned value, if there is a checker (see `grader.judging.answers`).
    """
    result = _match(expectation, observation, identities, checked)
    if result.passed or not isinstance(expectation, ComparedExpectation):
        return result
    alternatives = expectation.alternatives
    if any(
        _match(alternative, observation, identities, checked).passed for alternative in alternatives
    ):
        return PASSED
    # The screen in the result of a `Prints` shows the typed lines anyway.
    if expectation.typed and not isinstance(expectation, Prints):
        remark = message("program.typed", lines=one_line(", ".join(expectation.typed)))
        result = replace(result, explanation=(*result.explanation, remark))
    return result


def _match(  # noqa: C901 - one case per kind of expectation
    expectation: Expectation,
    observation: Observation,
    identities: Mapping[str, int | None],
    checked: Result | None,
) -> Result:
    """Return the result of comparing `observation` with `expectation` alone; see `match`."""
    outcome = observation.outcome
    if observation.overflowed:
        remarks = input_remarks(_typed_lines(expectation), observation)
        return Result(
            verdict=Verdict.OUTPUT,
            explanation=(message("died.output"), *remarks),
            got=safe_text(screen_text(observation, _typed_lines(expectation)), _FLOOD_CHARS),
        )
    if isinstance(outcome, Died):
        key = f"died.{outcome.verdict.value.lower()}"
        return Result(verdict=outcome.verdict, explanation=(message(key),))
    if isinstance(expectation, Exits):
        result = match_program(expectation, observation)
        needs_checker = expectation.accepts is not None and result.passed
        return _match_checked(Atom(observation.stdout), checked) if needs_checker else result
    if isinstance(outcome, Raised):
        return _match_raised(expectation, outcome, observation)
    match expectation:
        case Returns():
            return _match_value(expectation, outcome, observation.stdout)
        case Accepts():
            return _match_checked(outcome.value, checked)
        case Shows(is_value=True) if not observation.shown_stdout:
            return nothing_displayed_result(expectation, observation.stdout)
        case Prints(typed=()):
            remarks = returned_not_printed_remarks(expectation, outcome, observation.stdout)
            return match_text(expectation, observation.outputs, remarks)
        case Prints(typed=typed):
            return match_screen(expectation, typed, observation, input_remarks(typed, observation))
        case SameAs(name):
            return _match_identity(name, outcome, identities.get(name))
        case Raises():
            return nothing_raised_result(expectation, outcome, observation.stdout)
        case Completes():
            return PASSED


def _match_raised(expectation: Expectation, raised: Raised, observation: Observation) -> Result:
    """Return the result for a step that raised, whether or not `expectation` is an exception."""
    if isinstance(expectation, Raises):
        return match_exception(expectation, raised)
    result = unexpected_exception_result(raised, expected_text(expectation))
    typed = _typed_lines(expectation)
    # EOFError: the step tried to read more lines than were typed.
    remarks = (
        input_remarks(typed, observation) if typed and raised.type_names[0] == "EOFError" else ()
    )
    return replace(result, explanation=remarks) if remarks else result


def _typed_lines(expectation: Expectation) -> tuple[str, ...]:
    return expectation.typed if isinstance(expectation, Exits | ComparedExpectation) else ()


def _match_value(expectation: Returns, returned: Returned, stdout: str) -> Result:
    """Return the result of comparing the returned value; `stdout` is used to explain mistakes."""
    got = returned.value
    if expectation.as_lists:
        got = convert_to_form(expectation.value, got)
    got = align_value(expectation.value, got, expectation.leniency)
    if equal_cached(expectation.value, got):
        return PASSED
    return Result(
        verdict=Verdict.WRONG,
        explanation=tuple(_value_explanation(expectation, got, stdout)),
        expected=render_value(expectation.value),
        got=render_value(returned.value),
        values=values_to_keep(expectation.value, got),
    )


def _value_explanation(expectation: Returns, got: Value, stdout: str) -> list[Message]:
    """Explain how `got` differs from what is expected, or that the value was only printed."""
    expected = expectation.value
    if is_none(expected):
        return [message("wrong.not_none", got=short_value(got, 80))]
    if is_none(got) and stdout.strip():
        texts = {literal(expected), expected.value if isinstance(expected, Atom) else None}
        if stdout.strip() in {text.strip() for text in texts if isinstance(text, str)}:
            return [message("wrong.printed_not_returned")]
    return value_differences(expected, got, as_lists=expectation.as_lists)


def _match_checked(answer: Value, checked: Result | None) -> Result:
    """Return the checker's result `checked`, with `answer` added if it is wrong."""
    assert checked is not None, "each answer of a step with a checker has been checked"
    if checked.passed:
        return PASSED
    return replace(checked, got=_value_text(answer), values=values_to_keep(None, answer))


def _match_identity(name: str, returned: Returned, identity: int | None) -> Result:
    """Return the result of checking that the returned object is the one bound to `name`."""
    if identity is not None and returned.identity == identity:
        return PASSED
    key = "same.none" if is_none(returned.value) else "same.other"
    return Result(
        verdict=Verdict.WRONG,
        explanation=(message(key, name=name, type=one_line(returned.value.type_name)),),
        expected=name,
        got=render_value(returned.value),
    )


def compare_observer(observer: str, before: Observation, after: Observation) -> Result:
    """Return PASSED if `observer` has the same value before and after a refused step, else WRONG.

    An observer without a usable value before the step proves nothing, so the result is PASSED. The
    cases that test the observer itself will fail.
    """
    expected, got = _usable_value(before), _usable_value(after)
    if expected is None or (got is not None and _are_equal(expected, got)):
        return PASSED
    return Result(
        verdict=Verdict.WRONG,
        explanation=(message("unchanged.differs", observer=observer),),
        expected=_value_text(expected),
        got=safe_text(_outcome_text(after)) if got is None else _value_text(got),
        values=None if got is None else values_to_keep(expected, got),
    )


def _usable_value(observation: Observation) -> Value | None:
    """Return the returned value, or None if there is none or the output exceeded its limit."""
    outcome = observation.outcome
    return outcome.value if isinstance(outcome, Returned) and not observation.overflowed else None


def _are_equal(before: Value, after: Value) -> bool:
    # Byte-identical observations are the same object, so comparing identities is mostly enough.
    return before is after or comparison_key(before) == comparison_key(after)


def _value_text(value: Value) -> str:
    """Return `value` for display; a string is shown without quotes."""
    match value:
        case Atom(str() as text):
            return safe_text(text)
    return render_value(value)


def _outcome_text(observation: Observation) -> str:
    """Return how a step without a usable value ended: its exception, verdict or output."""
    outcome = observation.outcome
    if isinstance(outcome, Raised):
        return exception_text(outcome)
    return outcome.verdict.value if isinstance(outcome, Died) else observation.stdout
