"""Compares printed text and exceptions, and decides verdicts on unexpected exceptions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from grader.judging.results import PASSED, Result, values_to_keep
from grader.messages import Message, message
from grader.sandbox.observation import Raised, Returned
from grader.sandbox.session_runs import SessionRun
from grader.suite.expectations import (
    Accepts,
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
from grader.values.differences import comparable_lines, text_differences
from grader.values.display import literal, render_value
from grader.values.foreign_text import one_line, safe_text
from grader.values.leniency import align_text
from grader.values.python_wording import with_former_names
from grader.values.tree import Atom, Value
from grader.verdict import Verdict

# Printed text


def is_printed(expectation: Prints, text: str) -> bool:
    """Return whether printed `text` meets `expectation`."""
    return _normalized_expectation(expectation) == _normalize_output(expectation, text)


def unexpected_output(session: Session, run: SessionRun) -> Iterator[str]:
    """Yield the output of each step in `run` that printed more than it should, usually nothing."""
    for item, observation in zip(run.plan, run.observations, strict=False):
        match session.steps[item.step_index].expectation:
            case Prints(typed=()) as expectation:
                # With two outputs, the submission printed in addition to the step's own code.
                has_two_outputs = len(observation.outputs) > 1
                is_unexpected = has_two_outputs and not is_printed(expectation, observation.stdout)
            case Exits() | Prints():
                is_unexpected = False
            case _ if session.steps[item.step_index].stdin is not None:
                is_unexpected = False  # a program has to print its prompts
            case _:
                is_unexpected = bool(observation.stdout.strip())
        if is_unexpected:
            yield observation.stdout


def expected_text(expectation: Expectation) -> str | None:
    """Return the expected answer as shown in reports. Return None if there is no single answer."""
    match expectation:
        case Returns(value):
            return render_value(value)
        case Prints(text):
            return safe_text("\n".join(comparable_lines(text)))
        case Raises(type_name, text):
            return type_name if text is None else f"{type_name}: {safe_text(text)}"
        case SameAs(name):
            return name
        case Exits(printed=printed):
            return None if printed is None else expected_text(printed)
        case Completes() | Accepts():
            return None


def match_text(
    expectation: Prints, variants: Sequence[str], remarks: Iterable[Message] = ()
) -> Result:
    """Return PASSED if any of the `variants` of the printed text is expected, else WRONG.

    A WRONG result shows the first variant, and has `remarks` before the differences.
    """
    if any(is_printed(expectation, text) for text in variants):
        return PASSED
    expected = _normalized_expectation(expectation)
    got = _normalize_output(expectation, variants[0])
    return Result(
        verdict=Verdict.WRONG,
        explanation=(*remarks, *text_differences(expected, got)),
        expected=safe_text(expected),
        got=safe_text(_normalize_text(variants[0])),
        values=values_to_keep(Atom(expected), Atom(got)),
    )


def _normalize_text(text: str) -> str:
    return "\n".join(comparable_lines(text))


def _normalized_expectation(expectation: Prints) -> str:
    return _normalize_text(expectation.text)


def _normalize_output(expectation: Prints, text: str) -> str:
    """Return `text` normalized, with differences that `expectation` ignores removed."""
    return align_text(
        _normalized_expectation(expectation), _normalize_text(text), expectation.leniency
    )


def nothing_displayed_result(expectation: Shows, stdout: str) -> Result:
    """Return the WRONG result for an expression that returned None, so nothing was displayed."""
    key = "wrong.printed_not_returned" if is_printed(expectation, stdout) else "wrong.no_value"
    return Result(
        verdict=Verdict.WRONG,
        explanation=(message(key),),
        expected=expected_text(expectation),
        got=safe_text(stdout) if stdout.strip() else render_value(Atom(None)),
    )


def returned_not_printed_remarks(
    expectation: Prints, returned: Returned, stdout: str
) -> tuple[Message, ...]:
    """Return a remark if the step returned the expected text instead of printing it, else ()."""
    value = returned.value
    candidates = [value.value if isinstance(value, Atom) else None, literal(value)]
    texts = (text for text in candidates if isinstance(text, str))
    if stdout.strip() or is_none(value) or not any(is_printed(expectation, t) for t in texts):
        return ()
    return (message("wrong.returned_not_printed"),)


def is_none(value: Value) -> bool:
    """Return whether `value` is None."""
    return isinstance(value, Atom) and value.value is None


# Exceptions, both unexpected and expected.

_MESSAGE_CHARS: Final = 1_000


def exception_text(raised: Raised) -> str:
    """Return the last line of the traceback as an interpreter shows it, shortened and escaped."""
    name = one_line(raised.type_names[0])
    return f"{name}: {safe_text(raised.message, _MESSAGE_CHARS)}" if raised.message else name


def unexpected_exception_result(raised: Raised, expected: str | None) -> Result:
    """Return the result for an unexpected exception, with advice on its usual cause.

    `expected` is the text of the expected answer, if there is one.
    """
    verdict = Verdict.ERROR
    # `type_names` includes all base classes, so that subclasses are recognised as well.
    if "SystemExit" in raised.type_names:
        verdict, key = Verdict.EXITED, "died.exited"
    elif "MemoryError" in raised.type_names:
        verdict, key = Verdict.MEMORY, "died.memory"
    elif "ModuleNotAllowed" in raised.type_names:
        verdict, key = Verdict.FORBIDDEN, "error.module"
    else:
        key = _EXCEPTION_ADVICE.get(raised.type_names[0], "error.exception")
        if key == "error.type" and _WRONG_ARGUMENTS.match(raised.message):
            key = "error.arguments"
        if raised.depth == 0 and key in _VALUE_ERROR_KEYS:
            key = "error.in_step"
        if key == "error.recursion" and raised.depth <= 1:
            key = "error.too_deep"  # at most one frame is the submission's: it did not call itself
    advice = message(
        key,
        type=one_line(raised.type_names[0]),
        message=one_line(raised.message),
        module=one_line(raised.module),
        depth=raised.depth,
    )
    return Result(
        verdict=verdict, explanation=(advice,), expected=expected, got=exception_text(raised)
    )


_WRONG_ARGUMENTS: Final = re.compile(
    r"\S+ (takes|missing|got (an unexpected|multiple|some)|expected (at [lm]|\d)).*argument"
)
"""The start of the message of a TypeError for arguments that do not fit the parameters."""
_VALUE_ERROR_KEYS: Final = frozenset(
    {"error.attribute", "error.exception", "error.index", "error.key", "error.type"}
)
"""Errors that are due to a value in the step itself if no frame is the submission's."""
_EXCEPTION_ADVICE: Final = {
    "RecursionError": "error.recursion",
    "EOFError": "error.input",
    "NameError": "error.name",
    "UnboundLocalError": "error.unbound",
    "AttributeError": "error.attribute",
    "TypeError": "error.type",
    "IndexError": "error.index",
    "KeyError": "error.key",
    "FileNotFoundError": "error.file",
    "ModuleNotFoundError": "error.no_module",
    "AssertionError": "error.assertion",
}
_RESOURCE_EXCEPTIONS: Final = frozenset(
    {"SystemExit", "MemoryError", "RecursionError", "ModuleNotAllowed"}
)


