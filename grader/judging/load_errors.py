"""Says in plain words why modules of a submission cannot be loaded, or lack what is asked."""

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
"""How alike a defined name must be to be offered as the one that was meant."""
_SHOWN_CHARS: Final = 120
_PYTHON_2: Final = re.compile(
    r"""^\s*(print\s+[^=(\s] | exec\s+["'\w] | raise\s+[\w.]+\s*, | except\s+[\w.]+\s*,\s*\w+\s*:)
      | <> | `\w+`""",
    re.VERBOSE,
)
"""Lines that are valid in Python 2 and not in Python 3."""
_NOT_IN: Final = re.compile(r"cannot import name '\w+' from '([^']+)'")
"""What Python says where a module lacks a name."""
_TOO_MUCH: Final = frozenset({"MemoryError", "RecursionError", "OverflowError"})
_TOP: Final = "<module>"
"""What Python calls the frame of a module."""
SYNTAX_ERRORS: Final = frozenset({"SyntaxError", "IndentationError", "TabError"})


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadError:
    """Why a module of the exercise cannot be loaded."""

    module: str | None
    """The module in which it lies, which need not be the one that was loaded; None when it cannot
    be told."""
    file: str
    """The file in which it lies, by its name."""
    reason: Message
    died: Died | None = None
    """How the executor died of it, if it did."""


class LoadErrors:
    """Why modules of a submission cannot be loaded.

    Those that are missing are known beforehand; the others are looked for when a session could not
    be loaded.
    """

    def __init__(
        self,
        modules: Sequence[str],
        submission: Submission,
        runner: SessionRunner,
        *,
        replaceable: Collection[str] = (),
    ) -> None:
        """Look at these `modules` in `submission`, with `runner`; some are `replaceable`."""
        self._modules: Final = modules
        self._replaceable: Final = replaceable
        self.submission: Final = submission
        self._runner: Final = runner
        self._missing: Final = [name for name in modules if name not in submission.parts]
        self._of: Final = {
            name: LoadError(
                module=name,
                file=f"{name}.py",
                reason=message("loading.missing", file=f"{name}.py"),
            )
            for name in self._missing
        }
        self._loaded: Final[set[str]] = set()
        self._looked = False

    def note_loaded(self, session: Session) -> None:
        """Take note that the modules of `session` have been loaded, as they can be."""
        self._loaded.update(session.modules)

    def loads(self, session: Session) -> bool:
        """Return whether all modules of `session` have been loaded before."""
        return self._loaded.issuperset(session.modules)

    def keeping(self, session: Session) -> list[LoadError]:
        """Return what is known to keep `session` from being run.

        One that runs programs imports none of them: what breaks down then may run all the same.
        """
        if not self._of:
            return []
        modules = self._missing if session.runs else self._of
        return self.among(name for name in session.modules if name in modules)

    def among(self, modules: Iterable[str]) -> list[LoadError]:
        """Return what is known to keep `modules` from being loaded."""
        return [self._of[name] for name in modules if name in self._of]

    def reasons(self) -> list[Message]:
        """Return all that is known to keep modules from being loaded, each reason once."""
        return list(dict.fromkeys(error.reason for error in self.among(self._modules)))

    def look(self, tried: tuple[str, ...] = (), run: SessionRun | None = None) -> None:
        """Load each module by itself, once, as those that were `tried` could not be in `run`."""
        if self._looked:
            return
        self._looked = True
        for module in self.submission.parts:
            if module in self._loaded:
                continue
            alone = run if tried == (module,) else None
            alone = alone or self._runner.run((), modules=(module,))
            if not alone.loaded:
                self._of[module] = self._same_death(self._error(module, alone))

    def everywhere(self) -> list[LoadError]:
        """Return the errors of all modules, after a look at each; none if one can be loaded.

        One that cannot be because of another can, if that one has a stand-in.
        """
        errors = {name: self._of.get(name) for name in self._modules}
        for name, error in errors.items():
            if error is None or (error.module in self._replaceable and error.module != name):
                return []
        return self.among(self._modules)

    def of(self, session: Session, run: SessionRun | None) -> list[LoadError]:
        """Return why `session` could not be loaded, in `run` if it was tried."""
        if known := self.among(session.modules):
            return known
        assert run is not None, "a session is left out only for an error"
        together = None if len(session.modules) > 1 else session.modules[0]
        return [self._error(together, run)]

    def _error(self, loaded: str | None, run: SessionRun) -> LoadError:
        """Return why the module `loaded` cannot be, or several together when it is None.

        The cause may lie in a module that it imports: one that does not compile, one that is
        missing, or one that breaks down itself.
        """
        submission, observation = self.submission, run.imported.observation
        outcome, errors = observation.outcome, self._runner.compile_errors
        raised = outcome if isinstance(outcome, Raised) else None
        for module, imported_by in submission.parts.items():
            source, error = submission.modules[imported_by], errors.get(imported_by)
            if error is not None and (module == loaded or _is_of(raised, error, source)):
                reason = _compile_failure(source, error)
                return LoadError(module=module, file=one_line(source.name), reason=reason)
        if raised is not None:
            for module in self._missing:
                if raised.message.startswith(f"No module named {module!r}"):
                    return self._of[module]
            loaded = _innermost(raised, submission) or loaded
        parts = submission.parts.values() if loaded is None else [submission.parts[loaded]]
        file = ", ".join(one_line(submission.modules[by].name) for by in parts)
        return LoadError(
            module=_lacking_a_name(raised, submission) or loaded,
            file=file,
            reason=_import_failure(file, submission, observation),
            died=outcome if isinstance(outcome, Died) else None,
        )

    def _same_death(self, error: LoadError) -> LoadError:
        """Return `error`, or that of an earlier module which the executor died of likewise.

        A dead executor does not say where it was. Modules build on the earlier ones, so these are
        the likely place.
        """
        if error.died is None:
            return error
        for earlier in self._of.values():
            if earlier.died is not None and earlier.died.verdict is error.died.verdict:
                return earlier
        return error


