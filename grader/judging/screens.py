"""Compares the screens and exit codes of programs with what a suite expects.

A program prints, and its user types a line whenever it reads one. A screen shows both, a pipe
only the output. A suite can be written either way. If prompts do not count, lines with typed
input are left out completely.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from grader.judging.printing import exception_text, match_text, unexpected_exception_result
from grader.judging.results import PASSED, Result
from grader.messages import Message, message
from grader.sandbox.observation import Observation, Raised, Returned
from grader.suite.expectations import Exits, Prints
from grader.values.display import literal
from grader.values.foreign_text import one_line, safe_text
from grader.values.leniency import Ignored
from grader.values.tree import Atom
from grader.verdict import Verdict


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
    *earlier_offsets, offset = observation.read_offsets
    before_line, newline, last_line = observation.stdout[:offset].rpartition("\n")
    output_after = observation.stdout[offset:]
    yield replace(
        observation,
        stdout=f"{before_line}{newline}{output_after}",
        read_offsets=tuple(earlier_offsets),
    )
    if not last_line:
        before_line, newline, _ = before_line.rpartition("\n")
        yield replace(
            observation,
            stdout=f"{before_line}{newline}{output_after}",
            read_offsets=tuple(earlier_offsets),
        )


def input_remarks(typed: Sequence[str], observation: Observation) -> tuple[Message, ...]:
    """Return a remark if a program read more or fewer lines than were `typed`, else ().

    One more read is accepted if the program did not raise: a loop that reads until the end of the
    input needs it to get EOF. A program can also wait for Enter at its end, unless nothing is typed
    at all.
    """
    read_count, typed_count = len(observation.read_offsets), len(typed)
    allows_extra_read = not isinstance(observation.outcome, Raised) and (
        typed_count > 0 or not observation.waited
    )
    if read_count > typed_count + allows_extra_read:
        return (
            message("program.asks_too_often" if typed_count else "program.asks", count=typed_count),
        )
    if read_count == 0 < typed_count:
        return (message("program.reads_no_input", count=typed_count),)
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
    well. Output before a read beyond the `typed` lines is not treated as a prompt.
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
