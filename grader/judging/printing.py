"""Compares printed text, exceptions and screens; an unexpected exception becomes its verdict."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Final

from grader.judging.results import PASSED, Result, values_to_keep
from grader.messages import Message, message
from grader.sandbox.observation import Observation, Raised, Returned
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
from grader.values.differences import comparable, text_differences
from grader.values.display import literal, shown_value
from grader.values.foreign_text import one_line, shown_text
from grader.values.leniency import Ignored, text_as
from grader.values.python_wording import known_names
from grader.values.tree import Atom, Value
from grader.verdict import Verdict

# Printed text


def is_printed(expectation: Prints, text: str) -> bool:
    """Return whether printed `text` meets `expectation`."""
    return _expected(expectation) == _in_expected_form(expectation, text)


def unasked_output(session: Session, run: SessionRun) -> Iterator[str]:
    """Yield the output of steps that expect none, or that print more than expected."""
    for item, observation in zip(run.plan, run.observations, strict=False):
        match session.steps[item.step_index].expectation:
            case Prints(typed=()) as asked:
                is_unasked = len(observation.printed) > 1  # the submission printed besides the step
                is_unasked = is_unasked and not is_printed(asked, observation.stdout)
            case Exits() | Prints():
                is_unasked = False
            case _ if session.steps[item.step_index].stdin is not None:
                is_unasked = False  # a prompt has to be printed
            case _:
                is_unasked = bool(observation.stdout.strip())
        if is_unasked:
            yield observation.stdout


def expected_text(expectation: Expectation) -> str | None:
    """Return `expectation` as a report shows it; None if it has no single answer."""
    match expectation:
        case Returns(value):
            return shown_value(value)
        case Prints(text):
            return shown_text("\n".join(comparable(text)))
        case Raises(type_name, text):
            return type_name if text is None else f"{type_name}: {shown_text(text)}"
        case SameAs(name):
            return name
        case Exits(printed=printed):
            return None if printed is None else expected_text(printed)
        case Completes() | Accepts():
            return None


def match_text(
    expectation: Prints, forms: Sequence[str], remarks: Iterable[Message] = ()
) -> Result:
    """Return the result for printed text; any of its `forms` may match.

    A wrong result shows the first form, and puts `remarks` before the differences.
    """
    if any(is_printed(expectation, text) for text in forms):
        return PASSED
    expected, got = _expected(expectation), _in_expected_form(expectation, forms[0])
    return Result(
        verdict=Verdict.WRONG,
        explanation=(*remarks, *text_differences(expected, got)),
        expected=shown_text(expected),
        got=shown_text(_joined(forms[0])),
        values=values_to_keep(Atom(expected), Atom(got)),
    )


def _joined(text: str) -> str:
    return "\n".join(comparable(text))


def _expected(expectation: Prints) -> str:
    return _joined(expectation.text)


def _in_expected_form(expectation: Prints, text: str) -> str:
    return text_as(_expected(expectation), _joined(text), expectation.leniency)


def nothing_displayed(expectation: Shows, stdout: str) -> Result:
    """Return the result for an expression without a value, whatever it prints."""
    key = "wrong.printed_not_returned" if is_printed(expectation, stdout) else "wrong.no_value"
    return Result(
        verdict=Verdict.WRONG,
        explanation=(message(key),),
        expected=expected_text(expectation),
        got=shown_text(stdout) if stdout.strip() else shown_value(Atom(None)),
    )


def returned_not_printed(
    expectation: Prints, returned: Returned, stdout: str
) -> tuple[Message, ...]:
    """Return a remark if the expected text was returned instead of printed."""
    value = returned.value
    forms = [value.value if isinstance(value, Atom) else None, literal(value)]
    texts = (text for text in forms if isinstance(text, str))
    if stdout.strip() or is_none(value) or not any(is_printed(expectation, t) for t in texts):
        return ()
    return (message("wrong.returned_not_printed"),)


def is_none(value: Value) -> bool:
    """Return whether `value` is None."""
    return isinstance(value, Atom) and value.value is None


# Exceptions, unexpected and expected ones.


def exception_text(raised: Raised) -> str:
    """Return the last line of the traceback, as an interpreter shows it."""
    name = one_line(raised.type_names[0])
    return f"{name}: {shown_text(raised.message, 1000)}" if raised.message else name


def unexpected(raised: Raised, expected: str | None) -> Result:
    """Return the result for an unexpected exception; `expected` is shown next to it."""
    verdict = Verdict.ERROR
    # The names of all base classes, so that subclasses count as well.
    if "SystemExit" in raised.type_names:
        verdict, key = Verdict.EXITED, "died.exited"
    elif "MemoryError" in raised.type_names:
        verdict, key = Verdict.MEMORY, "died.memory"
    elif "ModuleNotAllowed" in raised.type_names:
        verdict, key = Verdict.FORBIDDEN, "error.module"
    else:
        key = _EXCEPTION_ADVICE.get(raised.type_names[0], "error.exception")
        if key == "error.type" and _ARGUMENTS.match(raised.message):
            key = "error.arguments"
        if raised.depth == 0 and key in _OF_VALUES:
            key = "error.in_step"
        if key == "error.recursion" and raised.depth <= 1:
            key = "error.too_deep"  # with at most one frame of its own, it did not call itself
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


_ARGUMENTS: Final = re.compile(
    r"\S+ (takes|missing|got (an unexpected|multiple|some)|expected (at [lm]|\d)).*argument"
)
"""Start of a TypeError message for arguments that do not fit."""
_OF_VALUES: Final = frozenset(
    {"error.attribute", "error.exception", "error.index", "error.key", "error.type"}
)
"""Errors that blame a value in the step itself if no frame is the submission's."""
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
    """Return the result for a raised exception where one is expected."""
    right_type = expectation.type_name in known_names(raised.type_names)
    wanted = expectation.message
    right_message = wanted in {None, text_as(wanted or "", raised.message, expectation.leniency)}
    if right_type and right_message:
        return PASSED
    # Running out of resources has its own verdict, whatever was expected.
    if not right_type and raised.type_names[0] in _RESOURCE_EXCEPTIONS:
        return unexpected(raised, expected_text(expectation))
    message_key = "raises.message" if raised.message.strip() else "raises.no_message"
    key = message_key if right_type else "raises.type"
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


