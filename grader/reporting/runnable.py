"""A session as a program that its student can run next to the submission.

A prompt shows the value of each line; a file shows none, and the first exception ends it. So the
program prints the step that the case is about, and catches the expected exceptions of earlier
steps. It contains only code of the suite, and of the submission only the names of modules that are
identifiers in Python.
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
from grader.suite.texts import COMMAND
from grader.values.foreign_text import shown_text

_MAX_CHARS: Final = 6_000
_MAX_STEPS: Final = 150
"""A longer transcript may lack steps, so it would not run."""
_MAX_NAME_CHARS: Final = 60
_EXPECTED_CHARS: Final = 1_000
_EXPECTED_LINES: Final = 40
_TRACEBACK_HEAD: Final = re.compile("^Traceback ", re.MULTILINE)
_NAME_BEFORE_DOT: Final = re.compile(r"\b[^\W\d]\w*(?=\.)")
_ASSIGNED_NAME: Final = re.compile(r"^([^\W\d]\w*) *=(?!=)", re.MULTILINE)
_LONG_STRING: Final = re.compile("\"\"\"|'''")


def runnable(case: CaseResult, record: Record, locale: Locale) -> str | None:
    """Return a program that does what the transcript of `case` shows.

    None if it cannot be complete: the transcript is missing or too long, or it starts programs.
    """
    steps = case.transcript
    if any(step.code.startswith(COMMAND) for step in steps):
        return None
    if not 0 < len(steps) <= _MAX_STEPS or sum(len(step.code) for step in steps) > _MAX_CHARS:
        return None
    lines = [*_imports(steps, record), *map(_statement, steps), *_expected_comment(case, locale)]
    program = "".join(f"{line}\n" for line in lines)
    # Text that a page has to escape cannot be run as shown.
    return program if program == shown_text(program, 2 * _MAX_CHARS) else None


def _imports(steps: tuple[TranscriptLine, ...], record: Record) -> Iterator[str]:
    """Yield the import lines that the program needs, and a blank line."""
    modules = [name for file in record.files if (name := _module_name(file.name)) is not None]
    code = "\n".join(step.code for step in steps)
    # After `bag = Bag()` in the exercise `bag`, the name no longer means the module.
    named = {*_NAME_BEFORE_DOT.findall(code)} - {*_ASSIGNED_NAME.findall(code)}
    used = [name for name in modules if name in named]
    if used:
        yield from (f"import {name}" for name in used)
    elif modules:
        yield f"from {modules[0]} import *"
    if modules:
        yield ""


def _module_name(file_name: str) -> str | None:
    path = PurePosixPath(file_name)
    name = path.stem
    # ASCII: Python normalises other names before it looks for the file.
    is_name = name.isascii() and name.isidentifier() and not iskeyword(name)
    return name if path.suffix == ".py" and is_name and len(name) <= _MAX_NAME_CHARS else None


def _statement(step: TranscriptLine) -> str:
    if step.state in {LineStatus.FAILED, LineStatus.CAUSE}:
        return f"print(repr({step.code}))" if _has_value(step.code) else step.code
    # Indenting would change the text of a string over several lines.
    if _TRACEBACK_HEAD.search(step.output) and not _LONG_STRING.search(step.code):
        body = indent(step.code, "    ")
        return f"try:\n{body}\nexcept Exception as refused:\n    print(repr(refused))"
    return step.code


@lru_cache(maxsize=2_000)  # code of the suite, like all code shown here
def _has_value(code: str) -> bool:
    """Return whether `code` is an expression that a prompt would show, other than a `print`."""
    try:
        tree = ast.parse(code, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    match tree.body:
        case ast.Call(func=ast.Name(id="print")):
            return False
        case _:
            # A comment would hide the brackets that close `print(repr(`.
            return "#" not in code


def _expected_comment(case: CaseResult, locale: Locale) -> Iterator[str]:
    if case.expected is not None:
        yield f"# {locale('expected')}:"
        for line in excerpt_lines(case.expected, _EXPECTED_CHARS, _EXPECTED_LINES):
            yield f"# {line}".rstrip()
