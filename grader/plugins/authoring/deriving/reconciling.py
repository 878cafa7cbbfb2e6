"""Compares the output in a spec with that of the reference, by value where possible.

Text is compared if there is no literal value: for objects of the submission's classes, for output
with `...`, and for statements. In that case, the step must show the same text as a prompt.

An example that the reference does not reproduce stops the derivation, with one exception. If the
reference prints exactly the first lines of the output, the other lines are assumed to be prose that
lacks an empty line before it. They are cut off, and reported as a doubt.
"""

from __future__ import annotations

import ast
import doctest
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from grader.judging.printing import exception_text
from grader.plugins.authoring.deriving.contrast import differing_lines
from grader.plugins.authoring.deriving.doubts import Doubt, SpecError, glued_prose, set_as_text
from grader.plugins.authoring.deriving.drafts import Draft, DraftExpectation
from grader.plugins.authoring.solutions import ending_problem
from grader.protocol import HIGHEST_CAPS, PACKAGE_OBJECTS
from grader.sandbox.observation import Died, Observation, Raised, Returned
from grader.values import tree as values
from grader.values.differences import comparable_lines, looks_alike
from grader.values.display import literal
from grader.values.equality import equal
from grader.values.foreign_text import one_line
from grader.values.leniency import STRICT, Leniency, align_text, align_value
from grader.values.literals import LiteralError, parse_literal
from grader.values.tree import Value


@dataclass(frozen=True, slots=True)
class DerivedExpectation:
    """The expectation of a step, as keys of the step in the suite, with the doubts about it."""

    expectation: Mapping[str, Any]
    doubts: tuple[Doubt, ...] = ()

    @property
    def is_partial(self) -> bool:
        """Whether the spec shows more output than the expectation includes."""
        return any(doubt.is_loss for doubt in self.doubts)


def reconcile(
    draft: Draft, observation: Observation, displayed: str | None = None
) -> DerivedExpectation:
    """Return the expectation of `draft`, which the `observation` of the reference confirms.

    `displayed` is the text at a prompt when the reference runs the example, or None if unknown.
    Raises `SpecError` if the reference behaves differently from the spec.
    """
    if draft.example.input_text is not None:
        return _reconcile_typed(draft, observation)
    match observation.outcome:
        case Died(verdict=verdict):
            raise _problem(draft, *ending_problem(verdict))
        case Raised() as raised:
            return _reconcile_raised(draft, raised)
        case Returned(value=value) if displayed is None:
            return _reconcile_returned(draft, value, observation.stdout)
        case Returned(value=value):
            return _reconcile_displayed(draft, value, observation.stdout, displayed)


def _reconcile_typed(draft: Draft, observation: Observation) -> DerivedExpectation:
    """Return the screen or exception expected after typed lines, or raise `SpecError`."""
    outcome, typed = observation.outcome, {"stdin": draft.example.input_text}
    if isinstance(outcome, Raised):
        raised = _reconcile_raised(draft, outcome)
        return replace(raised, expectation={**typed, **raised.expectation})
    # Unless a value is displayed too, the screen is what the code prints.
    is_silent = isinstance(outcome, Returned) and outcome.value == values.Atom(None)
    key = "stdout" if is_silent and draft.example.expression is not None else "shows"
    return DerivedExpectation({**typed, key: draft.example.screen})


def _reconcile_displayed(
    draft: Draft, value: Value, stdout: str, displayed: str
) -> DerivedExpectation:
    """Return the expectation of the reference's value, or else of the text at a prompt.

    The text takes precedence if it is complete and the value is not. Raises `SpecError` if neither
    is the same as in the spec.
    """
    # The text can be equal even if the value is not, such as for objects of students' classes.
    at_prompt = None
    with suppress(SpecError):
        at_prompt = _reconcile_text(draft, displayed, "shows")
    try:
        by_value = _reconcile_returned(draft, value, stdout, displayed)
    except SpecError:
        if at_prompt is None:
            _check_doctest_leniency(draft, displayed)
            raise
        shows_all = not at_prompt.is_partial and at_prompt.expectation.keys() == {"shows"}
        if shows_all and _is_package_object(value):
            return DerivedExpectation({"returns": literal(value)})
        return at_prompt
    return at_prompt if by_value.is_partial and at_prompt and not at_prompt.is_partial else by_value


def _is_package_object(value: Value) -> bool:
    """Return whether `value` is an object from a package, such as a table, with all its fields."""
    if not isinstance(value, values.Fields):
        return False
    return PACKAGE_OBJECTS.get(value.class_name) == tuple(name for name, _ in value.items)