def nothing_raised(expectation: Raises, returned: Returned, stdout: str) -> Result:
    """Return the result for a step that should have raised but did not."""
    key = "raises.nothing"
    if expectation.message and expectation.message in stdout:
        key = "raises.printed"
    elif expectation.message and returned.value == Atom(expectation.message):
        key = "raises.returned"
    return Result(
        verdict=Verdict.WRONG,
        explanation=(message(key, expected_type=expectation.type_name),),
        expected=expected_text(expectation),
        got=shown_text(stdout) if is_none(returned.value) else shown_value(returned.value),
    )


# Programs: their screens and exit codes.
#
# A program prints, and its user types a line where it reads one. A screen shows both, a pipe only
# the output. A suite may be written either way. Where prompts do not count, lines with typed input
# are left out completely.


def match_program(expectation: Exits, observation: Observation) -> Result:
    """Return the result for a program that did not die: its exit code and its screen."""
    outcome, typed = observation.outcome, expectation.typed
    remarks = input_remarks(typed, observation)
    # EOFError: nothing was left to read.
    lacks_input = isinstance(outcome, Raised) and outcome.type_names[0] == "EOFError"
    if isinstance(outcome, Raised) and (expectation.code != 1 or lacks_input):
        result = unexpected(outcome, None)
        screen = on_screen(observation, typed).rstrip("\n")
        return replace(
            result,
            explanation=remarks if lacks_input and remarks else result.explanation,
            expected=None if expectation.printed is None else shown_text(expectation.printed.text),
            got="\n".join(filter(None, (screen, exception_text(outcome)))),
        )
    # An uncaught exception ends Python with exit code 1.
    code = outcome.value if isinstance(outcome, Returned) else Atom(1)
    result = match_screen(expectation.printed, typed, observation, remarks)
    # A final "Press Enter to close" is not a mistake: try again without that prompt.
    if observation.waited and not result.passed:
        before = _before_wait(observation)
        results = (match_screen(expectation.printed, typed, each, remarks) for each in before)
        result = next((each for each in results if each.passed), result)
    if result.passed and code != Atom(expectation.code):
        got = one_line(literal(code))
        explanation = (message("program.exit_code", expected=expectation.code, got=got),)
        return Result(verdict=Verdict.WRONG, explanation=explanation)
    return result


