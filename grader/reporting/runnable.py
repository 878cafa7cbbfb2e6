"""Converts a session to a program that the student can run next to the submission.

A prompt shows the value of each line. A program shows no values, and ends at the first exception.
So the program prints the value of the step that failed, and catches expected exceptions of earlier
steps. All its code is from the suite. From the submission it takes only names of modules, and only
those that are valid identifiers.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from keyword import iskeyword
from pathlib import PurePosixPath
from textwrap import indent
from typing import Final

from grader.judging.record import CaseResult, LineStatus, Record, TranscriptLine
from grader.reporting.wording import Locale, excerpt_lines
from grader.suite.texts import COMMAND_PREFIX
from grader.values.foreign_text import safe_text

_MAX_CHARS: Final = 6_000
_MAX_STEPS: Final = 150
"""A longer transcript might lack steps, and without them the program would fail."""
_MAX_NAME_CHARS: Final = 60
_EXPECTED_CHARS: Final = 1_000
_EXPECTED_LINES: Final = 40
_TRACEBACK_HEAD: Final = re.compile("^Traceback ", re.MULTILINE)
_NAME_BEFORE_DOT: Final = re.compile(r"\b[^\W\d]\w*(?=\.)")
_ASSIGNED_NAME: Final = re.compile(r"^([^\W\d]\w*) *=(?!=)", re.MULTILINE)
_LONG_STRING: Final = re.compile("\"\"\"|'''")


def runnable_program(case: CaseResult, record: Record, locale: Locale) -> str | None:
    """Return a program that runs the steps in the transcript of `case`.

    Returns None if that is impossible: the transcript is missing, is too long, starts programs, or
    contains characters that pages replace.
    """
    steps = case.transcript
    if any(step.code.startswith(COMMAND_PREFIX) for step in steps):
        return None
    if not 0 < len(steps) <= _MAX_STEPS or sum(len(step.code) for step in steps) > _MAX_CHARS:
        return None
    lines = [*_imports(steps, record), *map(_statement, steps), *_expected_comment(case, locale)]
    program = "".join(f"{line}\n" for line in lines)
    # A program with characters that pages replace could not be copied and run.
    # The limit leaves room for the lines around the steps.
    return program if program == safe_text(program, 2 * _MAX_CHARS) else None


def _imports(steps: tuple[TranscriptLine, ...], record: Record) -> Iterator[str]:
    """Yield the import lines that `steps` need, and a blank line.

    If the steps name no module, everything is imported from the submission's first module. If no
    file can be imported, nothing is yielded.
    """
    modules = [name for file in record.files if (name := _module_name(file.name)) is not None]
    code = "\n".join(step.code for step in steps)
    # After `bag = Bag()` in the exercise `bag`, the name no longer refers to the module.
    qualifiers = {*_NAME_BEFORE_DOT.findall(code)} - {*_ASSIGNED_NAME.findall(code)}
    used_modules = [name for name in modules if name in qualifiers]
    if used_modules:
        yield from (f"import {name}" for name in used_modules)
    elif modules:
        yield f"from {modules[0]} import *"
    if modules:
        yield ""


def _module_name(file_name: str) -> str | None:
    """Return the name by which the file can be imported, or None if it cannot."""
    path = PurePosixPath(file_name)
    name = path.stem
    # Only ASCII, because Python normalises other names before it searches for the file.
    is_name = name.isascii() and name.isidentifier() and not iskeyword(name)
    return name if path.suffix == ".py" and is_name and len(name) <= _MAX_NAME_CHARS else None


def _statement(step: TranscriptLine) -> str:
    """Return the lines of the program that run `step`.

    The lines print the value of a failed step that has one, and catch an exception that is part of
    the session.
    """
    if step.state in {LineStatus.FAILED, LineStatus.CAUSE}:
        return f"print(repr({step.code}))" if _has_value(step.code) else step.code
    # Indenting would change the content of strings that span several lines.
    if _TRACEBACK_HEAD.search(step.output) and not _LONG_STRING.search(step.code):
        body = indent(step.code, "    ")
        return f"try:\n{body}\nexcept Exception as refused:\n    print(repr(refused))"
    return step.code


@lru_cache(maxsize=2_000)  # the code is from the suite, so all students share it
def _has_value(code: str) -> bool:
    """Return whether `code` is an expression whose value a program can print.

    A call of `print` is not, and neither is an expression with a comment.
    """
    try:
        tree = ast.parse(code, mode="eval")
    # The parser raises the last two for code that is nested too deeply.
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    match tree.body:
        case ast.Call(func=ast.Name(id="print")):
            return False
        case _:
            # A comment would swallow the brackets that close `print(repr(`.
            return "#" not in code


def _expected_comment(case: CaseResult, locale: Locale) -> Iterator[str]:
    if case.expected is not None:
        yield f"# {locale('expected')}:"
        for line in excerpt_lines(case.expected, _EXPECTED_CHARS, _EXPECTED_LINES):
            yield f"# {line}".rstrip()
