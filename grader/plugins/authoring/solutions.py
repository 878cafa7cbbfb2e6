"""Reads the reference and the solutions beside it, which are right or deliberately wrong.

A folder such as `reference/1010/faulty` contains solutions in two forms. A whole solution is a
file, or a folder with a file for each module. A solution that differs in a few lines from the
reference, or from a whole solution, is an entry in a file called `*.edits.yaml`.

    module: Board          # required if there are several modules
    of: bit_mask           # optional: the whole solution to edit, in `correct` or this folder
    head: |                # optional: text to put first, filled in for each solution
      # {why}
      # loses: {loses}
    common:                # optional: harmless edits, applied first in each of the solutions
      why: Without the bound on the score, which would hide these mistakes.
      edits: [...]
    solutions:
      get_all_filled_columns-are-ascending:
        why: The lowest number comes first.
        loses: columns     # optional: the groups that it should fail
        edits:
          - in: get_all_filled_columns     # optional: the function or class
            find: columns.append(column)   # whole lines; their indentation does not matter
            replace: columns.insert(0, column)

Without `find`, the definition that `in` names is replaced. The text in `find` must occur exactly
once: an edit that silently stopped applying would turn a wrong solution into a right one.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final, TypeAlias

from grader.errors import SuiteError
from grader.intake.submission import SourceFile, Submission, decode_source
from grader.judging.printing import exception_text
from grader.sandbox.observation import Died, Observation, Raised
from grader.suite.diagnostics import InvalidSuite, read_source
from grader.suite.document import Document, NodePath
from grader.suite.exercises import REFERENCES
from grader.suite.fields import Form, key
from grader.suite.form_errors import validate_document
from grader.suite.model import Suite
from grader.suite.reading import read_document
from grader.values.foreign_text import one_line
from grader.verdict import Verdict

Sources: TypeAlias = Mapping[str, str]
"""A program: the text of each of its modules, keyed by module name."""

_FAILURES: Final = {
    Verdict.WRONG: "it gives another result",
    Verdict.ERROR: "it raises an unexpected exception",
    Verdict.TIMED_OUT: "it takes too long",
    Verdict.MEMORY: "it uses too much memory",
    Verdict.OUTPUT: "it prints too much",
    Verdict.CRASHED: "it crashes Python",
    Verdict.EXITED: "it ends the program",
    Verdict.FORBIDDEN: "it does something that the sandbox does not allow",
    Verdict.TAMPERED: "it writes to the channel of the grader",
    Verdict.SKIPPED: "an earlier step that the case depends on fails",
    Verdict.NOT_RUN: "earlier cases use up the time of the submission",
    Verdict.FAULT: "the grader itself failed",
}
"""How the reference fails, as a clause, by verdict."""
_EDITS: Final = ".edits.yaml"
_EDIT_ADVICE: Final = (
    "an edit must apply at exactly one place: copy whole lines into `find`, and name the top-level"
    " function or class that contains them in `in`"
)
_UNSEEN: Final = "unseen"
"""The folder of wrong solutions that pass all examples of the spec."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """A complete program. Modules that it does not define come from the reference."""

    name: str
    sources: Sources

    @property
    def is_unseen(self) -> bool:
        """Whether the solution is wrong but passes all examples of the spec."""
        return self.name.startswith(f"{_UNSEEN}/")


def read_solutions(folder: Path, reference: Sources) -> list[Solution]:
    """Return the solutions in `folder` and in its subfolder `unseen`, ordered by name.

    `reference` has the modules that students hand in. Raises `InvalidSuite` for malformed edits and
    for edits that do not apply.
    """
    result = [
        Solution(name=name, sources={**reference, **sources})
        for subfolder in (folder, folder / _UNSEEN)
        for path in subfolder.glob("*")
        for stem, sources in _solutions_at(path, reference)
        if (name := path.with_name(stem).relative_to(folder).as_posix())
    ]
    # By folder first: compared as strings, `unseen-x` would come before `unseen/a`.
    return sorted(result, key=lambda solution: solution.name.split("/"))


def submission_of(suite: Suite, sources: Sources, student: str) -> Submission:
    """Return a submission by `student` for `suite`, with the modules in `sources`."""
    files = {
        name: SourceFile(name=f"{name.replace('.', '/')}.py", text=text, encoding="utf-8")
        for name, text in sources.items()
    }
    return Submission(
        student=student,
        modules=files,
        data={},
        raw={file.name: file.text.encode() for file in files.values()},
        parts={name: name for name in suite.modules if name in files},
    )


def _solutions_at(path: Path, reference: Sources) -> Iterator[tuple[str, Sources]]:
    """Yield the name and the sources of each solution that the file or folder `path` defines."""
    if path.name.endswith(_EDITS):
        yield from _read_edited_solutions(path, reference)
    elif sources := _read_solution(path, reference):
        yield path.stem if path.suffix == ".py" else path.name, sources


def _read_solution(path: Path, reference: Sources) -> Sources:
    """Return the module sources in the file or folder `path`, keyed by module name.

    Modules without a file are missing from the result, which can be empty.
    """
    if path.suffix == ".py":
        # A single file replaces the first module, usually the only one.
        files = {next(iter(reference)): path}
    else:
        files = {module: path / f"{module}.py" for module in reference}
    return {
        module: decode_source(file.read_bytes(), file.name).text
        for module, file in files.items()
        if file.is_file()
    }


class _Edit(Form):
    form_name = "an edit"

    definition: str = key("", default="", alias="in")
    find: str = ""
    replace: str


class _Change(Form):
    form_name = "a change"

    why: str
    loses: str = ""
    edits: list[_Edit]


class _Changes(Form):
    form_name = "a file of edits"

    module: str = ""
    of: str = ""
    head: str = ""
    common: _Change | None = None
    solutions: dict[str, _Change]


def _read_edited_solutions(path: Path, reference: Sources) -> Iterator[tuple[str, Sources]]:
    """Yield the name and the sources of each solution in the file of edits at `path`.

    Raises `InvalidSuite` if the file is malformed, or if one of its edits does not apply.
    """
    document = read_document(read_source(path.read_bytes(), str(path)))
    changes = validate_document(document, _Changes)
    sources = _base_solution(changes.of, path, reference, document)
    module = changes.module or next(iter(reference))
    if module not in sources:
        advice = f"write one of the modules of the exercise: {', '.join(sources)}"
        raise _invalid_edit(document, ("module",), f"unknown module: {one_line(module)}", advice)
    base = sources[module]
    if changes.common:
        base = _apply_edits(base, changes.common.edits, document, ("common",))
    for name, change in changes.solutions.items():
        head = changes.head.replace("{why}", change.why).replace("{loses}", change.loses)
        text = _apply_edits(base, change.edits, document, ("solutions", name))
        yield name, {**sources, module: head + text}


def _base_solution(name: str, path: Path, reference: Sources, document: Document) -> Sources:
    """Return the program to edit: the whole solution `name`, or the reference if `name` is empty.

    The solution is looked up in the folder `correct` and in the folder of the file of edits at
    `path`. Raises `InvalidSuite` if there is no such solution.
    """
    if not name:
        return reference
    folder = path.parent.parent if path.parent.name == _UNSEEN else path.parent
    folders = (folder.parent / "correct", folder)
    for candidate in (
        candidate_folder / file for candidate_folder in folders for file in (f"{name}.py", name)
    ):
        if sources := _read_solution(candidate, reference):
            return {**reference, **sources}
    folder_names = " or ".join(one_line(str(candidate_folder)) for candidate_folder in folders)
    raise _invalid_edit(
        document,
        ("of",),
        f"no solution in {folder_names} has this name: {one_line(name)}",
        "correct the name, or remove the key `of` to edit the reference",
    )


def _apply_edits(
    source: str, edits: Sequence[_Edit], document: Document, keys: tuple[str, ...]
) -> str:
    """Return `source` with all `edits` applied in order.

    `keys` is the path of the edits in `document`, without the key `edits`. Raises `InvalidSuite` if
    an edit does not apply, with the position of the first such edit.
    """
    for index, edit in enumerate(edits):
        try:
            source = _apply_edit(source, edit)
        except ValueError as error:
            message = f"{one_line(keys[-1])}: {error}"
            raise _invalid_edit(document, (*keys, "edits", index), message, _EDIT_ADVICE) from error
    return source


def _invalid_edit(document: Document, path: NodePath, message: str, advice: str) -> InvalidSuite:
    """Return the error that reports `message`, with `advice`, about the value at `path`."""
    source, position = document.source, document.node(path).position
    return InvalidSuite(source.name, [source.diagnostic(position, message, advice)])


def _apply_edit(source: str, edit: _Edit) -> str:
    """Return `source` with `edit` applied.

    Without the key `find`, the whole definition is replaced. Otherwise, the new text gets the
    indentation of the text that it replaces. Raises `ValueError` unless the edit applies exactly
    once.
    """
    lines = source.splitlines()
    start, end = _definition_range(source, edit.definition) if edit.definition else (0, len(lines))
    new_lines = edit.replace.splitlines()
    if find_lines := edit.find.splitlines():
        starts = [
            index for index in range(start, end) if _starts_with(find_lines, lines[index:end])
        ]
        if len(starts) != 1:
            raise ValueError(
                f"the text in `find` occurs {len(starts)} times instead of once"
                f"{f' in {one_line(edit.definition)}' if edit.definition else ''}"
            )
        start, end = starts[0], starts[0] + len(find_lines)
        new_lines = [_leading_whitespace(lines[start]) + line if line else "" for line in new_lines]
    elif not edit.definition:
        raise ValueError("an edit needs the key `find`, `in` or both")
    return "\n".join([*lines[:start], *new_lines, *lines[end:], ""])


def _starts_with(expected: Sequence[str], lines: Sequence[str]) -> bool:
    """Return whether `lines` start with `expected`, indented like the first of `lines`.

    `lines` must not be empty.
    """
    indentation = _leading_whitespace(lines[0])
    return [indentation + line if line else "" for line in expected] == list(lines[: len(expected)])


def _leading_whitespace(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _definition_range(source: str, name: str) -> tuple[int, int]:
    """Return the line range of the top-level function or class `name`.

    The range is the index of the first line and the index after the last one. Raises `ValueError`
    unless `name` is defined exactly once.
    """
    ranges = [lines for defined_name, lines in _definition_ranges(source) if defined_name == name]
    if len(ranges) != 1:
        raise ValueError(f"{one_line(name)} is defined {len(ranges)} times instead of once")
    return ranges[0]


@lru_cache(maxsize=8)  # many solutions edit the same source
def _definition_ranges(source: str) -> list[tuple[str, tuple[int, int]]]:
    """Return the name and the line range of each top-level function and class in `source`.

    Decorators are not part of the range, so edits keep them.
    """
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return [
        (node.name, (node.lineno - 1, node.end_lineno or node.lineno))
        for node in ast.parse(source).body
        if isinstance(node, kinds)
    ]


def reference_sha256(folder: Path, suite: Suite) -> str:
    """Return a hash of the reference in `folder`, to detect later changes.

    The hash covers the modules that students write for `suite` and the suite's given code. Line
    endings do not matter. Raises `SuiteError` if a module cannot be read.
    """
    sources = {f"{name}.py": _read_reference(folder / f"{name}.py") for name in suite.modules}
    sources.update({f"given {name}": text.encode() for name, text in suite.given.items()})
    sha256 = hashlib.sha256()
    for name, source in sorted(sources.items()):
        # Hash each file separately, so that text moved between files changes the result.
        sha256.update(hashlib.sha256(f"{name}\n".encode() + source).digest())
    return sha256.hexdigest()


def _read_reference(path: Path) -> bytes:
    """Return the content of a reference file with Unix line endings.

    Raises `SuiteError` if it cannot be read.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        message = f"cannot read the reference {one_line(str(path))}: {reason}"
        raise SuiteError(
            message,
            help="write a reference file for each module of the suite, and make it readable",
        ) from error
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")  # Git might convert line endings


