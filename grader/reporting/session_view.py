"""Prepares the session of a case for display, step by step, as an interpreter would show it.

Long sessions are limited in size: their middle steps are left out, and long output is cut. A report
with little space shows only the step that fails, and the steps that it needs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from grader.judging.record import LineStatus, TranscriptLine
from grader.reporting.wording import Locale, excerpt_lines
from grader.suite.texts import COMMAND_PREFIX
from grader.values.foreign_text import one_line

MAX_CODE_CHARS: Final = 2_000
MAX_CODE_LINES: Final = 40
"""How many lines are shown of the code of a step, and of its output."""
MAX_STEPS: Final = 80
"""How many steps of a transcript are shown: the first few, which set things up, and the last."""
_FIRST_STEPS: Final = 10
_TRANSCRIPT_CHARS: Final = 10_000
"""Characters of output shown per transcript, divided among its steps."""
_MIN_OUTPUT_CHARS: Final = 400
_FAILED_OUTPUT_CHARS: Final = 1_000
_MARKED_STATES: Final = frozenset({LineStatus.FAILED, LineStatus.CAUSE})
_WORD: Final = re.compile(r"[^\W\d]\w*")
_BINDING: Final = re.compile(r"(?:import|from|def|class)\b|[^\W\d]\w*(?: *,[\w, ]*)? *=(?!=)")
"""Matches the start of a statement that binds names: an import, a definition or an assignment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepView:
    """One step of a transcript, as an interpreter would show it."""

    prompts: tuple[tuple[str, str], ...]
    """Each line of its code as a pair: the prompt, and the line."""
    output: tuple[str, ...]
    longest: int
    """The number of characters in its longest line, with the prompt."""
    note: str | None = None
    """A comment to show after its last line of code, or None."""
    state: LineStatus = LineStatus.DONE
    label: str | None = None
    """What happened to it, in words, or None if it simply ran."""

    @property
    def is_marked(self) -> bool:
        """Whether it failed, or prevented the step of the case from being tried."""
        return self.state in _MARKED_STATES


def step_views(steps: tuple[TranscriptLine, ...], locale: Locale) -> Iterator[StepView]:
    """Yield the views of `steps`.

    If there are too many, the middle ones are replaced by a view that says how many are left out.
    """
    max_chars = max(_MIN_OUTPUT_CHARS, _TRANSCRIPT_CHARS // max(1, len(steps)))
    surplus = len(steps) - MAX_STEPS
    if surplus <= 0:
        yield from (_step(step, max_chars, locale) for step in steps)
        return
    yield from (_step(step, max_chars, locale) for step in steps[:_FIRST_STEPS])
    gap = locale("steps_left_out", count=surplus)
    yield StepView(prompts=(), output=(gap,), longest=len(gap))
    yield from (_step(step, max_chars, locale) for step in steps[_FIRST_STEPS + surplus :])


def _step(step: TranscriptLine, max_chars: int, locale: Locale) -> StepView:
    return _step_view(step, max_chars, locale) if step.output else _silent_step(step, locale)


@lru_cache(maxsize=2_000)  # without output, all text is from the suite, not from a student
def _silent_step(step: TranscriptLine, locale: Locale) -> StepView:
    return _step_view(step, 0, locale)


def _step_view(step: TranscriptLine, max_chars: int, locale: Locale) -> StepView:
    """Return the view of `step`, with its output cut to `max_chars`.

    The output of a step that failed has a limit of its own.
    """
    is_failing = step.state in _MARKED_STATES
    code = excerpt_lines(step.code, MAX_CODE_CHARS, MAX_CODE_LINES)
    output = excerpt_lines(
        step.output, _FAILED_OUTPUT_CHARS if is_failing else max_chars, MAX_CODE_LINES
    )
    note = None if step.note is None or step.note in step.code else one_line(step.note)
    # A newline at the end of the output would be shown as an empty line.
    while output and not output[-1]:
        output.pop()
    last_line = f"{code[-1]}  # {note}" if note else code[-1]
    return StepView(
        prompts=_prompts(tuple(code)),
        output=tuple(output),
        note=note,
        state=step.state,
        label=None if step.state is LineStatus.DONE else locale(f"step_{step.state.value}"),
        longest=max(map(len, (*code[:-1], last_line, *output))) + len(">>> "),
    )


def _decorator_lines(statement: ast.stmt) -> list[int]:
    return [decorator.lineno for decorator in getattr(statement, "decorator_list", ())]


@lru_cache(maxsize=2_000)  # the code is from the suite, so it is the same for every student
def _prompts(lines: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return `lines` with their prompts, as somebody would type them.

    Each statement starts with `>>> `, and an empty line ends a block, as at a real prompt. A shell
    command already includes its prompt, so it gets none.
    """
    if lines[0].startswith(COMMAND_PREFIX):
        return tuple(("", line) for line in lines)
    try:
        body = ast.parse("\n".join(lines)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # an excerpt seldom parses
        return tuple(("... " if number else ">>> ", line) for number, line in enumerate(lines))
    # The line number of a decorated function is that of its `def`.
    starts = {1, *(min([node.lineno, *_decorator_lines(node)]) for node in body)}
    # Only compound statements have a body. No empty line is needed after the last statement.
    block_ends = {node.end_lineno for node in body[:-1] if hasattr(node, "body")}
    prompts: list[tuple[str, str]] = []
    for number, line in enumerate(lines, start=1):
        prompts.append((">>> " if number in starts else "... ", line))
        if number in block_ends:
            prompts.append(("... ", ""))
    return tuple(prompts)


def needed_steps(steps: Sequence[StepView], max_steps: int) -> tuple[int, list[int]]:
    """Return the index of the failing step, and the indices of at most `max_steps` steps to show.

    These are the failing step, earlier steps that bind names which it uses and, if there is room,
    the latest of the other earlier steps. If no step is marked as failing, the last one counts as
    failing.
    """
    failing_index = next(
        (index for index, step in enumerate(steps) if step.is_marked), len(steps) - 1
    )
    binding = list(_binding_steps(steps, failing_index))[: max_steps - 1]
    recent = [index for index in range(failing_index - 1, -1, -1) if index not in binding]
    return failing_index, sorted({failing_index, *binding, *recent[: max_steps - 1 - len(binding)]})


def _binding_steps(steps: Sequence[StepView], failing_index: int) -> Iterator[int]:
    """Yield the indices of earlier steps that bind names used by the failing step, latest first.

    Steps that bind names used by other yielded steps are also yielded.
    """
    names = {*_WORD.findall(_step_code(steps[failing_index]))}
    for index in range(failing_index - 1, -1, -1):
        code = _step_code(steps[index])
        binding = _BINDING.match(code)
        # In an import or a definition, any word of the code might be the name that it binds.
        bound = binding and (binding[0] if "=" in binding[0] else code)
        if bound and names & {*_WORD.findall(bound)}:
            names |= {*_WORD.findall(code)}
            yield index


def _step_code(step: StepView) -> str:
    return "\n".join(code for _, code in step.prompts)