def match_exception(expectation: Raises, raised: Raised) -> Result:
    """Return the result for the exception `raised` in a step that should raise one."""
    type_matches = expectation.type_name in with_former_names(raised.type_names)
    got_message = align_text(expectation.message or "", raised.message, expectation.leniency)
    message_matches = expectation.message in {None, got_message}
    if type_matches and message_matches:
        return PASSED
    # Running out of resources has its own verdict, whichever exception was expected.
    if not type_matches and raised.type_names[0] in _RESOURCE_EXCEPTIONS:
        return unexpected_exception_result(raised, expected_text(expectation))
    message_key = "raises.message" if raised.message.strip() else "raises.no_message"
    key = message_key if type_matches else "raises.type"
    explanation = message(
        key,
        expected_type=expectation.type_name,
        expected_message=one_line(expectation.message or ""),
        type=one_line(raised.type_names[0]),
        message=one_line(raised.message),
    )
    return Result(
        verdict=Verdict.WRONG,
        explanation=(explanation,),
        expected=expected_text(expectation),
        got=exception_text(raised),
        is_half_right=raised.type_names[0] == expectation.type_name,
    )


def nothing_raised_result(expectation: Raises, returned: Returned, stdout: str) -> Result:
    """Return the WRONG result for a step that should have raised but returned."""
    key = "raises.nothing"
    if expectation.message and expectation.message in stdout:
        key = "raises.printed"
    elif expectation.message and returned.value == Atom(expectation.message):
        key = "raises.returned"
    return Result(
        verdict=Verdict.WRONG,
        explanation=(message(key, expected_type=expectation.type_name),),
        expected=expected_text(expectation),
        got=safe_text(stdout) if is_none(returned.value) else render_value(returned.value),
    )
