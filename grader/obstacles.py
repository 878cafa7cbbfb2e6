"""Says in plain words why nothing of a submission, or not all of it, can be run."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Final

from grader.display import one_line, shown_text
from grader.matching.matches import match
from grader.messages import Message, message
from grader.observation import Died, Frame, Observation, Raised
from grader.record import SourceLine
from grader.sessions import CompileError
from grader.submission import Submission
from grader.suite import Completes
from grader.verdict import Verdict

_NEAR: Final = 0.75
"""How alike a defined name must be to be offered as the one that was meant."""
_SHOWN_CHARS: Final = 120
_PYTHON_2: Final = re.compile(
    r"""^\s*(print\s+[^=(\s] | exec\s+["'\w] | raise\s+[\w.]+\s*, | except\s+[\w.]+\s*,\s*\w+\s*:)
      | <> | `\w+`""",
    re.VERBOSE,
)
"""Lines that are valid in Python 2 and not in Python 3."""
_TOO_MUCH: Final = frozenset({"MemoryError", "RecursionError", "OverflowError"})
_SYNTAX_ERRORS: Final = frozenset({"SyntaxError", "IndentationError", "TabError"})


def compile_failure(submission: Submission, error: CompileError) -> Message:
    """Return what to tell a student whose file does not compile."""
    assert submission.main is not None, "something was compiled"
    line = error.line or 0
    text = _line_of(submission.main.text, line)
    key = "ungradable.syntax" if line else "ungradable.source"
    if error.type_name in _TOO_MUCH:
        key = "ungradable.too_much"
    elif _PYTHON_2.search(text):
        key = "ungradable.python2"
    return message(
        key,
        file=one_line(submission.main.name),
        line=line,
        message=one_line(error.message),
        text=one_line(text.strip(), _SHOWN_CHARS),
    )


def import_failure(submission: Submission, observation: Observation) -> Message:
    """Return what to tell a student whose file breaks down while it is loaded."""
    outcome = match(Completes(), observation, {})
    key = f"ungradable.import.{outcome.verdict.value.lower()}"
    raised = observation.outcome
    if isinstance(raised, Died):
        return message(key, message=one_line(raised.evidence))
    if not isinstance(raised, Raised):
        return message(key)
    type_name = raised.type_names[0]
    if type_name == "EOFError":
        key = "ungradable.import.input"
    elif type_name in _SYNTAX_ERRORS:
        key = "ungradable.import.helper"
    line = source_line(submission, raised.frames[-1]) if raised.frames else None
    if outcome.verdict is Verdict.FORBIDDEN and line is not None:
        key = "ungradable.import.not_allowed"
    return message(
        key,
        type=one_line(type_name),
        message=one_line(raised.message),
        line=line.line if line else 0,
        text=one_line(line.text.strip(), _SHOWN_CHARS) if line else "",
    )


def missing_names(wanted: Collection[str], defined: Collection[str]) -> Mapping[str, str]:
    """Return each wanted name that is not defined, with a defined name that is near, or ""."""
    by_folded = {_folded(name): name for name in sorted(defined)}
    near = {}
    for name in wanted:
        if name not in defined:
            close = get_close_matches(_folded(name), by_folded, n=1, cutoff=_NEAR)
            near[name] = one_line(by_folded[close[0]]) if close else ""
    return near


def _folded(name: str) -> str:
    return name.casefold().replace("_", "")


def nothing_defined(missing: Mapping[str, str]) -> Message:
    """Return what to tell a student whose file defines none of the names that are asked."""
    near = ", ".join(name for name in missing.values() if name)
    key = "ungradable.names_near" if near else "ungradable.names"
    return message(key, names=", ".join(missing), near=near)


def source_line(submission: Submission, frame: Frame) -> SourceLine:
    """Return the line of the submission that `frame` was at."""
    texts = {file.name: file.text for file in submission.modules.values()}
    if submission.main is not None:
        texts[submission.main.name] = submission.main.text
    return SourceLine(
        file=one_line(frame.file),
        line=frame.line,
        function=one_line(frame.function),
        text=shown_text(_line_of(texts.get(frame.file, ""), frame.line), 300),
    )


def _line_of(text: str, number: int) -> str:
    lines = text.split("\n")
    return lines[number - 1] if 0 < number <= len(lines) else ""