def _lacking_a_name(raised: Raised | None, submission: Submission) -> str | None:
    """Return the module of `submission` that lacks the name which another imports from it."""
    found = _NOT_IN.match(raised.message) if raised else None
    return next((name for name, by in submission.parts.items() if found and found[1] == by), None)


def _compile_failure(source: SourceFile, error: CompileError) -> Message:
    """Return what to tell a student whose file `source` does not compile."""
    line = error.line or 0
    text = line_of(source.text, line)
    key = "ungradable.syntax" if line else "ungradable.source"
    if error.type_name in _TOO_MUCH:
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
    """Return how an import came to its end that did not go well."""
    ended = observation.outcome
    if observation.overflowed:
        return Verdict.OUTPUT
    if isinstance(ended, Raised):
        return unexpected(ended, None).verdict
    assert isinstance(ended, Died), "what returned, and did not print too much, went well"
    return ended.verdict


def _import_failure(file: str, submission: Submission, observation: Observation) -> Message:
    """Return what to tell a student whose `file` breaks down while it is loaded."""
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
    line = source_line(submission, _told(raised.frames)) if raised.frames else None
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


def _told(frames: Sequence[Frame]) -> Frame:
    """Return the frame that is told: the cell of a notebook that was run, else the innermost."""
    cells = (each for each in frames if each.file.endswith(NOTEBOOK) and each.function == _TOP)
    return next(cells, frames[-1])


def _line_in(submission: Submission, line: SourceLine) -> dict[str, int]:
    """Return the number of `line`, and its place in the cell of a notebook."""
    texts = {one_line(file.name): file.text for file in submission.modules.values()}
    return {"line": line.line, **cell_at(line.file, texts.get(line.file, ""), line.line)}


def _is_of(raised: Raised | None, error: CompileError, source: SourceFile) -> bool:
    """Return whether what was `raised` is the `error` that `source` does not compile with."""
    if raised is None or raised.type_names[0] != error.type_name:
        return False
    place = f"({PurePosixPath(source.name).name}, line {error.line})"
    is_there = error.line is None or raised.message.endswith(place)
    return is_there and error.message in raised.message


def _innermost(raised: Raised, submission: Submission) -> str | None:
    """Return the innermost module of the exercise that was active."""
    by_file = {submission.modules[by].name: name for name, by in submission.parts.items()}
    modules = (by_file.get(frame.file) for frame in reversed(raised.frames))
    return next((module for module in modules if module is not None), None)


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