def reference_folder(suite: Suite, path: Path) -> Path:
    """Return the folder of the reference for `suite`, whose own file is at `path`.

    The reference is in the folder of the spec that the suite names. If there is no spec, it is in
    `reference/<exercise>` beside the suites folder.
    """
    if suite.spec is not None and (spec := path.parent / suite.spec).is_file():
        return spec.parent
    return path.resolve().parents[1] / REFERENCES / suite.exercise


def failure_text(verdict: Verdict) -> str:
    """Return how the reference fails, as a clause such as `it takes too long`."""
    return _FAILURES[verdict]


def ending_problem(verdict: Verdict) -> tuple[str, str]:
    """Return a message that the reference ends early in an example, and advice on it."""
    is_limit = verdict in {Verdict.TIMED_OUT, Verdict.MEMORY, Verdict.OUTPUT}
    other = "leave the example out"
    if is_limit:
        other = "use a smaller example, or raise `limits` in exercise.yaml"
    return (
        f"the reference fails here: {failure_text(verdict)}",
        f"correct the reference, or {other}",
    )


def loading_failure(observation: Observation) -> str:
    """Return a message that explains why the reference cannot be loaded, from its `observation`."""
    outcome = observation.outcome
    if isinstance(outcome, Died):
        reason = failure_text(outcome.verdict)
    else:
        reason = exception_text(outcome) if isinstance(outcome, Raised) else "it ends the program"
    return f"the reference cannot be loaded: {reason}"
