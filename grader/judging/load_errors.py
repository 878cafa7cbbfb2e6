"""Explains why modules of a submission cannot be loaded, or lack required names."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import PurePosixPath
from typing import Final

from grader.intake.notebooks import NOTEBOOK, cell_at
from grader.intake.submission import SourceFile, Submission
from grader.judging.printing import unexpected
from grader.judging.record import SourceLine
from grader.judging.source_hints import class_with, line_of, pasted_line
from grader.messages import Message, message
from grader.sandbox.observation import Died, Frame, Observation, Raised, Stop
from grader.sandbox.planning import calls_in
from grader.sandbox.program import CompileError
from grader.sandbox.session_runs import SessionRun
from grader.sandbox.sessions import SessionRunner
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.values.foreign_text import one_line, shown_text
from grader.verdict import Verdict

_NEAR: Final = 0.75
"""The least similarity at which a defined name is suggested for a missing one."""
_SHOWN_CHARS: Final = 120
_PYTHON_2: Final = re.compile(
    r"""^\s*(print\s+[^=(\s] | exec\s+["'\w] | raise\s+[\w.]+\s*, | except\s+[\w.]+\s*,\s*\w+\s*:)
      | <> | `\w+`""",
    re.VERBOSE,
)
"""Lines that are valid in Python 2 but not in Python 3."""
_NAME_NOT_IN: Final = re.compile(r"cannot import name '\w+' from '([^']+)'")
"""The text of an ImportError for a name that a module lacks."""
_RESOURCE_ERRORS: Final = frozenset({"MemoryError", "RecursionError", "OverflowError"})
_MODULE_LEVEL: Final = "<module>"
"""The function name in frames at module level."""
SYNTAX_ERRORS: Final = frozenset({"SyntaxError", "IndentationError", "TabError"})


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadError:
    """Why a module of the exercise cannot be loaded."""

    module: str | None
    """The module at fault, perhaps not the one that was loaded; None if unknown."""
    file: str
    """The name of the file at fault."""
    reason: Message
    died: Died | None = None
    """How the executor died, if it did."""


class LoadErrors:
    """Collects why modules of a submission cannot be loaded.

    Missing modules are known from the start; others are found once a session cannot be loaded.
    """

    def __init__(
        self,
        modules: Sequence[str],
        submission: Submission,
        runner: SessionRunner,
        *,
        replaceable: Collection[str] = (),
    ) -> None:
        """Check `modules` of `submission` with `runner`; `replaceable` ones have stand-ins."""
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

    def note_loaded(self, session: Session) -> None:
        """Record that the modules of `session` can be loaded."""
        self._loaded.update(session.modules)

    def has_loaded(self, session: Session) -> bool:
        """Return whether all modules of `session` have been loaded before."""
        return self._loaded.issuperset(session.modules)

    def blocking(self, session: Session) -> list[LoadError]:
        """Return the known errors that keep `session` from being run.

        For a session that runs programs only missing ones count: others may run without import.
        """
        if not self._errors:
            return []
        modules = self._missing if session.runs else self._errors
        return self.known(name for name in session.modules if name in modules)

    def known(self, modules: Iterable[str]) -> list[LoadError]:
        """Return the known errors of `modules`."""
        return [self._errors[name] for name in modules if name in self._errors]

    def reasons(self) -> list[Message]:
        """Return the reasons of all known errors, each once."""
        return list(dict.fromkeys(error.reason for error in self.known(self._modules)))

    def load_alone(self, tried: tuple[str, ...] = (), run: SessionRun | None = None) -> None:
        """Load each module by itself and record its error; reuse `run` if it `tried` only one."""
        if self._all_tried:
            return
        self._all_tried = True
        for module in self.submission.parts:
            if module in self._loaded:
                continue
            alone = run if tried == (module,) else None
            alone = alone or self._runner.run((), modules=(module,))
            if not alone.loaded:
                self._errors[module] = self._or_same_death(self._error(module, alone))

    def blocking_all(self) -> list[LoadError]:
        """Return the errors of all modules, after `load_alone`; empty if one can be loaded.

        A module that fails only because of another counts as loadable if that one has a stand-in.
        """
        errors = {name: self._errors.get(name) for name in self._modules}
        for name, error in errors.items():
            if error is None or (error.module in self._replaceable and error.module != name):
                return []
        return self.known(self._modules)

    def explained(self, session: Session, run: SessionRun | None) -> list[LoadError]:
        """Return why `session` could not be loaded; `run` is the attempt, if there was one."""
        if known := self.known(session.modules):
            return known
        assert run is not None, "a session without known errors is run"
        together = None if len(session.modules) > 1 else session.modules[0]
        return [self._error(together, run)]

    def _error(self, loaded: str | None, run: SessionRun) -> LoadError:
        """Return why the module `loaded` failed in `run`; None means several together.

        The cause may be a module that it imports: one that does not compile, is missing, or fails
        itself.
        """
        submission, observation = self.submission, run.imported.observation
        outcome, errors = observation.outcome, self._runner.compile_errors
        raised = outcome if isinstance(outcome, Raised) else None
        for module, imported_by in submission.parts.items():
            # The module may fail because it imports another one that does not compile.
            source, error = submission.modules[imported_by], errors.get(imported_by)
            if error is not None and (module == loaded or _is_compile_error(raised, error, source)):
                reason = _compile_failure(source, error)
                return LoadError(module=module, file=one_line(source.name), reason=reason)
        if raised is not None:
            for module in self._missing:
                # It imports a module of the exercise that was not handed in.
                if raised.message.startswith(f"No module named {module!r}"):
                    return self._errors[module]
            loaded = _innermost_module(raised, submission) or loaded
        parts = submission.parts.values() if loaded is None else [submission.parts[loaded]]
        file = ", ".join(one_line(submission.modules[alias].name) for alias in parts)
        return LoadError(
            module=_module_lacking_name(raised, submission) or loaded,
            file=file,
            reason=_import_failure(file, submission, observation),
            died=outcome if isinstance(outcome, Died) else None,
        )

    def _or_same_death(self, error: LoadError) -> LoadError:
        """Return `error`, or that of an earlier module with which the executor died the same way.

        A dead executor leaves no traceback. Modules build on earlier ones, so the earliest is
        the likely culprit.
        """
        if error.died is None:
            return error
        for earlier in self._errors.values():
            if earlier.died is not None and earlier.died.verdict is error.died.verdict:
                return earlier
        return error


def _module_lacking_name(raised: Raised | None, submission: Submission) -> str | None:
    """Return the module of `submission` that lacks a name that another imports from it."""
    match = _NAME_NOT_IN.match(raised.message) if raised else None
    parts = submission.parts.items()
    return next((name for name, alias in parts if match and match[1] == alias), None)


def _compile_failure(source: SourceFile, error: CompileError) -> Message:
    """Return the message for a student whose file `source` does not compile."""
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
    """Return the verdict on a failed import."""
    outcome = observation.outcome
    if observation.overflowed:
        return Verdict.OUTPUT
    if isinstance(outcome, Raised):
        return unexpected(outcome, None).verdict
    assert isinstance(outcome, Died), "an import that returned and did not print too much succeeded"
    return outcome.verdict


def _import_failure(file: str, submission: Submission, observation: Observation) -> Message:
    """Return the message for a student whose `file` fails while it is loaded."""
    raised = observation.outcome
    key = f"loading.{_verdict(observation).value.lower()}"
    if isinstance(raised, Died):
        return message(key, file=file, message=one_line(raised.evidence))
    if not isinstance(raised, Raised):
        return message(key, file=file)
    type_name = raised.type_names[0]
    if type_name == "EOFError":
        key = "loading.input"
    elif type_name in SYNTAX_ERRORS:
        is_cell = raised.frames and raised.frames[-1].file.endswith(NOTEBOOK)
        key = "ungradable.syntax" if is_cell else "loading.helper"
    line = source_line(submission, _shown_frame(raised.frames)) if raised.frames else None
    if key == "loading.forbidden" and line is not None:
        key = "loading.not_allowed"
    return message(
        key,
        file=file,
        type=one_line(type_name),
        message=one_line(raised.message),
        module=one_line(raised.module),
        text=one_line(line.text.strip(), _SHOWN_CHARS) if line else "",
        **({"line": 0} if line is None else _line_in(submission, line)),
    )


def _shown_frame(frames: Sequence[Frame]) -> Frame:
    """Return the frame to show: the notebook cell that was run, else the innermost frame."""
    cells = (f for f in frames if f.file.endswith(NOTEBOOK) and f.function == _MODULE_LEVEL)
    return next(cells, frames[-1])


def _line_in(submission: Submission, line: SourceLine) -> dict[str, int]:
    """Return the number of `line`, and its place in a notebook cell."""
    texts = {one_line(file.name): file.text for file in submission.modules.values()}
    return {"line": line.line, **cell_at(line.file, texts.get(line.file, ""), line.line)}


def _is_compile_error(raised: Raised | None, error: CompileError, source: SourceFile) -> bool:
    """Return whether `raised` is the compile `error` of `source`."""
    if raised is None or raised.type_names[0] != error.type_name:
        return False
    ending = f"({PurePosixPath(source.name).name}, line {error.line})"  # the end of str(error)
    has_place = error.line is None or raised.message.endswith(ending)
    return has_place and error.message in raised.message


def _innermost_module(raised: Raised, submission: Submission) -> str | None:
    """Return the module of the exercise in the innermost frame that has one."""
    by_file = {submission.modules[alias].name: name for name, alias in submission.parts.items()}
    modules = (by_file.get(frame.file) for frame in reversed(raised.frames))
    return next((module for module in modules if module is not None), None)


def missing_names(wanted: Collection[str], defined: Collection[str]) -> Mapping[str, str]:
    """Return each undefined name in `wanted` with a similar defined name, or ""."""
    by_folded = {_folded(name): name for name in sorted(defined)}  # a set has no order
    near = {}
    for name in wanted:
        if name not in defined:
            close = get_close_matches(_folded(name), by_folded, n=1, cutoff=_NEAR)
            near[name] = one_line(by_folded[close[0]]) if close else ""
    return near


def _folded(name: str) -> str:
    return name.casefold().replace("_", "")


def nothing_defined(missing: Mapping[str, str], submission: Submission) -> Message:
    """Return the message for a student whose file defines none of the required names."""
    similar = ", ".join(name for name in missing.values() if name)
    key = "ungradable.names_near" if similar else "ungradable.names"
    (source, *_) = (submission.modules[alias] for alias in submission.parts.values())
    classes = {class_with(source.text, name) for name in missing}
    if len(classes) == 1 and (class_name := classes.pop()):
        return message("ungradable.names_in_class", names=", ".join(missing), named=class_name)
    return message(key, names=", ".join(missing), near=similar)


def source_line(submission: Submission, frame: Frame) -> SourceLine:
    """Return the line of code at `frame`."""
    texts = {file.name: file.text for file in submission.modules.values()}
    return SourceLine(
        file=one_line(frame.file),
        line=frame.line,
        function=one_line(frame.function),
        text=shown_line(texts.get(frame.file, ""), frame.line),
    )


def shown_line(text: str, number: int) -> str:
    """Return line `number` of source code, safe to show; "" beyond the last line."""
    return shown_text(line_of(text, number), 300)


def missing_in(
    suite: Suite, submission: Submission, session: Session, run: SessionRun
) -> Mapping[str, Message]:
    """Return the names that the modules of `session` lack, each with a message for its callers.

    A helper that cannot take as many arguments as the suite passes is another function of that
    name, and counts as missing.
    """
    wanted = (*suite.defines, *suite.helpers)
    missing: dict[str, Message] = {}
    if not run.loaded or session.runs:  # programs are not imported, so their names are unknown
        return missing
    for module in session.modules:
        prefix = suite.prefix(module)
        defined = _names_in(prefix, run.imported.defined)
        for short, near in missing_names(_names_in(prefix, wanted), defined).items():
            name = f"{prefix}{short}"
            missing[name] = message("skipped.name", name=name, near="")
            if near:
                missing[name] = message("skipped.name_near", name=name, near=f"{prefix}{near}")
            elif named := class_with(_source_of(submission, module), short):
                missing[name] = message("skipped.name_in_class", name=name, named=named)
            elif place := _place_of_stop(submission, module, short, run.imported.stops):
                missing[name] = message("skipped.name_stopped", name=name, **place)
    for name in _uncallable_helpers(suite, run.imported.takes):
        missing[name] = message("skipped.name_other", name=name)
    return missing


def _source_of(submission: Submission, module: str) -> str:
    source = submission.modules.get(submission.parts.get(module, ""))
    return "" if source is None else source.text


def _place_of_stop(
    submission: Submission, module: str, name: str, stops: Collection[Stop]
) -> dict[str, str | int] | None:
    """Return where `module` stopped before the definition of `name`, if it did."""
    source = submission.modules.get(submission.parts.get(module, ""))
    if source is None or not stops:
        return None
    definition = re.compile(rf"[ \t]*(?:(?:async )?def |class )?{re.escape(name)}\b")
    lines = enumerate(source.text.split("\n"), 1)
    defined = next((number for number, line in lines if definition.match(line)), 0)
    before = [each.line for each in stops if each.file == source.name and each.line <= defined]
    return place_in(source, max(before)) if before else None


def _uncallable_helpers(suite: Suite, takes: Mapping[str, range]) -> Iterator[str]:
    """Yield the helpers that take none of the argument counts that the suite passes."""
    helpers = [name for name in suite.helpers if name in takes]
    calls = frozenset[tuple[str, int]]().union(*map(calls_in, suite.sessions if helpers else ()))
    for name in helpers:
        given = {count for called, count in calls if called == name}
        if given and given.isdisjoint(takes[name]):
            yield name


def _names_in(prefix: str, names: Iterable[str]) -> list[str]:
    """Return the `names` that start with `prefix`, without it."""
    return [name.removeprefix(prefix) for name in names if name.startswith(prefix)]


def place_in(source: SourceFile, line: int) -> dict[str, str | int]:
    """Return the message parameters for `line` of `source`, with its notebook cell."""
    cell = cell_at(source.name, source.text, line)
    return {"file": one_line(source.name), "line": line, **cell}
