"""Reads the reference, and the solutions beside it: right in another way, or wrong on purpose.

A folder such as `reference/1010/faulty` holds them in either of two forms. A whole solution is a
file, or a folder with a file for each module. One that differs in a few lines from the reference,
or from a whole solution, is an entry in a file called `*.edits.yaml`.

    module: Board          # where there are several; else the only one
    of: bit_mask           # optional: the whole solution that is edited, in `correct` or beside
    head: |                # optional: what comes before all that, with the reason of each
      # {why}
      # loses: {loses}
    common:                # optional: what all of them change first, which is not yet wrong
      why: Without the bound on the score, which would hide these mistakes.
      edits: [...]
    solutions:
      get_all_filled_columns-are-ascending:
        why: The lowest number comes first.
        loses: columns     # optional: the groups of cases that notice
        edits:
          - in: get_all_filled_columns     # optional: the function or class
            find: columns.append(column)   # whole lines; how far they are indented does not count
            replace: columns.insert(0, column)

Without `find` the definition named by `in` is replaced. The text to find must occur exactly once:
an edit that silently stopped applying would turn a wrong solution into a right one.
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
from grader.sandbox.observation import Observation, Raised
from grader.suite.diagnostics import InvalidSuite, read_source
from grader.suite.document import Document, NodePath
from grader.suite.exercises import REFERENCES
from grader.suite.fields import Form, key
from grader.suite.form_errors import validated
from grader.suite.model import Suite
from grader.suite.reading import read_document
from grader.values.foreign_text import one_line

Sources: TypeAlias = Mapping[str, str]
"""A program: the text of each of its modules, by name."""

_EDITS: Final = ".edits.yaml"
_UNSEEN: Final = "unseen"
"""The folder of wrong solutions that pass all examples of the spec."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """A whole program, with modules of the reference where it has none of its own."""

    name: str
    sources: Sources

    @property
    def is_unseen(self) -> bool:
        """Whether it is wrong, but passes all examples of the spec."""
        return self.name.startswith(f"{_UNSEEN}/")


def solutions(folder: Path, reference: Sources) -> list[Solution]:
    """Return the solutions in `folder`, and in its folder `unseen`, ordered by name.

    `reference` has the text of each module that is handed in, by name. Raises `InvalidSuite` for
    malformed edits, and for edits that do not apply.
    """
    found = [
        Solution(name=name, sources={**reference, **sources})
        for place in (folder, folder / _UNSEEN)
        for path in place.glob("*")
        for stem, sources in _solutions_at(path, reference)
        if (name := path.with_name(stem).relative_to(folder).as_posix())
    ]
    # By folder first: as a text, `unseen-x` would come before `unseen/a`.
    return sorted(found, key=lambda solution: solution.name.split("/"))


def submission_of(suite: Suite, sources: Sources, student: str) -> Submission:
    """Return a submission of `sources`, texts by module name."""
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
    if path.name.endswith(_EDITS):
        yield from _edited(path, reference)
    elif written := _whole(path, reference):
        yield path.stem if path.suffix == ".py" else path.name, written


def _whole(path: Path, reference: Sources) -> Sources:
    """Return the sources in a file, or in a folder with a file for each module; may be empty."""
    if path.suffix == ".py":
        # A single file is for the only module, or the first.
        files = {next(iter(reference)): path}
    else:
        files = {module: path / f"{module}.py" for module in reference}
    return {
        module: decode_source(file.read_bytes(), file.name).text
        for module, file in files.items()
        if file.is_file()
    }


class _Edit(Form):
    called = "an edit"

    definition: str = key("", default="", alias="in")
    find: str = ""
    replace: str


class _Change(Form):
    called = "a change"

    why: str
    loses: str = ""
    edits: list[_Edit]


class _Changes(Form):
    called = "a file of edits"

    module: str = ""
    of: str = ""
    head: str = ""
    common: _Change | None = None
    solutions: dict[str, _Change]


def _edited(path: Path, reference: Sources) -> Iterator[tuple[str, Sources]]:
    document = read_document(read_source(path.read_bytes(), str(path)))
    changes = validated(document, _Changes)
    sources = _edited_solution(changes.of, path, reference, document)
    module = changes.module or next(iter(reference))
    if module not in sources:
        raise _refused(document, ("module",), f"there is no module {one_line(module)}")
    base = sources[module]
    if changes.common:
        base = _with_edits(base, changes.common.edits, document, ("common",))
    for name, change in changes.solutions.items():
        head = changes.head.replace("{why}", change.why).replace("{loses}", change.loses)
        text = _with_edits(base, change.edits, document, ("solutions", name))
        yield name, {**sources, module: head + text}


def _edited_solution(name: str, path: Path, reference: Sources, document: Document) -> Sources:
    """Return the program to edit: the whole solution called `name`, or the reference."""
    if not name:
        return reference
    folder = path.parent.parent if path.parent.name == _UNSEEN else path.parent
    places = (folder.parent / "correct", folder)
    for whole in (place / file for place in places for file in (f"{name}.py", name)):
        if written := _whole(whole, reference):
            return {**reference, **written}
    where = " or ".join(one_line(str(place)) for place in places)
    raise _refused(document, ("of",), f"there is no solution {one_line(name)} in {where}")


def _with_edits(
    source: str, edits: Sequence[_Edit], document: Document, keys: tuple[str, ...]
) -> str:
    for index, edit in enumerate(edits):
        try:
            source = _with_edit(source, edit)
        except ValueError as error:
            why = f"{one_line(keys[-1])}: {error}"
            raise _refused(document, (*keys, "edits", index), why) from error
    return source


def _refused(document: Document, path: NodePath, why: str) -> InvalidSuite:
    source = document.source
    return InvalidSuite(source.name, [source.diagnostic(document.node(path).place, why)])


def _with_edit(source: str, edit: _Edit) -> str:
    """Return `source` with this edit. Raises `ValueError` unless it applies exactly once."""
    lines = source.splitlines()
    first, end = _definition(source, edit.definition) if edit.definition else (0, len(lines))
    new = edit.replace.splitlines()
    if wanted := edit.find.splitlines():
        places = [at for at in range(first, end) if _stand_at(wanted, lines[at:end])]
        if len(places) != 1:
            raise ValueError(f"what is to be found is there {len(places)} times, not once")
        first, end = places[0], places[0] + len(wanted)
        new = [_margin(lines[first]) + line if line else "" for line in new]
    elif not edit.definition:
        raise ValueError("an edit needs `find`, or `in`, or both")
    return "\n".join([*lines[:first], *new, *lines[end:], ""])


def _stand_at(wanted: Sequence[str], lines: Sequence[str]) -> bool:
    """Return whether `lines` begin with the `wanted` ones, at any common indentation."""
    margin = _margin(lines[0])
    return [margin + line if line else "" for line in wanted] == list(lines[: len(wanted)])


def _margin(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _definition(source: str, name: str) -> tuple[int, int]:
    """Return the range of lines, as start and end, of a top-level function or class."""
    found = [lines for each, lines in _definitions(source) if each == name]
    if len(found) != 1:
        raise ValueError(f"{name} is defined {len(found)} times, not once")
    return found[0]


@lru_cache(maxsize=8)  # many solutions edit the same text
def _definitions(source: str) -> list[tuple[str, tuple[int, int]]]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return [
        (node.name, (node.lineno - 1, node.end_lineno or node.lineno))
        for node in ast.parse(source).body
        if isinstance(node, kinds)
    ]


def reference_sha256(folder: Path, suite: Suite) -> str:
    """Return the hash of the reference in `folder`: of the modules that students of `suite` write.

    It includes code that the suite gives. Line ends do not count. Raises `SuiteError` if a module
    is missing.
    """
    sources = {f"{name}.py": _source(folder / f"{name}.py") for name in suite.modules}
    sources.update({f"given {name}": text.encode() for name, text in suite.given.items()})
    sha256 = hashlib.sha256()
    for name, source in sorted(sources.items()):
        # so that text cannot move between files
        sha256.update(hashlib.sha256(f"{name}\n".encode() + source).digest())
    return sha256.hexdigest()


def _source(path: Path) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        message = f"cannot read the reference {one_line(str(path))}: {reason}"
        raise SuiteError(message, help="write a file for each module") from error
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")  # Git may change them


def reference_folder(suite: Suite, path: Path) -> Path:
    """Return the folder of the reference of `suite`, whose file is at `path`.

    It is the folder of the spec that the suite names, by default `reference/<exercise>` beside the
    folder of suites.
    """
    if suite.spec is not None and (spec := path.parent / suite.spec).is_file():
        return spec.parent
    return path.resolve().parents[1] / REFERENCES / suite.exercise


def unloadable(observation: Observation) -> str:
    """Return a sentence on why the reference cannot be loaded."""
    outcome = observation.outcome
    why = exception_text(outcome) if isinstance(outcome, Raised) else "it ends its program"
    return f"the reference cannot be loaded: {why}"
