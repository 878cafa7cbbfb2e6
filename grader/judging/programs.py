"""Holds what a program did against what was expected: its screen, and its exit code.

A program prints, and where it reads a line its user types one. On the screen both stand together,
in a pipe what it prints stands alone. A suite may have written either. Where prompts do not count,
a line on which something is typed is taken away as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from grader.judging.printing import match_text
from grader.judging.raising import exception_text, unexpected
from grader.judging.results import PASSED, Result
from grader.messages import Message, message
from grader.sandbox.observation import Observation, Raised, Returned
from grader.suite.expectations import Exits
from grader.values.display import literal
from grader.values.foreign_text import one_line, shown_text
from grader.values.leniency import Ignored
from grader.values.tree import Atom
from grader.verdict import Verdict


def match_program(expectation: Exits, observation: Observation) -> Result:
    """Return what the end of a program, and its output, are worth; it has not died."""
    outcome, typed = observation.outcome, expectation.typed
    remarks = asking(expectation, observation)
    asks_in_vain = isinstance(outcome, Raised) and outcome.type_names[0] == "EOFError"
    if isinstance(outcome, Raised) and (expectation.code != 1 or asks_in_vain):
        result = unexpected(outcome, None)
        screen = on_screen(observation, typed).rstrip("\n")
        return replace(
            result,
            explanation=remarks if asks_in_vain and remarks else result.explanation,
            expected=None if expectation.printed is None else shown_text(expectation.printed.text),
            got="\n".join(filter(None, (screen, exception_text(outcome)))),
        )
    code = outcome.value if isinstance(outcome, Returned) else Atom(1)
    result = _match_screen(expectation, observation, remarks)
    if result.passed and code != Atom(expectation.code):
        ended = one_line(literal(code))
        said = (message("program.exit_code", expected=expectation.code, got=ended),)
        return Result(verdict=Verdict.WRONG, explanation=said)
    return result


def asking(expectation: Exits, observation: Observation) -> tuple[Message, ...]:
    """Return what is to be said of a program that does not read the lines that are typed.

    Who reads all that there is asks once more, and is told that there is nothing left.
    """
    asked, count = len(observation.asked), len(expectation.typed)
    is_raised = isinstance(observation.outcome, Raised)
    if asked > count + (not is_raised):
        return (message("program.asks_too_often" if count else "program.asks", count=count),)
    if asked < count:
        return (message("program.asks_too_seldom", asked=asked, count=count),)
    return ()


def _match_screen(
    expectation: Exits, observation: Observation, remarks: Sequence[Message]
) -> Result:
    printed = expectation.printed
    if printed is None:
        return PASSED
    if Ignored.PROMPTS in printed.leniency.ignored:
        return match_text(printed, without_prompts(observation, expectation.typed), remarks)
    forms = [on_screen(observation, expectation.typed), observation.stdout]
    if Ignored.BLANKS in printed.leniency.ignored:
        forms += (on_screen(observation, expectation.typed, gap) for gap in (" ", ""))
    alike = sorted(forms, key=lambda form: -_length_in_common(form, printed.text))
    return match_text(printed, alike, remarks)


def _length_in_common(one: str, other: str) -> int:
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def on_screen(observation: Observation, typed: Sequence[str], gap: str | None = None) -> str:
    """Return what is on the screen: all that is printed, and the lines that are `typed`.

    Between a prompt and what is typed stands what the program has put there, or else this `gap`.
    """
    pieces, start = [], 0
    for place, line in zip(observation.asked, typed, strict=False):
        before = observation.stdout[start:place]
        if gap is not None and not before.endswith("\n"):
            before = before.rstrip(" ") + gap
        pieces += [before, line, "\n"]
        start = place
    return "".join((*pieces, observation.stdout[start:]))


def without_prompts(observation: Observation, typed: Sequence[str]) -> tuple[str, ...]:
    """Return what is printed, in two forms, without what stands before a line that is typed.

    Who asks with `print` has the prompt on a line of its own: it may go as well. Who reads past
    what is `typed` has prompted nobody.
    """
    pieces, shorter, start = [], [], 0
    for place in observation.asked[: len(typed)]:
        before = observation.stdout[start:place]
        kept, end, last = before.rpartition("\n")
        pieces.append(kept + end)
        shorter.append(kept + end if last else kept.rpartition("\n")[0] + end * ("\n" in kept))
        start = place
    rest = observation.stdout[start:]
    return "".join((*pieces, rest)), "".join((*shorter, rest))
