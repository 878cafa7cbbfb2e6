"""Says in plain words why nothing of a submission, or not all of it, can be run."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import PurePosixPath
from typing import Final

from grader.display import one_line, shown_text
from grader.matching.matches import match
from grader.messages import Message, message
from grader.observation import Died, Frame, Observation, Raised
from grader.program import CompileError
from grader.record import SourceLine
from grader.submission import SourceFile, Submission
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Why a module of an exercise with several cannot be loaded."""

    module: str | None
    """The module in which it lies, which need not be the one that was loaded; None when it cannot
    be told."""
    file: str
    """The file in which it lies, by its name."""
    reason: Message
    died: Died | None = None
    """How the executor died of it, if it did."""


def compile_failure(source: SourceFile, error: CompileError) -> Message:
    """Return what to tell a student whose file `source` does not compile."""
    line = error.line or 0
    text = _line_of(source.text, line)
    key = "ungradable.syntax" if line else "ungradable.source"
    if error.type_name in _TOO_MUCH:
        key = "ungradable.too_much"
    elif _PYTHON_2.search(text):
        key = "ungradable.python2"
    return message(
        key,
        file=one_line(source.name),
        line=line,
        message=one_line(error.message),
        text=one_line(text.strip(), _SHOWN_CHARS),
    )


def import_failure(submission: Submission, observation: Observation) -> Message:
    """Return what to tell a student whose file breaks down while it is loaded."""
    return _import_failure("ungradable.import", "", submission, observation)


def _import_failure(
    family: str, file: str, submission: Submission, observation: Observation
) -> Message:
    """Return the message of `family` on a `file` that breaks down while it is loaded."""
    outcome = match(Completes(), observation, {})
    key = f"{family}.{outcome.verdict.value.lower()}"
    raised = observation.outcome
    if isinstance(raised, Died):
        return message(key, file=file, message=one_line(raised.evidence))
    if not isinstance(raised, Raised):
        return message(key, file=file)
    type_name = raised.type_names[0]
    if type_name == "EOFError":
        key = f"{family}.input"
    elif type_name in _SYNTAX_ERRORS:
        key = f"{family}.helper"
    line = source_line(submission, raised.frames[-1]) if raised.frames else None
    if outcome.verdict is Verdict.FORBIDDEN and line is not None:
        key = f"{family}.not_allowed"
    return message(
        key,
        file=file,
        type=one_line(type_name),
        message=one_line(raised.message),
        line=line.line if line else 0,
        text=one_line(line.text.strip(), _SHOWN_CHARS) if line else "",
    )


def missing_module(module: str) -> Trouble:
    """Return the trouble with a module that was not handed in."""
    file = f"{module}.py"
    return Trouble(module=module, file=file, reason=message("module.missing", file=file))


def loading_trouble(
    submission: Submission,
    loaded: str | None,
    observation: Observation,
    errors: Mapping[str, CompileError],
    missing: Collection[str],
) -> Trouble:
    """Return why the module `loaded` cannot be loaded, or several together when it is None.

    `observation` is what happened. The cause may lie in a module that it imports: one that does
    not compile, as `errors` tell by the name that it is imported by, one that is `missing`, or one
    that breaks down itself.
    """
    raised = observation.outcome if isinstance(observation.outcome, Raised) else None
    if raised is not None:
        for module, imported_by in submission.parts.items():
            source, error = submission.modules[imported_by], errors.get(imported_by)
            if error is not None and _is_of(raised, error, source):
                reason = compile_failure(source, error)
                return Trouble(module=module, file=one_line(source.name), reason=reason)
        for module in missing:
            if raised.message.startswith(f"No module named {module!r}"):
                return missing_module(module)
        loaded = _innermost(raised, submission) or loaded
    file = _file_of(submission, loaded)
    return Trouble(
        module=loaded,
        file=file,
        reason=_import_failure("module.import", file, submission, observation),
        died=observation.outcome if isinstance(observation.outcome, Died) else None,
    )


def _is_of(raised: Raised, error: CompileError, source: SourceFile) -> bool:
    """Return whether what was `raised` is the `error` that `source` does not compile with."""
    if raised.type_names[0] != error.type_name or error.message not in raised.message:
        return False
    place = f"({PurePosixPath(source.name).name}, line {error.line})"
    return error.line is None or raised.message.endswith(place)


def _innermost(raised: Raised, submission: Submission) -> str | None:
    """Return the innermost module of the exercise that was active."""
    by_file = {submission.modules[by].name: name for name, by in submission.parts.items()}
    modules = (by_file.get(frame.file) for frame in reversed(raised.frames))
    return next((module for module in modules if module is not None), None)


def _file_of(submission: Submission, module: str | None) -> str:
    if module is None:
        return ", ".join(one_line(submission.modules[by].name) for by in submission.parts.values())
    return one_line(submission.modules[submission.parts[module]].name)


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
        text=shown_line(texts.get(frame.file, ""), frame.line),
    )


def shown_line(text: str, number: int) -> str:
    """Return line `number` of source code as it can be shown; nothing beyond the last one."""
    return shown_text(_line_of(text, number), 300)


def _line_of(text: str, number: int) -> str:
    lines = text.split("\n")
    return lines[number - 1] if 0 < number <= len(lines) else ""
