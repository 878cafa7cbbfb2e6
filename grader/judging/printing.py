"""Compares printed text, exceptions and screens, and decides verdicts on unexpected exceptions."""

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
from grader.values.differences import comparable_lines, text_differences
from grader.values.display import literal, render_value
from grader.values.foreign_text import one_line, safe_text
from grader.values.leniency import Ignored, align_text
from grader.values.python_wording import with_former_names
from grader.values.tree import Atom, Value
from grader.verdict import Verdict

# Printed text


def is_printed(expectation: Prints, text: str) -> bool:
    """Return whether printed `text` meets `expectation`."""
    return _normalized_expectation(expectation) == _normalize_output(expectation, text)


def unexpected_output(session: Session, run: SessionRun) -> Iterator[str]:
    """Yield the output of each step in `run` that should have printed nothing, or less."""
    for item, observation in zip(run.plan, run.observations, strict=False):
        match session.steps[item.step_index].expectation:
            case Prints(typed=()) as expectation:
                is_unexpected = (
                    len(observation.outputs) > 1
                )  # the submission printed in addition to the step
                is_unexpected = is_unexpected and not is_printed(expectation, observation.stdout)
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
    """Return the result for printed text; any of its `variants` may match.

    A wrong result shows the first variant, and has `remarks` before the differences.
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
    """Return the WRONG result for an expression whose value is None, but should not be."""
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


def exception_text(raised: Raised) -> str:
    """Return the last line of the traceback as an interpreter shows it, shortened and escaped."""
    name = one_line(raised.type_names[0])
    return f"{name}: {safe_text(raised.message, 1000)}" if raised.message else name


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
    right_type = expectation.type_name in with_former_names(raised.type_names)
    got_message = align_text(expectation.message or "", raised.message, expectation.leniency)
    right_message = expectation.message in {None, got_message}
    if right_type and right_message:
        return PASSED
    # Running out of resources has its own verdict, whichever exception was expected.
    if not right_type and raised.type_names[0] in _RESOURCE_EXCEPTIONS:
        return unexpected_exception_result(raised, expected_text(expectation))
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


# Programs: their screens and exit codes.
#
# A program prints, and its user types a line whenever it reads one. A screen shows both, a pipe
# only the output. A suite can be written either way. If prompts do not count, lines with typed
# input are left out completely.


def match_program(expectation: Exits, observation: Observation) -> Result:
    """Return the result for a program that did not die, from its exit code and its screen."""
    outcome, typed = observation.outcome, expectation.typed
    remarks = input_remarks(typed, observation)
    # EOFError: no input was left to read.
    lacks_input = isinstance(outcome, Raised) and outcome.type_names[0] == "EOFError"
    if isinstance(outcome, Raised) and (expectation.code != 1 or lacks_input):
        result = unexpected_exception_result(outcome, None)
        screen = screen_text(observation, typed).rstrip("\n")
        return replace(
            result,
            explanation=remarks if lacks_input and remarks else result.explanation,
            expected=None if expectation.printed is None else safe_text(expectation.printed.text),
            got="\n".join(filter(None, (screen, exception_text(outcome)))),
        )
    # An uncaught exception ends Python with exit code 1.
    code = outcome.value if isinstance(outcome, Returned) else Atom(1)
    result = match_screen(expectation.printed, typed, observation, remarks)
    # A final "Press Enter to close" is not a mistake: compare again without that prompt.
    if observation.waited and not result.passed:
        variants = _without_final_prompt(observation)
        results = (
            match_screen(expectation.printed, typed, variant, remarks) for variant in variants
        )
        result = next((candidate for candidate in results if candidate.passed), result)
    if result.passed and code != Atom(expectation.code):
        got = one_line(literal(code))
        explanation = (message("program.exit_code", expected=expectation.code, got=got),)
        return Result(verdict=Verdict.WRONG, explanation=explanation)
    return result


def _without_final_prompt(observation: Observation) -> Iterator[Observation]:
    """Yield variants of `observation` without a closing prompt, such as `Press Enter to exit`.

    The prompt can be on the last line, or on the line above it.
    """
    *positions, position = observation.read_offsets
    before_line, newline, last_line = observation.stdout[:position].rpartition("\n")
    output_after = observation.stdout[position:]
    yield replace(
        observation, stdout=f"{before_line}{newline}{output_after}", read_offsets=tuple(positions)
    )
    if not last_line:
        before_line, newline, _ = before_line.rpartition("\n")
        yield replace(
            observation,
            stdout=f"{before_line}{newline}{output_after}",
            read_offsets=tuple(positions),
        )


def input_remarks(typed: Sequence[str], observation: Observation) -> tuple[Message, ...]:
    """Return a remark if a program reads more or fewer lines than are `typed`, else ().

    One more read is accepted if the program did not raise: a loop that reads until the end of the
    input needs it to get EOF. A program can also wait for Enter at its end, unless nothing is typed
    at all.
    """
    read_count, typed_count = len(observation.read_offsets), len(typed)
    is_needless = isinstance(observation.outcome, Raised) or (
        observation.waited and not typed_count
    )
    if read_count > typed_count + (not is_needless):
        return (
            message("program.asks_too_often" if typed_count else "program.asks", count=typed_count),
        )
    if read_count < typed_count:
        return (message("program.asks_too_seldom", asked=read_count, count=typed_count),)
    return ()


def match_screen(
    printed: Prints | None,
    typed: Sequence[str],
    observation: Observation,
    remarks: Sequence[Message],
) -> Result:
    """Return the result of comparing `printed` with the screen after the `typed` lines.

    Return PASSED if `printed` is None.
    """
    if printed is None:
        return PASSED
    if Ignored.PROMPTS in printed.leniency.ignored:
        outputs = outputs_without_prompts(observation, typed)
        if _asks_at_end(observation, typed):
            outputs += outputs_without_prompts(observation, (*typed, ""))
        return match_text(printed, outputs, remarks)
    variants = [screen_text(observation, typed), observation.stdout]
    if Ignored.BLANKS in printed.leniency.ignored:
        variants += (screen_text(observation, typed, gap) for gap in (" ", ""))
    # `match_text` shows the first variant, so start with the one closest to the expected text.
    most_similar_first = sorted(
        variants, key=lambda variant: -_common_prefix_length(variant, printed.text)
    )
    return match_text(printed, most_similar_first, remarks)


def _asks_at_end(observation: Observation, typed: Sequence[str]) -> bool:
    """Return whether the program reads one more line at its end, and then prints nothing.

    A program does so if it waits for Enter inside `try`.
    """
    if len(observation.read_offsets) != len(typed) + 1 or not isinstance(
        observation.outcome, Returned
    ):
        return False
    return not observation.stdout[observation.read_offsets[-1] :].strip()


def _common_prefix_length(first: str, second: str) -> int:
    """Return how many characters `first` and `second` have in common at the start."""
    pairs = zip(first, second, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def screen_text(observation: Observation, typed: Sequence[str], gap: str | None = None) -> str:
    """Return the text on the screen: all output, with the `typed` lines after their prompts.

    `gap` replaces the spaces between a prompt and the typed line.
    """
    parts, start = [], 0
    # The program can read more or fewer lines than are typed.
    for position, line in zip(observation.read_offsets, typed, strict=False):
        prompt = observation.stdout[start:position]
        if gap is not None and not prompt.endswith("\n"):
            prompt = prompt.rstrip(" ") + gap
        parts += [prompt, line, "\n"]
        start = position
    return "".join((*parts, observation.stdout[start:]))


def outputs_without_prompts(observation: Observation, typed: Sequence[str]) -> tuple[str, ...]:
    """Return two variants of the output, without the prompts of the `typed` lines.

    A prompt that was printed with `print` ends in a newline: the second variant drops that line as
    well. Output before reads beyond the `typed` lines is not treated as a prompt.
    """
    parts, parts_without_lines, start = [], [], 0
    for position in observation.read_offsets[: len(typed)]:
        prompt = observation.stdout[start:position]
        before_line, newline, last_line = prompt.rpartition("\n")
        parts.append(before_line + newline)
        parts_without_lines.append(
            before_line + newline
            if last_line
            else before_line.rpartition("\n")[0] + newline * ("\n" in before_line)
        )
        start = position
    output_after = observation.stdout[start:]
    return "".join((*parts, output_after)), "".join((*parts_without_lines, output_after))
