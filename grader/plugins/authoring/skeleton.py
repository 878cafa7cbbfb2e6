"""Makes the files that students start from: headings, docstrings and given code of the reference.

The reference is not run. `skeleton.yaml` beside it replaces texts that would give too much away:
introductions, headings, docstrings.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final, TypeAlias

from grader.errors import SuiteError, UsageError
from grader.plugins.authoring.mutating.parsed_module import is_docstring
from grader.sandbox.program import Program
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.sessions import SessionRunner
from grader.sandbox.survey import survey_of
from grader.suite.diagnostics import MAX_BYTES, read_source
from grader.suite.fields import Form, key
from grader.suite.form_errors import validated
from grader.suite.limits import Limits
from grader.suite.reading import read_document
from grader.values.foreign_text import one_line

SETTINGS_NAME: Final = "skeleton.yaml"
_INDENT: Final = "    "
_Definition: TypeAlias = ast.FunctionDef | ast.ClassDef
_METHOD_KIND: Final = re.compile(r"property|staticmethod|classmethod|\w+[.](setter|deleter)")
"""Decorators of methods that need no import."""
_SILENCED_WARNING: Final = re.compile(r" *# noqa\b.*$", re.MULTILINE)


class ModuleSkeleton(Form):
    """How the skeleton of one module differs from the reference."""

    called = "a module"

    introduction: str | None = None
    """The docstring of the module; by default that of the reference."""
    given: list[str] = key("", default_factory=list)
    """Names that students get with all their code, and the code that it needs."""
    left_out: list[str] = key("", default_factory=list)
    """Public functions, classes and methods that students do not get."""
    headings: dict[str, str] = key("", default_factory=dict)
    """Parameters, by function, or by `Class.method`."""
    texts: dict[str, str] = key("", default_factory=dict)
    """Docstrings, by function, class, or `Class.method`."""

    def named(self) -> set[str]:
        """Return all names of the reference that are mentioned here."""
        return {*self.given, *self.left_out, *self.headings, *self.texts}


class _SkeletonForm(Form):
    """The content of `skeleton.yaml`."""

    called = "a skeleton"

    modules: dict[str, ModuleSkeleton]
    copied: list[str] = key("", default_factory=list)
    """Files that are handed out as they are."""


def skeleton_files(folder: Path) -> dict[str, str]:
    """Return the text of each file of the skeleton of the reference in `folder`, by name.

    Raises `UsageError` when a file is missing there, `SuiteError` when the settings are wrong.
    """
    form = _settings(folder / SETTINGS_NAME)
    files = {
        f"{name}.py": skeleton(_read(folder / f"{name}.py").decode(), name, module, form.modules)
        for name, module in form.modules.items()
    }
    return files | {name: _read(folder / name).decode() for name in form.copied}


def handed_out(folder: Path, sandbox: Sandbox) -> dict[str, str]:
    """Return the digests of the code that the skeleton of the reference in `folder` gives, by name.

    A suite has them under `handed_out`; names include the module if there are several. Raises the
    errors of `skeleton_files`.
    """
    form = _settings(folder / SETTINGS_NAME)
    sources = {name: _read(folder / f"{name}.py").decode() for name in form.modules}
    parts = [
        f"{name}.{part}"
        for name, module in form.modules.items()
        # a set has any order
        for part in sorted(_Module.of(sources[name]).with_what_they_need(module.given))
    ]
    program = Program.of({name: (f"{name}.py", text) for name, text in sources.items()}, {})
    runner = SessionRunner(sandbox, program, Limits())
    survey = survey_of(runner, sources.keys(), definitions=parts, sought=())
    found = () if survey is None else survey.definitions
    start = f"{next(iter(sources))}." if len(sources) == 1 else ""
    return {each.name.removeprefix(start): each.digest for each in found}


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)  # one more than allowed, so that the reader refuses it
    except OSError as error:
        raise UsageError(
            f"cannot read {one_line(str(path))}: {error.strerror}",
            help=f"write {SETTINGS_NAME} beside the reference, with the modules of the skeleton, at"
            " least: modules: {NAME: {}}",
        ) from error


def _settings(path: Path) -> _SkeletonForm:
    document = read_document(read_source(_read(path), str(path)))
    return validated(document, _SkeletonForm)


def skeleton(source: str, name: str, form: ModuleSkeleton, siblings: Iterable[str]) -> str:
    """Return the skeleton of the module `name`, whose reference is `source`.

    It imports the `siblings` that the reference imports. Raises `SuiteError` if `form` mentions a
    name that is not defined.
    """
    module = _Module.of(source)
    unknown = form.named() - module.parts.keys()
    if unknown:
        raise SuiteError(
            f"{SETTINGS_NAME} names parts that {name}.py does not define:"
            f" {', '.join(map(one_line, sorted(unknown)))}",
            help="correct the names: the reference may have been changed",
        )
    whole = module.with_what_they_need(form.given)
    introduction = form.introduction or ast.get_docstring(module.tree) or ""
    pieces = [_docstring(introduction, ""), _imports(module, whole, siblings)]
    pieces += (
        _piece(module, node, form, whole)
        for node in module.tree.body
        if _is_kept(node, form, whole)
    )
    return _joined([piece for piece in pieces if piece])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Module:
    """A parsed module of the reference."""

    source: str
    tree: ast.Module
    parts: dict[str, ast.stmt]
    """The top-level statements that define a name, by that name; methods by `Class.name`."""

    @classmethod
    def of(cls, source: str) -> _Module:
        tree = ast.parse(source)
        parts = {name: node for node in tree.body for name in _defined(node)}
        methods = {
            f"{node.name}.{method.name}": method
            for node in tree.body
            if isinstance(node, ast.ClassDef)
            for method in _methods(node)
        }
        return cls(source=source, tree=tree, parts={**parts, **methods})

    def with_what_they_need(self, names: Iterable[str]) -> set[str]:
        """Return `names`, and the constants and private functions that their code needs."""
        needed: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            needed.add(name)
            waiting += (
                other
                for other in _names_in(self.parts[name]) & self.parts.keys() - needed
                # else the student's
                if not (isinstance(self.parts[other], _Definition) and other[0] != "_")
            )
        return needed

    def text_of(self, node: ast.stmt) -> str:
        """Return the source of `node`, with the docstring below it if it is an assignment."""
        last = node
        following = self.tree.body[self.tree.body.index(node) + 1 :][:1]
        if isinstance(node, ast.Assign) and following and is_docstring(following[0]):
            last = following[0]
        lines = self.source.splitlines()[node.lineno - 1 : last.end_lineno]
        return _SILENCED_WARNING.sub("", "\n".join(lines))


def _defined(node: ast.stmt) -> list[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [target.id for target in targets if isinstance(target, ast.Name)]
        case _:
            return []


def _methods(node: ast.ClassDef) -> Iterator[ast.FunctionDef]:
    """Yield the methods of a class, but no private ones."""
    for part in node.body:
        # `__eq__` is public; `_x` and `__x` are not.
        if isinstance(part, ast.FunctionDef) and not re.match("_(?!_)|__(?!.*__$)", part.name):
            yield part


def _names_in(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _is_main(node: ast.stmt) -> bool:
    """Return whether `node` is an `if __name__ == "__main__"`."""
    return isinstance(node, ast.If) and "__name__" in _names_in(node.test)


def _imports(module: _Module, whole: set[str], siblings: Iterable[str]) -> str:
    """Return the import lines: of sibling modules, and of modules that the given code needs."""
    wanted = {*siblings}.union(*(_names_in(module.parts[name]) for name in whole))
    imported = [
        alias.name
        for node in module.tree.body
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name in wanted
    ]
    outside = [f"import {name}" for name in imported if name not in siblings]
    inside = [f"import {name}" for name in imported if name in siblings]
    return "\n\n".join("\n".join(block) for block in (outside, inside) if block)


def _is_kept(node: ast.stmt, form: ModuleSkeleton, whole: set[str]) -> bool:
    names = _defined(node)
    if isinstance(node, _Definition):
        is_asked = not node.name.startswith("_") and node.name not in form.left_out
        return is_asked or node.name in whole
    return bool(whole.intersection(names)) or (_is_main(node) and bool(whole & _names_in(node)))


def _piece(module: _Module, node: ast.stmt, form: ModuleSkeleton, whole: set[str]) -> str:
    match node:
        case ast.FunctionDef() if node.name not in whole:
            return _heading(node, form, node.name)
        case ast.ClassDef() if node.name not in whole:
            return _class_heading(node, form)
        case _:
            return module.text_of(node)


def _heading(node: ast.FunctionDef, form: ModuleSkeleton, name: str) -> str:
    """Return a function with an empty body; `form` calls it `name`."""
    parameters = form.headings.get(name, ast.unparse(node.args))
    text = form.texts.get(name) or ast.get_docstring(node) or ""
    kinds = (ast.unparse(each) for each in node.decorator_list)
    above = "".join(f"@{kind}\n" for kind in kinds if _METHOD_KIND.fullmatch(kind))
    inside = f"{_docstring(text, _INDENT)}\n" if text else ""
    return f"{above}def {node.name}({parameters}):\n{inside}{_INDENT}pass"


def _class_heading(node: ast.ClassDef, form: ModuleSkeleton) -> str:
    """Return a class with the headings of its methods."""
    bases = ", ".join(map(ast.unparse, node.bases))
    text = form.texts.get(node.name) or ast.get_docstring(node) or ""
    names = {f"{node.name}.{method.name}": method for method in _methods(node)}
    parts = [_docstring(text, "")] if text else []
    parts += [
        _heading(method, form, name) for name, method in names.items() if name not in form.left_out
    ]
    inside = textwrap.indent("\n\n".join(parts) or "pass", _INDENT)
    return f"class {node.name}{f'({bases})' if bases else ''}:\n{inside}"


def _joined(pieces: list[str]) -> str:
    """Return the text of a file, with the usual empty lines between `pieces`."""
    text = pieces[0]
    for before, after in pairwise(pieces):
        if any(piece.startswith(("def ", "class ", "if ")) for piece in (before, after)):
            text += "\n\n"
        elif before.startswith(('"""', "import ")):
            text += "\n"
        text += f"\n{after}"
    return f"{text}\n"


def _docstring(text: str, indent: str) -> str:
    text = text.strip()
    end = f"\n{indent}" if "\n" in text else ""
    return textwrap.indent(f'"""{text}', indent) + f'{end}"""'
