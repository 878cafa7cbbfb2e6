"""Explains why modules of a submission cannot be loaded."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from grader.intake.notebooks import NOTEBOOK, cell_at
from grader.intake.submission import SourceFile, Submission
from grader.judging.printing import unexpected_exception_result
from grader.judging.record import SourceLine
from grader.judging.source_hints import line_of, pasted_line
from grader.messages import Message, message
from grader.sandbox.observation import Died, Frame, Observation, Raised
from grader.sandbox.program import CompileError
from grader.sandbox.session_runs import SessionRun
from grader.sandbox.sessions import SessionRunner
from grader.suite.session import Session
from grader.values.foreign_text import one_line, safe_text
from grader.verdict import Verdict

_SHOWN_CHARS: Final = 120
_LINE_CHARS: Final = 300
_PYTHON_2: Final = re.compile(
    r"""^\s*(print\s+[^=(\s] | exec\s+["'\w] | raise\s+[\w.]+\s*, | except\s+[\w.]+\s*,\s*\w+\s*:)
      | <> | `\w+`""",
    re.VERBOSE,
)
"""Lines that are valid in Python 2 but not in Python 3."""
_CANNOT_IMPORT_NAME: Final = re.compile(r"cannot import name '\w+' from '([^']+)'")
"""The message of an ImportError for a name that a module lacks."""
_RESOURCE_ERRORS: Final = frozenset({"MemoryError", "RecursionError", "OverflowError"})
_MODULE_LEVEL: Final = "<module>"
"""The function name of frames at module level."""
SYNTAX_ERRORS: Final = frozenset({"SyntaxError", "IndentationError", "TabError"})


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadError:
    """Why a module of the exercise cannot be loaded."""

    module: str | None
    """The module at fault, possibly one that the loaded module imports; None if unknown."""
    file: str
    """The name of the file at fault, or the names of all files if the module is unknown."""
    reason: Message
    died: Died | None = None
    """How the executor died, if it did."""


class LoadErrors:
    """Collects the reasons why modules of a submission cannot be loaded.

    Missing modules are known from the start; other errors are added once a session cannot be
    loaded.
    """

    def __init__(
        self,
        modules: Sequence[str],
        submission: Submission,
        runner: SessionRunner,
        *,
        replaceable: Collection[str] = (),
    ) -> None:
        """Prepare to load `modules` of `submission` with `runner`.

        The `replaceable` modules have stand-ins.
        """
        self._modules: Final = modules
        self._replaceable: Final = replaceable
        self.submission: Final = submission
        self._runner: Final = runner
        self._missing: Final = [name for name in modules if name not in submission.parts]
        self._errors: Final = {
            name: LoadError(
                module=name, file=f"{name}.py", reason=message("loading.missing", file=f"{name}.py")
            )
            for name in self._missing
        }
        self._loaded: Final[set[str]] = set()
        self._all_tried = False

    def record_loaded(self, session: Session) -> None:
        """Record that the modules of `session` have been loaded."""
        self._loaded.update(session.modules)

    def has_loaded(self, session: Session) -> bool:
        """Return whether all modules of `session` are recorded as loaded."""
        return self._loaded.issuperset(session.modules)

    def errors_blocking(self, session: Session) -> list[LoadError]:
        """Return the known errors that prevent `session` from running.

        If the session runs programs, only missing modules count: other modules might run even if
        they cannot be imported.
        """
        if not self._errors:
            return []
        modules = self._missing if session.runs_programs else self._errors
        return self.known_errors(name for name in session.modules if name in modules)

    def known_errors(self, modules: Iterable[str]) -> list[LoadError]:
        """Return the known errors of `modules`."""
        return [self._errors[name] for name in modules if name in self._errors]

    def reasons(self) -> list[Message]:
        """Return the reasons of all known errors, without duplicates."""
        return list(dict.fromkeys(error.reason for error in self.known_errors(self._modules)))

    def load_alone(self, run_modules: tuple[str, ...] = (), run: SessionRun | None = None) -> None:
        """Load each module alone and record its error. Does nothing after the first call.

        `run` is a failed run of `run_modules`. It is reused if `run_modules` is a single module.
        """
        if self._all_tried:
            return
        self._all_tried = True
        for module in self.submission.parts:
            if module in self._loaded:
                continue
            module_run = run if run_modules == (module,) else None
            module_run = module_run or self._runner.run((), modules=(module,))
            if not module_run.is_loaded:
                error = self._load_error(module, module_run)
                self._errors[module] = self._attribute_death(error)

    def errors_if_all_blocked(self) -> list[LoadError]:
        """Return the errors of all modules, or [] if any module can be loaded.

        Call `load_alone` first. A module that fails only because of another module counts as
        loadable if that other module has a stand-in.
        """
        errors = {name: self._errors.get(name) for name in self._modules}
        for name, error in errors.items():
            if error is None or (error.module in self._replaceable and error.module != name):
                return []
        return self.known_errors(self._modules)

    def errors_in(self, session: Session, run: SessionRun | None) -> list[LoadError]:
        """Return the errors that explain why `session` could not be loaded.

        `run` is the failed run. It is required unless one of the modules has a known error.
        """
        if errors := self.known_errors(session.modules):
            return errors
        assert run is not None, "a session without known errors is run"
        loaded_module = None if len(session.modules) > 1 else session.modules[0]
        return [self._load_error(loaded_module, run)]

    def _load_error(self, loaded_module: str | None, run: SessionRun) -> LoadError:
        """Return why `loaded_module` could not be loaded in `run`.

        `loaded_module` is None if `run` loads several modules. The module at fault can be another
        one that was imported and does not compile, is missing, or fails.
        """
        submission, observation = self.submission, run.imported.observation
        outcome, errors = observation.outcome, self._runner.compile_errors
        raised = outcome if isinstance(outcome, Raised) else None
        for module, imported_by in submission.parts.items():
            # An import of a module that does not compile raises that module's error.
            source, error = submission.modules[imported_by], errors.get(imported_by)
            if error is not None and (
                module == loaded_module or _is_compile_error(raised, error, source)
            ):
                reason = _compile_failure(source, error)
                return LoadError(module=module, file=one_line(source.name), reason=reason)
        if raised is not None:
            for module in self._missing:
                # The module imports a module of the exercise that was not handed in.
                if raised.message.startswith(f"No module named {module!r}"):
                    return self._errors[module]
            loaded_module = _innermost_module(raised, submission) or loaded_module
        aliases = (
            submission.parts.values()
            if loaded_module is None
            else [submission.parts[loaded_module]]
        )
        file = ", ".join(one_line(submission.modules[alias].name) for alias in aliases)
        return LoadError(
            module=_module_lacking_name(raised, submission) or loaded_module,
            file=file,
            reason=_import_failure(file, submission, observation),
            died=outcome if isinstance(outcome, Died) else None,
        )

    def _attribute_death(self, error: LoadError) -> LoadError:
        """Return the first recorded error in which the executor died in the same way as in `error`.

        Return `error` itself if there is none. A dead executor leaves no traceback. Modules build
        on earlier ones, so the earliest is the likely cause.
        """
        if error.died is None:
            return error
        for earlier in self._errors.values():
            if earlier.died is not None and earlier.died.verdict is error.died.verdict:
                return earlier
        return error


def _module_lacking_name(raised: Raised | None, submission: Submission) -> str | None:
    """Return the module of `submission` that lacks a name which another module imports from it."""
    match = _CANNOT_IMPORT_NAME.match(raised.message) if raised else None
    parts = submission.parts.items()
    return next((name for name, alias in parts if match and match[1] == alias), None)


def _compile_failure(source: SourceFile, error: CompileError) -> Message:
    """Return the message to the student about the compile `error` of `source`.

    Typical causes such as Python 2 code or pasted prompts have messages of their own.
    """
    line = error.line or 0
    text = line_of(source.text, line)
    key = "ungradable.syntax" if line else "ungradable.source"
    if error.type_name in _RESOURCE_ERRORS:
        key = "ungradable.too_much"
    elif error.newer is not None:
        key = "ungradable.newer"
    elif (pasted := pasted_line(source.text, line)) is not None:
        key, line = "ungradable.pasted", pasted
        text = line_of(source.text, line)
    elif _PYTHON_2.search(text):
        key = "ungradable.python2"
    return message(
        key,
        file=one_line(source.name),
        line=line,
        **cell_at(source.name, source.text, line),
        column=error.column or 0,
        message=one_line(error.message),
        text=one_line(text.strip(), _SHOWN_CHARS),
        needed=error.newer or "",
        ours=f"{sys.version_info[0]}.{sys.version_info[1]}",
    )


def _verdict(observation: Observation) -> Verdict:
    """Return the verdict on a failed import, from its `observation`."""
    outcome = observation.outcome
    if observation.overflowed:
        return Verdict.OUTPUT
    if isinstance(outcome, Raised):
        return unexpected_exception_result(outcome, None).verdict
    assert isinstance(outcome, Died), "an import that returned and did not print too much succeeded"
    return outcome.verdict


def _import_failure(file: str, submission: Submission, observation: Observation) -> Message:
    """Return the message to the student about `file`, whose import failed with `observation`."""
    raised = observation.outcome
    key = f"loading.{_verdict(observation).value.lower()}"
    if isinstance(raised, Died):
        return message(key, file=file, message=one_line(raised.evidence))
    if not isinstance(raised, Raised):  # it returned, but printed too much
        return message(key, file=file)
    type_name = raised.type_names[0]
    if type_name == "EOFError":
        key = "loading.input"
    elif type_name in SYNTAX_ERRORS:
        is_cell = raised.frames and raised.frames[-1].file.endswith(NOTEBOOK)
        key = "ungradable.syntax" if is_cell else "loading.helper"
    line = source_line(submission, _frame_to_show(raised.frames)) if raised.frames else None
    if key == "loading.forbidden" and line is not None:
        key = "loading.not_allowed"
    return message(
        key,
        file=file,
        type=one_line(type_name),
        message=one_line(raised.message),
        module=one_line(raised.module),
        text=one_line(line.text.strip(), _SHOWN_CHARS) if line else "",
        **({"line": 0} if line is None else _line_parameters(submission, line)),
    )


def _frame_to_show(frames: Sequence[Frame]) -> Frame:
    """Return the frame to show: that of the notebook cell that ran, otherwise the innermost one."""
    cells = (f for f in frames if f.file.endswith(NOTEBOOK) and f.function == _MODULE_LEVEL)
    return next(cells, frames[-1])


def _line_parameters(submission: Submission, line: SourceLine) -> dict[str, int]:
    """Return the message parameters for `line`: its number, and its position in a notebook cell."""
    texts = {one_line(file.name): file.text for file in submission.modules.values()}
    return {"line": line.line, **cell_at(line.file, texts.get(line.file, ""), line.line)}


def _is_compile_error(raised: Raised | None, error: CompileError, source: SourceFile) -> bool:
    """Return whether `raised` is the compile `error` of `source`."""
    if raised is None or raised.type_names[0] != error.type_name:
        return False
    location = f"({PurePosixPath(source.name).name}, line {error.line})"  # ends str(error)
    is_at_location = error.line is None or raised.message.endswith(location)
    return is_at_location and error.message in raised.message


def _innermost_module(raised: Raised, submission: Submission) -> str | None:
    """Return the module of the innermost frame that is in a module of the exercise, or None."""
    by_file = {submission.modules[alias].name: name for name, alias in submission.parts.items()}
    modules = (by_file.get(frame.file) for frame in reversed(raised.frames))
    return next((module for module in modules if module is not None), None)


def source_line(submission: Submission, frame: Frame) -> SourceLine:
    """Return the source line at `frame`, with its file, function and text."""
    texts = {file.name: file.text for file in submission.modules.values()}
    return SourceLine(
        file=one_line(frame.file),
        line=frame.line,
        function=one_line(frame.function),
        text=shown_line(texts.get(frame.file, ""), frame.line),
    )


def shown_line(text: str, number: int) -> str:
    """Return line `number` of source code, escaped for display. Return "" if it does not exist."""
    return safe_text(line_of(text, number), _LINE_CHARS)


def place_in(source: SourceFile, line: int) -> dict[str, str | int]:
    """Return the message parameters for `line` of `source`, including any notebook cell."""
    cell = cell_at(source.name, source.text, line)
    return {"file": one_line(source.name), "line": line, **cell}