def _reconcile_raised(draft: Draft, raised: Raised) -> DerivedExpectation:
    """Return the expectation of an exception. Raises `SpecError` if the spec does not show it."""
    raised_text = exception_text(raised)
    if draft.exception is None and raised.type_names[0] == "FileNotFoundError":
        raise _problem(
            draft,
            f"this example needs a file that is not provided: {raised_text}",
            "put the file beside the spec, and list it under `files` in exercise.yaml",
        )
    if draft.exception is None:
        text = f"the reference raises {raised_text} here, which the spec does not show"
        raise _problem(draft, text, _ADVICE_ON.get(raised.type_names[0], ADVICE))
    qualified_name, colon, message = draft.exception.partition(":")
    type_name = qualified_name.rpartition(".")[2]  # a traceback includes the module
    expected = f"{type_name}{colon}{message}"
    ignores_message = draft.example.flags & doctest.IGNORE_EXCEPTION_DETAIL
    any_message = ignores_message or message.strip() in {"", doctest.ELLIPSIS_MARKER}
    if any_message and type_name == raised.type_names[0]:
        return DerivedExpectation({"raises": type_name})
    leniency = draft.example.leniency
    if doctest.ELLIPSIS_MARKER in message and expected != raised_text:
        leniency = replace(leniency, ellipsis=True)  # in a traceback, `...` stands for any text
    if align_text(expected, raised_text, leniency) == expected:
        return DerivedExpectation({"raises": expected, **_leniency_keys(leniency)})
    if align_text(expected, raised_text, draft.example.author_leniency) == expected:
        return DerivedExpectation({"raises": expected})
    raise _problem(
        draft,
        f"the spec shows {draft.exception}, but the reference raises {raised_text}",
        f"{_ADVICE_ON_MESSAGES}; or {ADVICE}" if type_name == raised.type_names[0] else ADVICE,
    )


def _leniency_keys(leniency: Leniency) -> dict[str, Any]:
    """Return the step keys that express `leniency`."""
    keys: dict[str, Any] = {"ellipsis": True} if leniency.ellipsis else {}
    if leniency.ignored:
        keys["ignore"] = sorted(difference.value for difference in leniency.ignored)
    return keys


def _reconcile_returned(
    draft: Draft, value: Value, stdout: str, displayed: str | None = None
) -> DerivedExpectation:
    """Return the expectation that the reference's results meet, or raise `SpecError`."""
    match draft.want:
        case DraftExpectation.RAISES:
            raise _problem(
                draft, f"the spec shows {draft.exception}, but the reference raises nothing"
            )
        case DraftExpectation.COMPLETES if stdout and not draft.example.is_setup:
            raise _problem(
                draft, f"the spec shows no output, but the reference prints {one_line(stdout)}"
            )
        case DraftExpectation.COMPLETES:
            return DerivedExpectation({})
        case DraftExpectation.SAME:
            return DerivedExpectation({"same_as": draft.same_as or ""})
        case DraftExpectation.PRINTS:
            return _reconcile_text(draft, stdout, "stdout")
        case DraftExpectation.RETURNS if not draft.lines:
            return _reconcile_nothing(draft, value, stdout)
        # If the value is None, the output is printed by the code, not by the prompt.
        case DraftExpectation.RETURNS if stdout and literal(value) == "None":
            return _reconcile_text(draft, stdout, "stdout")
        case DraftExpectation.RETURNS:
            return _reconcile_value(draft, value, displayed)


def _check_doctest_leniency(draft: Draft, displayed: str) -> None:
    """Raise `SpecError` if doctest would accept `displayed`, such as `True` for `1`.

    An author whose spec passes with doctest would not understand the usual error.
    """
    expected = "\n".join(draft.lines) + "\n"
    if doctest.OutputChecker().check_output(expected, displayed, draft.example.flags):
        shown, actual = one_line(expected.strip()), one_line(displayed.strip())
        text = f"the spec shows {shown}, but the reference shows {actual}: only doctest accepts it"
        raise _problem(draft, text, "show the output of the reference in the spec")


def _reconcile_text(draft: Draft, text: str, key: str) -> DerivedExpectation:
    """Return the expectation that `text` is printed (`key` is `stdout`) or displayed (`shows`).

    Raises `SpecError` if the spec shows another text.
    """
    leniency = draft.example.leniency
    expected = "\n".join(comparable_lines("\n".join(draft.lines)))
    actual = "\n".join(comparable_lines(text))
    if leniency != STRICT and actual and align_text(expected, actual, leniency) == expected:
        return DerivedExpectation({key: expected + "\n", **_leniency_keys(leniency)})
    if expected != actual and expected == align_text(
        expected, actual, draft.example.author_leniency
    ):
        return DerivedExpectation({key: expected + "\n"})
    lines, doubts = _match_lines(draft, comparable_lines(text))
    return DerivedExpectation({key: "\n".join(lines) + "\n"}, (*doubts, *_set_doubts(draft, lines)))


