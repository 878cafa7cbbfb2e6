"""Compares what the spec shows with what the reference does: values are compared, not text.

An example that the reference does not reproduce stops the derivation. The one liberty taken: when
the reference gives exactly the first lines of what is shown, the lines after them are prose that
lost its empty line; they are cut off, and reported as a doubt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from grader.authoring.deriving.doubts import Doubt, SpecError, glued_prose, set_as_text
from grader.authoring.deriving.drafts import Draft, DraftExpectation
from grader.judging.raising import exception_text
from grader.protocol import HIGHEST_CAPS
from grader.sandbox.observation import Died, Observation, Raised, Returned
from grader.values import tree as values
from grader.values.differences import comparable
from grader.values.display import literal, one_line
from grader.values.equality import equal
from grader.values.literals import LiteralError, parse_literal
from grader.values.tree import Value


@dataclass(frozen=True, slots=True)
class DerivedExpectation:
    """What a step must give, as the suite writes it, and the doubts on the way."""

    expectation: Mapping[str, str | bool]
    doubts: tuple[Doubt, ...] = ()


def reconcile(draft: Draft, observation: Observation) -> DerivedExpectation:
    """Return the expectation of `draft`; raises `SpecError` when the reference disagrees."""
    outcome = observation.outcome
    match outcome:
        case Died(verdict=verdict):
            raise _problem(draft, f"the reference did not survive this example: {verdict.value}")
        case Raised() as raised:
            return _reconcile_raised(draft, raised)
        case Returned(value=value):
            return _reconcile_returned(draft, value, observation.stdout)


def _reconcile_raised(draft: Draft, raised: Raised) -> DerivedExpectation:
    text = exception_text(raised)
    if draft.exception is None and raised.type_names[0] == "FileNotFoundError":
        raise _problem(
            draft,
            f"this example needs a file that is not provided: {text}",
            "give its text under `files` in exercise.yaml, beside the spec",
        )
    if draft.exception is None:
        raise _problem(draft, f"the reference raises {text} here, which the spec does not show")
    if draft.exception != text:
        raise _problem(draft, f"the spec shows {draft.exception}, the reference raises {text}")
    return DerivedExpectation({"raises": text})


def _reconcile_returned(draft: Draft, value: Value, stdout: str) -> DerivedExpectation:
    match draft.want:
        case DraftExpectation.RAISES:
            raise _problem(draft, f"the spec shows {draft.exception}, the reference raises nothing")
        case DraftExpectation.COMPLETES if stdout and not draft.example.is_setup:
            raise _problem(
                draft, f"the spec shows no output, the reference prints {one_line(stdout)}"
            )
        case DraftExpectation.COMPLETES:
            return DerivedExpectation({})
        case DraftExpectation.SAME:
            return DerivedExpectation({"same_as": draft.same_as or ""})
        case DraftExpectation.PRINTS:
            lines, doubts = _proven_lines(draft, comparable(stdout))
            doubts = (*doubts, *_sets(draft, lines))
            return DerivedExpectation({"stdout": "\n".join(lines) + "\n"}, doubts)
        case DraftExpectation.RETURNS if not draft.lines:
            return _reconcile_nothing(draft, value, stdout)
        case DraftExpectation.RETURNS if stdout and literal(value) == "None":  # it prints by itself
            lines, doubts = _proven_lines(draft, comparable(stdout))
            return DerivedExpectation({"stdout": "\n".join(lines) + "\n"}, doubts)
        case DraftExpectation.RETURNS:
            return _reconcile_value(draft, value)


def _reconcile_nothing(draft: Draft, value: Value, stdout: str) -> DerivedExpectation:
    if literal(value) != "None" or stdout:
        shown = one_line(stdout or literal(value))
        raise _problem(draft, f"the spec shows no output, the reference gives {shown}")
    return DerivedExpectation({"returns": "None"})


def _reconcile_value(draft: Draft, value: Value) -> DerivedExpectation:
    """Find how many of the lines shown are the value; whatever follows is prose."""
    for count in range(len(draft.lines), 0, -1):
        try:
            wanted = parse_literal("\n".join(draft.lines[:count]), HIGHEST_CAPS)
        except LiteralError:
            continue
        if not equal(wanted, value):
            break
        expectation: dict[str, str | bool] = {"returns": literal(wanted)}
        if draft.example.as_lists and _holds_array(wanted):
            expectation["as_lists"] = True
        return DerivedExpectation(expectation, _rest(draft, count))
    shown = one_line(" ".join(draft.lines))
    raise _problem(
        draft, f"the spec shows {shown}, the reference returns {one_line(literal(value))}"
    )


def _holds_array(value: Value) -> bool:
    match value:
        case values.Array():
            return True
        case values.Sequence(items=items):
            return any(map(_holds_array, items))
        case values.Mapping(items=pairs):
            return any(_holds_array(each) for _, each in pairs)
        case _:
            return False


def _proven_lines(draft: Draft, printed: list[str]) -> tuple[list[str], tuple[Doubt, ...]]:
    shown = comparable("\n".join(draft.lines))
    if shown[: len(printed)] == printed and (printed or not shown):
        return printed, _rest(draft, len(printed)) if len(shown) > len(printed) else ()
    first = next(
        (i for i, pair in enumerate(zip(shown, printed, strict=False)) if pair[0] != pair[1]),
        min(len(shown), len(printed)),
    )
    raise _problem(
        draft,
        f"the reference prints something else from line {first + 1} of the output on: "
        f"{one_line(printed[first]) if first < len(printed) else 'nothing'!r}",
    )


def _sets(draft: Draft, lines: Iterable[str]) -> Iterator[Doubt]:
    """Yield a doubt for each set with an order of its own that a statement prints."""
    if draft.example.expression is not None:
        return
    for line in lines:
        with suppress(LiteralError):
            shown = parse_literal(line, HIGHEST_CAPS)
            if isinstance(shown, values.Collection) and len(shown.items) > 1:
                yield set_as_text(draft.example.line, one_line(line, 60))


def _rest(draft: Draft, count: int) -> tuple[Doubt, ...]:
    rest = draft.lines[count:]
    line = draft.example.line + draft.example.code.count("\n") + 1 + count
    return (glued_prose(line, one_line(rest[0], 60)),) if rest else ()


_ADVICE: Final = "correct the spec or the reference; a suite is only derived from what holds"


def _problem(draft: Draft, text: str, advice: str = _ADVICE) -> SpecError:
    return SpecError(draft.example.line, text, help=advice)