def _before_wait(observation: Observation) -> Iterator[Observation]:
    """Yield `observation` without the prompt of a program that waits for Enter at its end.

    The prompt is on the last line, or on its own line above.
    """
    *asked, position = observation.asked
    before_line, newline, last_line = observation.stdout[:position].rpartition("\n")
    rest = observation.stdout[position:]
    yield replace(observation, stdout=f"{before_line}{newline}{rest}", asked=tuple(asked))
    if not last_line:
        before_line, newline, _ = before_line.rpartition("\n")
        yield replace(observation, stdout=f"{before_line}{newline}{rest}", asked=tuple(asked))


def input_remarks(typed: Sequence[str], observation: Observation) -> tuple[Message, ...]:
    """Return a remark if a program reads more or fewer lines than are `typed`.

    A loop that reads until the end asks once more and gets EOF. A program may also wait for Enter
    at its end: that is a mistake only if nothing is typed at all.
    """
    asked, count = len(observation.asked), len(typed)
    is_needless = isinstance(observation.outcome, Raised) or (observation.waited and not count)
    if asked > count + (not is_needless):
        return (message("program.asks_too_often" if count else "program.asks", count=count),)
    if asked < count:
        return (message("program.asks_too_seldom", asked=asked, count=count),)
    return ()


def match_screen(
    printed: Prints | None,
    typed: Sequence[str],
    observation: Observation,
    remarks: Sequence[Message],
) -> Result:
    """Return the result for the screen, where these lines are `typed`."""
    if printed is None:
        return PASSED
    if Ignored.PROMPTS in printed.leniency.ignored:
        outputs = without_prompts(observation, typed)
        if _asks_at_end(observation, typed):
            outputs += without_prompts(observation, (*typed, ""))
        return match_text(printed, outputs, remarks)
    forms = [on_screen(observation, typed), observation.stdout]
    if Ignored.BLANKS in printed.leniency.ignored:
        forms += (on_screen(observation, typed, gap) for gap in (" ", ""))
    # `match_text` shows the first form, so the one most like the expected text leads.
    most_similar_first = sorted(forms, key=lambda form: -_common_prefix_length(form, printed.text))
    return match_text(printed, most_similar_first, remarks)


def _asks_at_end(observation: Observation, typed: Sequence[str]) -> bool:
    """Return whether a program asks once more at its end, and returns without an answer.

    Waiting for Enter inside `try` prints a prompt, too.
    """
    if len(observation.asked) != len(typed) + 1 or not isinstance(observation.outcome, Returned):
        return False
    return not observation.stdout[observation.asked[-1] :].strip()


def _common_prefix_length(one: str, other: str) -> int:
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def on_screen(observation: Observation, typed: Sequence[str], gap: str | None = None) -> str:
    """Return the screen: all output, with the `typed` lines after their prompts.

    `gap` replaces the spaces between a prompt and the typed line.
    """
    parts, start = [], 0
    # A program may ask more often than lines are typed, or stop earlier.
    for position, line in zip(observation.asked, typed, strict=False):
        before = observation.stdout[start:position]
        if gap is not None and not before.endswith("\n"):
            before = before.rstrip(" ") + gap
        parts += [before, line, "\n"]
        start = position
    return "".join((*parts, observation.stdout[start:]))


def without_prompts(observation: Observation, typed: Sequence[str]) -> tuple[str, ...]:
    """Return the output without the prompts of `typed` lines, in two forms.

    A prompt made with `print` is on its own line: the second form drops that line as well.
    Reads beyond the `typed` lines are not treated as prompts.
    """
    parts, parts_without_lines, start = [], [], 0
    for position in observation.asked[: len(typed)]:
        before = observation.stdout[start:position]
        before_line, newline, last_line = before.rpartition("\n")
        parts.append(before_line + newline)
        parts_without_lines.append(
            before_line + newline
            if last_line
            else before_line.rpartition("\n")[0] + newline * ("\n" in before_line)
        )
        start = position
    rest = observation.stdout[start:]
    return "".join((*parts, rest)), "".join((*parts_without_lines, rest))