def _reconcile_nothing(draft: Draft, value: Value, stdout: str) -> DerivedExpectation:
    """Return the expectation of no output. Raises `SpecError` if the reference shows output."""
    if literal(value) != "None" or stdout:
        actual = one_line(stdout or literal(value))
        raise _problem(draft, f"the spec shows no output, but the reference shows {actual}")
    return DerivedExpectation({"returns": "None"})


def _reconcile_value(draft: Draft, value: Value, displayed: str | None) -> DerivedExpectation:
    """Return the expectation of the value that the first lines of the output show.

    As many lines as possible form a literal, and the remaining lines are prose. Raises `SpecError`
    if no lines form a literal, or if the literal differs from the `value` of the reference.
    """
    # Start with all lines, because a value can take several lines.
    for count in range(len(draft.lines), 0, -1):
        try:
            expected = parse_literal("\n".join(draft.lines[:count]), HIGHEST_CAPS)
        except LiteralError:
            continue
        tolerance = _find_tolerance(expected, value, draft.example.author_leniency)
        if tolerance is None or _contains_submission_object(expected):
            break
        expectation: dict[str, Any] = {"returns": literal(expected)}
        if draft.example.as_lists and _contains_array(expected):
            expectation["as_lists"] = True
        if tolerance:
            expectation["tolerance"] = tolerance
        return DerivedExpectation(expectation, _prose_doubts(draft, count))
    raise _value_error(draft, value, displayed)


def _value_error(draft: Draft, value: Value, displayed: str | None) -> SpecError:
    """Return the error that the spec does not show the `value` of the reference.

    `displayed` is the text of the value at a prompt.
    """
    expected, returned = one_line(" ".join(draft.lines)), one_line(literal(value))
    text = f"the spec shows {expected}, but the reference returns {returned}"
    if looks_alike(expected, returned):
        text += _LOOKS_SAME
    elif displayed and (lines := differing_lines("\n".join(draft.lines), displayed)):
        text = "\n    ".join([_DIFFERENCE_HEADING, *lines])
    elif displayed and isinstance(value, values.Opaque):
        text = f"the spec shows {expected}, but the reference shows {one_line(displayed.strip())}"
    return _problem(draft, text, _advice(draft, value, displayed or _DEFAULT_REPR))


def _advice(draft: Draft, value: Value, displayed: str) -> str:
    """Return advice for a spec that does not show the `value` of the reference.

    `displayed` is the text of the value at a prompt.
    """
    expected = "\n".join(draft.lines)
    match draft.example.expression:
        case ast.Call(func=ast.Name(id="help")):
            return _ADVICE_ON_HELP
    if _ADDRESS.search(expected):
        return _ADVICE_ON_ADDRESSES
    if isinstance(value, values.Opaque) and value.type_name in _CLOCK_TYPES:
        return _ADVICE_ON_DATES
    if isinstance(value, values.Opaque) and _DEFAULT_REPR in displayed:
        return _ADVICE_ON_OBJECTS
    return f"{_ADVICE_ON_DOTS}; or {ADVICE}" if doctest.ELLIPSIS_MARKER in expected else ADVICE


def _find_tolerance(shown: Value, value: Value, leniency: Leniency) -> float | None:
    """Return the tolerance with which `value` is equal to `shown`, or None if there is none.

    The tolerance is 0 if the values are equal under `leniency`, which is the author's.
    """
    if equal(shown, align_value(shown, value, leniency)):
        return 0.0
    if _contains_array(shown):  # by default, numpy prints 8 digits of each number
        for tolerance in (float(f"1e-{digits}") for digits in range(8, 0, -1)):
            if equal(shown, align_value(shown, value, Leniency(absolute=tolerance))):
                return tolerance
    return None


def _contains_array(value: Value) -> bool:
    """Return whether `value` contains an array."""
    return isinstance(value, values.Array) or any(map(_contains_array, values.elements(value)))


def _contains_submission_object(value: Value) -> bool:
    """Return whether `value` contains objects of the submission's classes.

    Such objects have no literal that all submissions share, so their text is compared.
    """
    match value:
        case values.Fields() | values.EnumMember() | values.Sequence(class_name=str()):
            return True
        case _:
            return any(map(_contains_submission_object, values.elements(value)))


