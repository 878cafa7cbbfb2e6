"""Compares what the spec shows with what the reference does, by value where possible.

Text is compared if there is no literal value: for objects of classes of the submission, output with
`...`, and statements. Then the step has to show what the prompt shows.

An example that the reference does not reproduce stops the derivation. One exception: if the
reference gives exactly the first lines of the output, the other lines are prose that lost the empty
line before it; they are cut off, and reported as a doubt.
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
from grader.protocol import HIGHEST_CAPS, OF_PACKAGES
from grader.sandbox.observation import Died, Observation, Raised, Returned
from grader.values import tree as values
from grader.values.differences import comparable, looks_alike
from grader.values.display import literal
from grader.values.equality import equal
from grader.values.foreign_text import one_line
from grader.values.leniency import STRICT, Leniency, text_as, value_as
from grader.values.literals import LiteralError, parse_literal
from grader.values.tree import Value


@dataclass(frozen=True, slots=True)
class DerivedExpectation:
    """The expectation of a step, as keys of the suite, and the doubts about it."""

    expectation: Mapping[str, Any]
    doubts: tuple[Doubt, ...] = ()

    @property
    def is_part(self) -> bool:
        """Whether the spec shows more than it expects."""
        return any(doubt.is_loss for doubt in self.doubts)


def reconcile(
    draft: Draft, observation: Observation, displayed: str | None = None
) -> DerivedExpectation:
    """Return the expectation of `draft`; raises `SpecError` if the reference does something else.

    `displayed` is what a prompt shows when the reference runs the example, None if unknown.
    """
    outcome = observation.outcome
    if draft.example.typed is not None:
        return _reconcile_typed(draft, observation)
    match outcome:
        case Died(verdict=verdict):
            raise _problem(draft, f"the reference dies in this example: {verdict.value}")
        case Raised() as raised:
            return _reconcile_raised(draft, raised)
        case Returned(value=value) if displayed is None:
            return _reconcile_returned(draft, value, observation.stdout)
        case Returned(value=value):
            return _reconcile_either(draft, value, observation.stdout, displayed)


def _reconcile_typed(draft: Draft, observation: Observation) -> DerivedExpectation:
    """Return the expectation of a step that reads typed lines: its screen, or an exception."""
    outcome, typed = observation.outcome, {"stdin": draft.example.typed}
    if isinstance(outcome, Raised):
        found = _reconcile_raised(draft, outcome)
        return replace(found, expectation={**typed, **found.expectation})
    is_silent = isinstance(outcome, Returned) and outcome.value == values.Atom(None)
    key = "stdout" if is_silent and draft.example.expression is not None else "shows"
    return DerivedExpectation({**typed, key: draft.example.screen})


def _reconcile_either(
    draft: Draft, value: Value, stdout: str, displayed: str
) -> DerivedExpectation:
    """Return the expectation by the value of the reference, or else by the text at the prompt."""
    # The text may fit even if the value does not, as with objects of own classes.
    at_prompt = None
    with suppress(SpecError):
        at_prompt = _reconcile_text(draft, displayed, "shows")
    try:
        found = _reconcile_returned(draft, value, stdout, displayed)
    except SpecError:
        if at_prompt is None:
            _check_liberty(draft, displayed)
            raise
        if (
            _is_of_package(value)
            and not at_prompt.is_part
            and at_prompt.expectation.keys() == {"shows"}
        ):
            return DerivedExpectation({"returns": literal(value)})
        return at_prompt
    return at_prompt if found.is_part and at_prompt and not at_prompt.is_part else found


def _is_of_package(value: Value) -> bool:
    """Return whether `value` is an object of a package, such as a table, compared by its fields."""
    if not isinstance(value, values.Fields):
        return False
    return OF_PACKAGES.get(value.class_name) == tuple(name for name, _ in value.items)


def _reconcile_raised(draft: Draft, raised: Raised) -> DerivedExpectation:
    text = exception_text(raised)
    if draft.exception is None and raised.type_names[0] == "FileNotFoundError":
        raise _problem(
            draft,
            f"this example needs a file that is not provided: {text}",
            "write its text under `files` in exercise.yaml, beside the spec",
        )
    if draft.exception is None:
        text = f"the reference raises {text} here, which the spec does not show"
        raise _problem(draft, text, _ADVICE_ON.get(raised.type_names[0], ADVICE))
    named, colon, said = draft.exception.partition(":")
    type_name = named.rpartition(".")[2]  # a traceback names the module too
    shown = f"{type_name}{colon}{said}"
    any_message = draft.example.flags & doctest.IGNORE_EXCEPTION_DETAIL or said.strip() in {
        "",
        "...",
    }
    if any_message and type_name == raised.type_names[0]:
        return DerivedExpectation({"raises": type_name})
    leniency = draft.example.leniency
    if doctest.ELLIPSIS_MARKER in said and shown != text:
        leniency = replace(leniency, ellipsis=True)  # in a traceback, dots stand for any text
    if text_as(shown, text, leniency) == shown:
        return DerivedExpectation({"raises": shown, **_keys(leniency)})
    if text_as(shown, text, draft.example.lets) == shown:
        return DerivedExpectation({"raises": shown})
    raise _problem(
        draft,
        f"the spec shows {draft.exception}, the reference raises {text}",
        f"{_ADVICE_ON_MESSAGES}; or {ADVICE}" if type_name == raised.type_names[0] else ADVICE,
    )


def _keys(leniency: Leniency) -> dict[str, Any]:
    """Return `leniency` as keys of a step."""
    keys: dict[str, Any] = {"ellipsis": True} if leniency.ellipsis else {}
    if leniency.ignored:
        keys["ignore"] = sorted(each.value for each in leniency.ignored)
    return keys


def _reconcile_returned(
    draft: Draft, value: Value, stdout: str, displayed: str | None = None
) -> DerivedExpectation:
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
            return _reconcile_text(draft, stdout, "stdout")
        case DraftExpectation.RETURNS if not draft.lines:
            return _reconcile_nothing(draft, value, stdout)
        case DraftExpectation.RETURNS if stdout and literal(value) == "None":  # it prints by itself
            return _reconcile_text(draft, stdout, "stdout")
        case DraftExpectation.RETURNS:
            return _reconcile_value(draft, value, displayed)


def _check_liberty(draft: Draft, displayed: str) -> None:
    """Raise `SpecError` if only doctest accepts `displayed`, such as `True` for `1`."""
    shown = "\n".join(draft.lines) + "\n"
    if doctest.OutputChecker().check_output(shown, displayed, draft.example.flags):
        text = f"doctest accepts {displayed.strip()} for {shown.strip()} here, but a suite does not"
        raise _problem(draft, text, "show in the spec what the reference gives")


def _reconcile_text(draft: Draft, text: str, key: str) -> DerivedExpectation:
    leniency = draft.example.leniency
    wanted, given = ("\n".join(comparable(each)) for each in ("\n".join(draft.lines), text))
    if leniency != STRICT and given and text_as(wanted, given, leniency) == wanted:
        return DerivedExpectation({key: wanted + "\n", **_keys(leniency)})
    if wanted != given and wanted == text_as(wanted, given, draft.example.lets):
        return DerivedExpectation({key: wanted + "\n"})
    lines, doubts = _proven_lines(draft, comparable(text))
    return DerivedExpectation({key: "\n".join(lines) + "\n"}, (*doubts, *_sets(draft, lines)))


def _reconcile_nothing(draft: Draft, value: Value, stdout: str) -> DerivedExpectation:
    if literal(value) != "None" or stdout:
        shown = one_line(stdout or literal(value))
        raise _problem(draft, f"the spec shows no output, the reference gives {shown}")
    return DerivedExpectation({"returns": "None"})


def _reconcile_value(draft: Draft, value: Value, displayed: str | None) -> DerivedExpectation:
    """Return the expectation of the longest run of first lines that is a value; the rest is prose.

    Raises `SpecError` if that value is not the `value` of the reference.
    """
    # All lines first, as a value may take several.
    for count in range(len(draft.lines), 0, -1):
        try:
            wanted = parse_literal("\n".join(draft.lines[:count]), HIGHEST_CAPS)
        except LiteralError:
            continue
        rounded = _rounding(wanted, value, draft.example.lets)
        if rounded is None or _holds_own(wanted):
            break
        expectation: dict[str, Any] = {"returns": literal(wanted)}
        if draft.example.as_lists and _holds_array(wanted):
            expectation["as_lists"] = True
        if rounded:
            expectation["tolerance"] = rounded
        return DerivedExpectation(expectation, _rest(draft, count))
    raise _not_as_shown(draft, value, displayed)


def _not_as_shown(draft: Draft, value: Value, displayed: str | None) -> SpecError:
    """Return the problem that the spec shows another `value`, which a prompt has `displayed`."""
    shown, given = one_line(" ".join(draft.lines)), one_line(literal(value))
    text = f"the spec shows {shown}, the reference returns {given}"
    if looks_alike(shown, given):
        text += _OTHER_CHARACTERS
    elif displayed and (lines := differing_lines("\n".join(draft.lines), displayed)):
        text = "\n    ".join([_DIFFER, *lines])
    elif displayed and isinstance(value, values.Opaque):
        text = f"the spec shows {shown}, the reference shows {one_line(displayed.strip())}"
    return _problem(draft, text, _advice(draft, value, displayed or _BARE))


def _advice(draft: Draft, value: Value, displayed: str) -> str:
    """Return what to do if the spec shows another `value`, which a prompt has `displayed`."""
    shown = "\n".join(draft.lines)
    match draft.example.expression:
        case ast.Call(func=ast.Name(id="help")):
            return _ADVICE_ON_HELP
    if _ADDRESS.search(shown):
        return _ADVICE_ON_ADDRESSES
    if isinstance(value, values.Opaque) and value.type_name in _OF_CLOCKS:
        return _ADVICE_ON_DATES
    if isinstance(value, values.Opaque) and _BARE in displayed:
        return _ADVICE_ON_OBJECTS
    return f"{_ADVICE_ON_DOTS}; or {ADVICE}" if doctest.ELLIPSIS_MARKER in shown else ADVICE


def _rounding(shown: Value, value: Value, lets: Leniency) -> float | None:
    """Return the tolerance that makes `value` equal to `shown`, 0 if none is needed; else None.

    The author's leniency, `lets`, comes first.
    """
    if equal(shown, value_as(shown, value, lets)):
        return 0.0
    if _holds_array(shown):  # numpy prints 8 digits, or fewer if set so
        for tolerance in (float(f"1e-{digits}") for digits in range(8, 0, -1)):
            if equal(shown, value_as(shown, value, Leniency(absolute=tolerance))):
                return tolerance
    return None


def _holds_array(value: Value) -> bool:
    """Return whether `value` contains an array."""
    return isinstance(value, values.Array) or any(map(_holds_array, values.elements(value)))


def _holds_own(value: Value) -> bool:
    """Return whether `value` contains objects of classes of the submission.

    These have no literal that all submissions share, so their text is compared.
    """
    match value:
        case values.Fields() | values.EnumMember() | values.Sequence(class_name=str()):
            return True
        case _:
            return any(map(_holds_own, values.elements(value)))


def _proven_lines(draft: Draft, printed: list[str]) -> tuple[list[str], tuple[Doubt, ...]]:
    shown = comparable("\n".join(draft.lines))
    if shown[: len(printed)] == printed and (printed or not shown):
        return printed, _rest(draft, len(printed)) if len(shown) > len(printed) else ()
    first = next(
        (i for i, pair in enumerate(zip(shown, printed, strict=False)) if pair[0] != pair[1]),
        min(len(shown), len(printed)),
    )
    there, here = (_line(lines, first) for lines in (shown, printed))
    text = f"line {first + 1} of the output is {there} in the spec, and the reference prints {here}"
    if looks_alike(there, here):
        text += _OTHER_CHARACTERS
    raise _problem(
        draft,
        text,
        _ADVICE_ON_TABS if "\t" in "".join(printed[first : first + 1]) else ADVICE,
    )


def _line(lines: list[str], number: int) -> str:
    return one_line(repr(lines[number])) if number < len(lines) else "nothing"


def _sets(draft: Draft, lines: Iterable[str]) -> Iterator[Doubt]:
    """Yield a doubt for each set that a statement prints: its order is arbitrary."""
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


_ADVICE_ON_MESSAGES: Final = (
    "if any message will do, add # doctest: +IGNORE_EXCEPTION_DETAIL to the example, or show ... "
    "for the message"
)
_DIFFER: Final = "the spec (-) differs from the reference (+):"
_BARE: Final = " object at 0x"
"""Part of the default `__repr__` of an object."""
_ADDRESS: Final = re.compile(r" at 0x[0-9A-Fa-f]+>")
_ADVICE_ON_ADDRESSES: Final = (
    "addresses differ from run to run: write ... for it, and # doctest: +ELLIPSIS after the example"
)
_ADVICE_ON_HELP: Final = (
    "help() prints nothing while grading: add # doctest: +SKIP to the example, or show __doc__"
)
_ADVICE_ON_DOTS: Final = (
    "if ... stands for any text, write doctest: [ELLIPSIS] in exercise.yaml, or add # doctest: "
    "+ELLIPSIS to the example"
)
ADVICE: Final = "correct the spec or the reference; a suite needs both to agree"
_OF_CLOCKS: Final = frozenset({"date", "datetime", "time", "timedelta"})
_ADVICE_ON_DATES: Final = (
    'if it depends on the date, write now: "2026-03-02 09:00" in exercise.yaml, and show the output'
    f" for that; or {ADVICE}"
)
_ADVICE_ON_OBJECTS: Final = (
    "add a `__repr__` to the class of the reference that returns what the spec shows, or let the "
    "example print the contents of the object"
)
_OTHER_CHARACTERS: Final = ": they look alike but have other characters"
_ADVICE_ON_TABS: Final = (
    "doctest expands tabs in a spec to blanks, so a printed tab never matches: show the text "
    "itself instead of printing it, or add # doctest: +NORMALIZE_WHITESPACE"
)
_ADVICE_ON: Final = {
    "EOFError": "show the typed lines after the prompts of the program",
    "NameError": "define the name in the reference, or import it in an example before this one; "
    "`_` works at a prompt only: bind the value to a name",
}
"""What to do about exceptions with a usual cause."""


def _problem(draft: Draft, text: str, advice: str = ADVICE) -> SpecError:
    return SpecError(draft.example.line, text, help=advice)