def nothing_defined(missing: Mapping[str, str], submission: Submission) -> Message:
    """Return what to tell a student whose file defines none of the names that are asked."""
    near = ", ".join(name for name in missing.values() if name)
    key = "ungradable.names_near" if near else "ungradable.names"
    (source, *_) = (submission.modules[by] for by in submission.parts.values())
    classes = {class_with(source.text, name) for name in missing}
    if len(classes) == 1 and (named := classes.pop()):
        return message("ungradable.names_in_class", names=", ".join(missing), named=named)
    return message(key, names=", ".join(missing), near=near)


def source_line(submission: Submission, frame: Frame) -> SourceLine:
    """Return the line of the submission that `frame` was at."""
    texts = {file.name: file.text for file in submission.modules.values()}
    return SourceLine(
        file=one_line(frame.file),
        line=frame.line,
        function=one_line(frame.function),
        text=shown_line(texts.get(frame.file, ""), frame.line),
    )


def shown_line(text: str, number: int) -> str:
    """Return line `number` of source code as it can be shown; nothing beyond the last one."""
    return shown_text(line_of(text, number), 300)


def missing_in(
    suite: Suite, submission: Submission, session: Session, run: SessionRun
) -> Mapping[str, Message]:
    """Return the names that the modules of `session` lack, each with what to tell who needs it.

    A helper that takes no such arguments as the suite gives it is something else of that name, and
    lacks as well.
    """
    wanted = (*suite.defines, *suite.helpers)
    missing: dict[str, Message] = {}
    if not run.loaded or session.runs:  # of a program nobody knows what it defines
        return missing
    for module in session.modules:
        prefix = suite.prefix(module)
        asked, there = _inside(prefix, wanted), _inside(prefix, run.imported.defined)
        for short, near in missing_names(asked, there).items():
            name = f"{prefix}{short}"
            missing[name] = message("skipped.name", name=name, near="")
            if near:
                missing[name] = message("skipped.name_near", name=name, near=f"{prefix}{near}")
            elif named := class_with(_source_of(submission, module), short):
                missing[name] = message("skipped.name_in_class", name=name, named=named)
            elif place := _left_out(submission, module, short, run.imported.stops):
                missing[name] = message("skipped.name_stopped", name=name, **place)
    for name in _something_else(suite, run.imported.takes):
        missing[name] = message("skipped.name_other", name=name)
    return missing


def _source_of(submission: Submission, module: str) -> str:
    source = submission.modules.get(submission.parts.get(module, ""))
    return "" if source is None else source.text


def _left_out(
    submission: Submission, module: str, name: str, stops: Collection[Stop]
) -> dict[str, str | int] | None:
    """Return where `module` has stopped before it came to what defines `name`, if it has."""
    source = submission.modules.get(submission.parts.get(module, ""))
    if source is None or not stops:
        return None
    definition = re.compile(rf"[ \t]*(?:(?:async )?def |class )?{re.escape(name)}\b")
    lines = enumerate(source.text.split("\n"), 1)
    defined = next((number for number, line in lines if definition.match(line)), 0)
    before = [each.line for each in stops if each.file == source.name and each.line <= defined]
    return place_in(source, max(before)) if before else None


def _something_else(suite: Suite, takes: Mapping[str, range]) -> Iterator[str]:
    """Yield the helpers that take no arguments as the suite gives them, as far as that is known."""
    helpers = [name for name in suite.helpers if name in takes]
    calls = frozenset[tuple[str, int]]().union(*map(calls_in, suite.sessions if helpers else ()))
    for name in helpers:
        given = {count for called, count in calls if called == name}
        if given and given.isdisjoint(takes[name]):
            yield name


def _inside(prefix: str, names: Iterable[str]) -> list[str]:
    """Return what comes after `prefix` in those of `names` that start with it."""
    return [name.removeprefix(prefix) for name in names if name.startswith(prefix)]


def place_in(source: SourceFile, line: int) -> dict[str, str | int]:
    """Return where `line` of `source` is, with its cell in a notebook."""
    cell = cell_at(source.name, source.text, line)
    return {"file": one_line(source.name), "line": line, **cell}