def _match_lines(draft: Draft, printed: list[str]) -> tuple[list[str], tuple[Doubt, ...]]:
    """Return the lines that the reference printed, and doubts about further lines of the spec.

    Raises `SpecError` if the spec does not begin with these lines.
    """
    expected = comparable_lines("\n".join(draft.lines))
    if expected[: len(printed)] == printed and (printed or not expected):
        return printed, _prose_doubts(draft, len(printed)) if len(expected) > len(printed) else ()
    first = next(
        (i for i, pair in enumerate(zip(expected, printed, strict=False)) if pair[0] != pair[1]),
        min(len(expected), len(printed)),
    )
    shown_line, printed_line = (_line_repr(lines, first) for lines in (expected, printed))
    in_spec = f"{shown_line} in" if first < len(expected) else "missing from"
    text = (
        f"line {first + 1} of the output is {in_spec} the spec,"
        f" but the reference prints {printed_line}"
    )
    if looks_alike(shown_line, printed_line):
        text += _LOOKS_SAME
    advice = _ADVICE_ON_TABS if "\t" in "".join(printed[first : first + 1]) else ADVICE
    raise _problem(draft, text, advice)


def _line_repr(lines: list[str], index: int) -> str:
    return one_line(repr(lines[index])) if index < len(lines) else "nothing"


def _set_doubts(draft: Draft, lines: Iterable[str]) -> Iterator[Doubt]:
    """Yield a doubt for each set that a statement prints, because its order is arbitrary."""
    if draft.example.expression is not None:
        return  # a set that an expression shows is compared by value
    for line in lines:
        with suppress(LiteralError):
            literal_value = parse_literal(line, HIGHEST_CAPS)
            if isinstance(literal_value, values.Collection) and len(literal_value.items) > 1:
                yield set_as_text(draft.example.line, one_line(line, 60))


def _prose_doubts(draft: Draft, count: int) -> tuple[Doubt, ...]:
    """Return the doubt about the lines of output after the first `count`, or () if none follow."""
    rest = draft.lines[count:]
    line = draft.example.line + draft.example.code.count("\n") + 1 + count
    return (glued_prose(line, one_line(rest[0], 60)),) if rest else ()


_ADVICE_ON_MESSAGES: Final = (
    "if any message is right, add # doctest: +IGNORE_EXCEPTION_DETAIL to the example, or write "
    "... for the message"
)
_DIFFERENCE_HEADING: Final = "the spec (-) differs from the reference (+):"
_DEFAULT_REPR: Final = " object at 0x"
"""Part of the default `__repr__` of an object."""
_ADDRESS: Final = re.compile(r" at 0x[0-9A-Fa-f]+>")
_ADVICE_ON_ADDRESSES: Final = (
    "addresses differ from run to run: replace this one with ... and add # doctest: +ELLIPSIS"
)
_ADVICE_ON_HELP: Final = (
    "help() prints nothing while grading: add # doctest: +SKIP to the example, or show __doc__"
)
_ADVICE_ON_DOTS: Final = (
    "if ... stands for any text, add doctest: [ELLIPSIS] to exercise.yaml, or # doctest: "
    "+ELLIPSIS to the example"
)
ADVICE: Final = "correct the spec or the reference, because they must agree"
_CLOCK_TYPES: Final = frozenset({"date", "datetime", "time", "timedelta"})
_ADVICE_ON_DATES: Final = (
    'if it depends on the date, add now: "2026-03-02 09:00" to exercise.yaml, and show the output'
    f" for that date; or {ADVICE}"
)
_ADVICE_ON_OBJECTS: Final = (
    "add a `__repr__` to the class in the reference that returns the text in the spec, or let the "
    "example print the contents of the object"
)
_LOOKS_SAME: Final = ": they look the same but have different characters"
_ADVICE_ON_TABS: Final = (
    "doctest expands tabs in a spec to spaces, so a printed tab never matches: show the value of "
    "the text instead of printing it, or add # doctest: +NORMALIZE_WHITESPACE"
)
_ADVICE_ON: Final = {
    "EOFError": "show the typed lines after the prompts of the program",
    "NameError": "define the name in the reference, or import it in an example before this one; "
    "`_` works only at a prompt: bind the value to a name instead",
}
"""Advice on exceptions that usually have the same cause, keyed by type."""


def _problem(draft: Draft, text: str, advice: str = ADVICE) -> SpecError:
    return SpecError(draft.example.line, text, help=advice)
