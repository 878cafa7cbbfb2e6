"""Solutions of ours that lie beside a reference: right in another way, or wrong on purpose.

A folder such as `reference/1010/faulty` holds them in either of two forms. One that was written by
itself is a file, or a folder with a file for each module. One that differs in a few lines from the
reference, or from a right solution in `correct`, says only in which: files called `*.edits.yaml`
hold any number of these.

    module: Board          # where there are several; else the only one
    of: bit_mask           # optional: the right solution in `correct` that is edited
    common:                # optional: what all of them change first, which is not yet wrong
      why: Without the bound on the score, which would hide these mistakes.
      edits: [...]
    solutions:
      get_all_filled_columns-are-ascending:
        why: The lowest number comes first.
        edits:
          - in: get_all_filled_columns     # optional: the function or class
            find: columns.append(column)   # whole lines; how far they are indented does not count
            replace: columns.insert(0, column)

Without `find` the definition named by `in` is replaced. What is to be found must be there exactly
once: an edit that silently stopped to apply would turn a wrong solution into a right one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from grader.errors import SuiteError
from grader.intake.submission import SourceFile, Submission, decode_source
from grader.suite.model import Suite
from grader.values.display import one_line

Sources: TypeAlias = Mapping[str, str]
"""A program: the text of each of its modules, by name."""

_EDITS: Final = ".edits.yaml"
_UNSEEN: Final = "unseen"
"""The folder, among the wrong solutions, of those that no example of the spec shows to be wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """A whole program; modules that it does not write itself are those of the reference."""

    name: str
    sources: Sources


def solutions(folder: Path, reference: Sources) -> list[Solution]:
    """Return the solutions in `folder`, and in its folder `unseen`, ordered by name.

    `reference` has the text of each module that is handed in, by name. Raises `SuiteError` for
    edits that are malformed or do not apply.
    """
    found = [
        Solution(name=name, sources={**reference, **sources})
        for place in (folder, folder / _UNSEEN)
        for path in place.glob("*")
        for stem, sources in _solutions_at(path, reference)
        if (name := path.with_name(stem).relative_to(folder).as_posix())
    ]
    return sorted(found, key=lambda solution: solution.name.split("/"))


def submission_of(suite: Suite, sources: Sources, student: str) -> Submission:
    """Return the hand-in that consists of `sources`, by the name of the module."""
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
    elif path.suffix == ".py":
        yield path.stem, {next(iter(reference)): _text(path)}
    else:
        files = {module: path / f"{module}.py" for module in reference}
        if written := {module: _text(file) for module, file in files.items() if file.is_file()}:
            yield path.name, written


def _text(path: Path) -> str:
    return decode_source(path.read_bytes(), path.name).text


class _Form(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class _Edit(_Form):
    definition: str = Field(default="", alias="in")
    find: str = ""
    replace: str


class _Change(_Form):
    why: str
    edits: list[_Edit]


class _Changes(_Form):
    module: str = ""
    of: str = ""
    common: _Change | None = None
    solutions: dict[str, _Change]


def _edited(path: Path, reference: Sources) -> Iterator[tuple[str, Sources]]:
    changes = _read(path)
    sources = _edited_solution(changes.of, path, reference)
    module = changes.module or next(iter(reference))
    if module not in sources:
        raise _refused(path, ("module",), f"there is no module {module}")
    base = sources[module]
    if changes.common:
        base = _with_edits(base, changes.common.edits, path, ("common",))
    for name, change in changes.solutions.items():
        text = _with_edits(base, change.edits, path, ("solutions", name))
        yield name, {**sources, module: text}


def _edited_solution(name: str, path: Path, reference: Sources) -> Sources:
    """Return what the edits at `path` are made to: the right solution called `name`, if any."""
    if not name:
        return reference
    folder = path.parent.parent / "correct"
    found = {each.name: each.sources for each in solutions(folder, reference)}
    if name not in found:
        raise _refused(path, ("of",), f"there is no solution {name} in {one_line(str(folder))}")
    return found[name]


def _with_edits(source: str, edits: Sequence[_Edit], path: Path, keys: Sequence[str]) -> str:
    for index, edit in enumerate(edits):
        try:
            source = _with_edit(source, edit)
        except ValueError as error:
            raise _refused(path, (*keys, "edits", index), f"{keys[-1]}: {error}") from error
    return source


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
    """Return whether `lines` begin with what is `wanted`, all of it indented equally far."""
    margin = _margin(lines[0])
    return [margin + line if line else "" for line in wanted] == list(lines[: len(wanted)])


def _margin(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _definition(source: str, name: str) -> tuple[int, int]:
    """Return the lines, from and up to, of a function or class on the top level."""
    found = [lines for each, lines in _definitions(source) if each == name]
    if len(found) != 1:
        raise ValueError(f"{name} is defined {len(found)} times, not once")
    return found[0]


@lru_cache(maxsize=8)  # the first edit of each solution is made to the same text
def _definitions(source: str) -> list[tuple[str, tuple[int, int]]]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return [
        (node.name, (node.lineno - 1, node.end_lineno or node.lineno))
        for node in ast.parse(source).body
        if isinstance(node, kinds)
    ]


class _Loader(yaml.SafeLoader):
    """Refuses a name that is given twice, of which PyYAML would drop the first."""

    def construct_mapping(
        self,
        node: yaml.MappingNode,
        deep: bool = False,  # noqa: FBT002 (PyYAML's signature)
    ) -> dict[Any, Any]:
        made = super().construct_mapping(node, deep)
        if len(made) < len(node.value):
            raise yaml.MarkedYAMLError(problem="a key twice", problem_mark=node.start_mark)
        return made


def _read(path: Path) -> _Changes:
    try:
        return _Changes.model_validate(yaml.load(path.read_bytes(), _Loader))  # noqa: S506 (safe)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise SuiteError(f"{one_line(str(path))}:{line}: {error.problem}") from error
    except ValidationError as error:
        first = error.errors()[0]
        raise _refused(path, first["loc"], first["msg"].lower()) from error


def _refused(path: Path, keys: Sequence[str | int], why: str) -> SuiteError:
    """Return the error that names the file, and the line where `keys` lead to."""
    node = yaml.compose(path.read_bytes(), _Loader)
    line = 1
    for key in keys:
        if isinstance(node, yaml.SequenceNode):
            node = node.value[int(key)]
            line = node.start_mark.line + 1
        for name, value in node.value if isinstance(node, yaml.MappingNode) else ():
            if name.value == key:
                node, line = value, name.start_mark.line + 1
    return SuiteError(f"{one_line(str(path))}:{line}: {why}")
