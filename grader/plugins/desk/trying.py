"""Runs lines that a teacher types, on a student's hand-in and in the sandbox.

The prompt belongs to the plug-in `site`; without that plug-in a desk has no prompt. All lines run
in a fresh executor each time, so that earlier lines leave nothing behind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from grader.cli.suites import find_suite_with_wording
from grader.errors import UsageError
from grader.intake.submissions import build_submission
from grader.judging.record import Record
from grader.plugins.desk.queue import QueueRow
from grader.reporting.mending import find_first_to_mend
from grader.run.needs import require_isolation, require_system
from grader.sandbox.sandbox import new_sandbox
from grader.seams import EXTRAS
from grader.store.graded import unpack_hand_in
from grader.store.store import Store
from grader.suite.texts import COMMAND_PREFIX
from grader.suite.vocabulary import optional_packages

MAX_CHARS: Final = 20_000
_MAX_LINES: Final = 300
_FIRST_LINES: Final = 10
"""How many lines are shown from the start of each statement's output."""
_LAST_LINES: Final = 20
"""How many lines are shown from the end of each statement's output."""
_BLOCK_STARTS: Final = ("async ", "for ", "if ", "while ", "with ")
"""Starts of lines whose block can follow on the same line."""
_CONTINUATIONS: Final = ("else", "elif", "except", "finally")
"""Starts of unindented lines that continue a statement."""


class TriedLine(NamedTuple):
    """A statement and its output. The output of the import has an empty `code`."""

    code: str
    text: str


def can_try(store: Store) -> bool:
    """Return whether lines can be tried on the hand-ins of the run.

    This needs stored hand-ins, and the plug-in that has the prompt.
    """
    run = store.run
    return (
        run.settings.keeps_hand_ins and not run.has_own_tests and EXTRAS.find("prompt") is not None
    )


def suggested_lines(record: Record) -> str:
    """Return the lines of the session that shows what to fix first.

    Return an empty string if there is no such session, or if it runs whole programs.
    """
    first = find_first_to_mend(record)
    shown_case = None if first is None else first.shown
    transcript = () if shown_case is None else shown_case.transcript
    # A program has no lines to try.
    if any(line.code.startswith(COMMAND_PREFIX) for line in transcript):
        return ""
    return "\n".join(line.code for line in transcript)[:MAX_CHARS]


def try_lines(store: Store, row: QueueRow, code: str, suites: Path | None) -> list[TriedLine]:
    """Run the statements in `code` on the hand-in of `row`. Return them with their output.

    Starts a sandbox for them. Statements beyond `MAX_CHARS` characters or `_MAX_LINES` lines are
    ignored. Raises `UsageError` if `code` is blank, and another `GraderError` if there is no suite
    or the isolation is weaker than in the run.
    """
    lines = code[:MAX_CHARS].split("\n")[:_MAX_LINES]
    if not any(line.strip() for line in lines):
        raise UsageError("there are no lines to run", help="type the lines to run first")
    suite = find_suite_with_wording(row.entry.exercise, suites, whole=True)
    graded = next(each for each in store.graded_entries() if each.entry == row.entry)
    hand_in = unpack_hand_in(store.content(graded.submission), row.entry.student)
    submission = build_submission(hand_in, suite.modules, suite.defines)
    # As strict as the run, because the same untrusted code is executed again.
    least_level = store.run.settings.least_level
    require_system(least_level)
    with new_sandbox(tuple(optional_packages(suite.imports))) as sandbox:
        require_isolation(sandbox.isolation, least_level)
        prompt = EXTRAS.load("prompt")(sandbox, suite, submission)
        try:
            return list(_run_statements(prompt, tuple(suite.modules), lines))
        finally:
            prompt.end()


def _run_statements(
    prompt: Any, modules: tuple[str, ...], lines: Sequence[str]
) -> Iterator[TriedLine]:
    """Run the statements in `lines` and yield each with its output, until one ends the executor.

    If importing the hand-in prints something, that output comes first. If the import fails, no
    statement is run.
    """
    (import_answer,) = prompt.begin(modules, ())
    if import_answer.text:
        yield TriedLine("", import_answer.text)
    if import_answer.has_ended or import_answer.text.startswith("Traceback"):
        return
    statement_lines: list[str] = []
    for line in _prompt_lines(lines):
        statement_lines.append(line)
        if "".join(statement_lines).strip():
            answer = prompt.run_typed("\n".join(statement_lines))
            if answer.is_open:  # as at the prompt of Python, the statement needs more lines
                continue
            yield TriedLine("\n".join(statement_lines).rstrip("\n"), _short(answer.text))
            if answer.has_ended:
                return
        statement_lines = []
    if statement_lines:
        yield TriedLine(
            "\n".join(statement_lines).rstrip("\n"),
            "this statement is incomplete: add the lines that it lacks",
        )


def _short(text: str) -> str:
    """Return `text` without lines in its middle, because the end of a traceback matters most."""
    lines = text.split("\n")
    left_out = len(lines) - _FIRST_LINES - _LAST_LINES
    if left_out <= 1:
        return text
    return "\n".join([*lines[:_FIRST_LINES], f"… ({left_out} lines)", *lines[-_LAST_LINES:]])


def _prompt_lines(lines: Sequence[str]) -> Iterator[str]:
    """Yield `lines` without `>>>` and `...`, and a blank line after each block, which ends it."""
    previous = ""
    for raw_line in lines:
        line = raw_line.removeprefix(">>> ").removeprefix("... ")
        follows_block = previous[:1].isspace() or previous.startswith(_BLOCK_STARTS)
        if follows_block and line[:1].strip() and not line.startswith(_CONTINUATIONS):
            yield ""
        yield line
        previous = line
    yield ""
