"""Builds the files that students start from: headings, docstrings and given reference code.

The reference is not run. `skeleton.yaml` beside it replaces texts that would reveal too much:
introductions, headings and docstrings.
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
from grader.sandbox.survey import request_survey
from grader.suite.diagnostics import MAX_BYTES, read_source
from grader.suite.fields import Form, key
from grader.suite.form_errors import validate_document
from grader.suite.limits import Limits
from grader.suite.reading import read_document
from grader.values.foreign_text import one_line

SETTINGS_NAME: Final = "skeleton.yaml"
_INDENT: Final = "    "
_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_Definition: TypeAlias = _Function | ast.ClassDef
_METHOD_KIND: Final = re.compile(r"property|staticmethod|classmethod|\w+[.](setter|deleter)")
"""Method decorators that need no import."""
_NOQA_COMMENT: Final = re.compile(r" *# noqa\b.*$", re.MULTILINE)


class ModuleSkeleton(Form):
    """The settings of one module's skeleton: how it differs from the reference."""

    form_name = "a module"

    introduction: str | None = None
    """The module docstring; by default the docstring of the reference module."""
    given: list[str] = key("", default_factory=list)
    """Names whose complete code students get, along with the code that it depends on."""
    left_out: list[str] = key("", default_factory=list)
    """Public functions, classes and methods that students do not get."""
    headings: dict[str, str] = key("", default_factory=dict)
    """Parameter lists, keyed by function name or `Class.method`."""
    texts: dict[str, str] = key("", default_factory=dict)
    """Docstrings, keyed by function name, class name or `Class.method`."""

    def mentioned_names(self) -> set[str]:
        """Return all names of the reference that these settings mention."""
        return {*self.given, *self.left_out, *self.headings, *self.texts}


class _SkeletonForm(Form):
    """The content of `skeleton.yaml`."""

    form_name = "a skeleton"

    modules: dict[str, ModuleSkeleton]
    copied: list[str] = key("", default_factory=list)
    """Files that students get unchanged."""


def skeleton_files(folder: Path) -> dict[str, str]:
    """Return the text of each skeleton file for the reference in `folder`, keyed by file name.

    Raises `UsageError` for a missing or unreadable file and `SuiteError` for invalid settings.
    """
    form = _read_settings(folder / SETTINGS_NAME)
    files = {
        f"{name}.py": skeleton(_read_text(folder / f"{name}.py"), name, module, form.modules)
        for name, module in form.modules.items()
    }
    return files | {name: _read_text(folder / name) for name in form.copied}


def given_digests(folder: Path, sandbox: Sandbox) -> dict[str, str]:
    """Return the digest of each definition that the skeleton gives to students completely.

    The digests are keyed by name, as under `handed_out` in a suite; the names include the module
    if there are several modules. The reference in `folder` is surveyed in `sandbox`. The result is
    empty if the survey fails. Raises `UsageError` for a missing file and `SuiteError` for
    invalid settings.
    """
    form = _read_settings(folder / SETTINGS_NAME)
    sources = {name: _read_text(folder / f"{name}.py") for name in form.modules}
    qualified_names = [
        f"{name}.{part}"
        for name, module in form.modules.items()
        # Sorted, because a set has no fixed order.
        for part in sorted(_Module.parse(sources[name], name).with_dependencies(module.given))
    ]
    program = Program.from_sources(
        {name: (f"{name}.py", text) for name, text in sources.items()}, {}
    )
    runner = SessionRunner(sandbox, program, Limits())
    survey = request_survey(runner, sources.keys(), definitions=qualified_names, sought=())
    definitions = () if survey is None else survey.definitions
    prefix = f"{next(iter(sources))}." if len(sources) == 1 else ""
    return {definition.name.removeprefix(prefix): definition.digest for definition in definitions}


def _read_bytes(path: Path) -> bytes:
    """Return the content of the file at `path`, truncated just beyond the size limit.

    Raises `UsageError` if it cannot be read.
    """
    try:
        with path.open("rb") as file:
            # One byte more than allowed, so that `read_source` rejects a longer file.
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(
            f"cannot read {one_line(str(path))}: {error.strerror}",
            help=f"create {SETTINGS_NAME} beside the reference and list its modules there, for"
            " example: modules: {NAME: {}}"
            if path.name == SETTINGS_NAME
            else f"correct the name in {SETTINGS_NAME}, or put this file beside it",
        ) from error


def _read_text(path: Path) -> str:
    """Return the text of the file at `path`, or raise `UsageError` if it cannot be read."""
    data = _read_bytes(path)
    if len(data) > MAX_BYTES:
        raise UsageError(
            f"{one_line(str(path))} is larger than {MAX_BYTES // 1024**2} MB",
            help="make it smaller, or leave it out of the skeleton",
        )
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{one_line(str(path))} is not UTF-8", help="save it as UTF-8") from error


def _read_settings(path: Path) -> _SkeletonForm:
    """Return the validated content of the `skeleton.yaml` at `path`.

    Raises `UsageError` if it cannot be read and `SuiteError` if it is invalid.
    """
    document = read_document(read_source(_read_bytes(path), str(path)))
    return validate_document(document, _SkeletonForm)


def skeleton(source: str, name: str, form: ModuleSkeleton, siblings: Iterable[str]) -> str:
    """Return the skeleton of the module `name` as source text.

    `source` is the reference module and `form` has its settings. The skeleton imports those of the
    `siblings` that the reference imports. Raises `SuiteError` if `form` mentions a name that the
    reference does not define, or if the reference is not Python.
    """
    module = _Module.parse(source, name)
    unknown = form.mentioned_names() - module.parts.keys()
    if unknown:
        raise SuiteError(
            f"{SETTINGS_NAME} mentions names that {name}.py does not define:"
            f" {', '.join(map(one_line, sorted(unknown)))}",
            help=f"correct the names in {SETTINGS_NAME}, or define them in the reference",
        )
    given_names = module.with_dependencies(form.given)
    introduction = form.introduction or ast.get_docstring(module.tree) or ""
    pieces = [_docstring(introduction, ""), _imports(module, given_names, siblings)]
    pieces += (
        _piece(module, node, form, given_names)
        for node in module.tree.body
        if _is_kept(node, form, given_names)
    )
    return _join_pieces([piece for piece in pieces if piece])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Module:
    """A parsed module of the reference."""

    source: str
    tree: ast.Module
    parts: dict[str, ast.stmt]
    """The top-level statements, keyed by the name that they define, and the public methods, keyed
    by `Class.method`."""

    @classmethod
    def parse(cls, source: str, name: str) -> _Module:
        """Return the module `name` with this `source`; raise `SuiteError` if it is not Python."""
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError) as error:  # null characters raise `ValueError` before 3.12
            place = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
            reason = error.msg if isinstance(error, SyntaxError) else str(error)
            raise SuiteError(
                f"{name}.py{place} is not Python: {one_line(reason)}",
                help="correct the reference first",
            ) from error
        parts = {name: node for node in tree.body for name in _defined_names(node)}
        methods = {
            f"{node.name}.{method.name}": method
            for node in tree.body
            if isinstance(node, ast.ClassDef)
            for method in _public_methods(node)
        }
        return cls(source=source, tree=tree, parts={**parts, **methods})

    def with_dependencies(self, names: Iterable[str]) -> set[str]:
        """Return `names` and, transitively, the constants and private definitions that they use."""
        needed: set[str] = set()
        pending = list(names)
        while pending:
            name = pending.pop()
            needed.add(name)
            pending += (
                used_name
                for used_name in _names_in(self.parts[name]) & self.parts.keys() - needed
                # Students write public functions and classes themselves.
                if not (isinstance(self.parts[used_name], _Definition) and used_name[0] != "_")
            )
        return needed

    def source_of(self, node: ast.stmt) -> str:
        """Return the source of `node` without `noqa` comments.

        For an assignment, include the docstring below it.
        """
        last_node = node
        following = self.tree.body[self.tree.body.index(node) + 1 :][:1]
        if (
            isinstance(node, ast.Assign | ast.AnnAssign)
            and following
            and is_docstring(following[0])
        ):
            last_node = following[0]
        lines = self.source.splitlines()[node.lineno - 1 : last_node.end_lineno]
        return _NOQA_COMMENT.sub("", "\n".join(lines))


def _defined_names(node: ast.stmt) -> list[str]:
    """Return the names that a top-level definition or assignment defines."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [target.id for target in targets if isinstance(target, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case _:
            return []


def _public_methods(node: ast.ClassDef) -> Iterator[_Function]:
    """Yield the public methods of the class `node`, including special methods."""
    for member in node.body:
        # The pattern matches `_x` and `__x`, but not special methods such as `__eq__`.
        if isinstance(member, _Function) and not re.match("_(?!_)|__(?!.*__$)", member.name):
            yield member


def _names_in(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _is_main(node: ast.stmt) -> bool:
    """Return whether `node` is an `if` statement that tests `__name__`."""
    return isinstance(node, ast.If) and "__name__" in _names_in(node.test)


def _imports(module: _Module, given_names: set[str], siblings: Iterable[str]) -> str:
    """Return the import lines of the skeleton.

    They import the sibling modules and the modules that the code of `given_names` uses, but only
    if the reference imports these modules with `import`.
    """
    needed_modules = {*siblings}.union(*(_names_in(module.parts[name]) for name in given_names))
    imported = [
        alias.name
        for node in module.tree.body
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name in needed_modules
    ]
    other_imports = [f"import {name}" for name in imported if name not in siblings]
    sibling_imports = [f"import {name}" for name in imported if name in siblings]
    return "\n\n".join("\n".join(block) for block in (other_imports, sibling_imports) if block)


def _is_kept(node: ast.stmt, form: ModuleSkeleton, given_names: set[str]) -> bool:
    """Return whether the top-level statement `node` appears in the skeleton."""
    names = _defined_names(node)
    if isinstance(node, _Definition):
        is_requested = not node.name.startswith("_") and node.name not in form.left_out
        return is_requested or node.name in given_names
    return bool(given_names.intersection(names)) or (
        _is_main(node) and bool(given_names & _names_in(node))
    )


def _piece(module: _Module, node: ast.stmt, form: ModuleSkeleton, given_names: set[str]) -> str:
    """Return the skeleton text of `node`.

    The text is the code of `node` if it is given, or is neither a function nor a class. Otherwise
    it is a stub with the heading and the docstring.
    """
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() if node.name not in given_names:
            return _heading(node, form, node.name)
        case ast.ClassDef() if node.name not in given_names:
            return _class_heading(node, form)
        case _:
            return module.source_of(node)


def _heading(node: _Function, form: ModuleSkeleton, name: str) -> str:
    """Return the function `node` with its docstring and an empty body.

    `name` is the key of the function in `form`.
    """
    parameters = form.headings.get(name, ast.unparse(node.args))
    text = form.texts.get(name) or ast.get_docstring(node) or ""
    # Only decorators that match `_METHOD_KIND` are kept: any other might need an import.
    decorators = (ast.unparse(decorator) for decorator in node.decorator_list)
    decorator_lines = "".join(
        f"@{source}\n" for source in decorators if _METHOD_KIND.fullmatch(source)
    )
    docstring_line = f"{_docstring(text, _INDENT)}\n" if text else ""
    keyword = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    return f"{decorator_lines}{keyword} {node.name}({parameters}):\n{docstring_line}{_INDENT}pass"


def _class_heading(node: ast.ClassDef, form: ModuleSkeleton) -> str:
    """Return the class `node` with its docstring and with stubs of its public methods.

    Methods that students do not get are left out.
    """
    bases = ", ".join(map(ast.unparse, node.bases))
    text = form.texts.get(node.name) or ast.get_docstring(node) or ""
    names = {f"{node.name}.{method.name}": method for method in _public_methods(node)}
    members = [_docstring(text, "")] if text else []
    members += [
        _heading(method, form, name) for name, method in names.items() if name not in form.left_out
    ]
    body = textwrap.indent("\n\n".join(members) or "pass", _INDENT)
    return f"class {node.name}{f'({bases})' if bases else ''}:\n{body}"


def _join_pieces(pieces: list[str]) -> str:
    """Return the text of a file with `pieces`, separated by the usual number of blank lines."""
    text = pieces[0]
    for before, after in pairwise(pieces):
        if any(piece.startswith(("def ", "async ", "class ", "if ")) for piece in (before, after)):
            text += "\n\n"
        elif before.startswith(('"""', "import ")):
            text += "\n"
        text += f"\n{after}"
    return f"{text}\n"


def _docstring(text: str, indent: str) -> str:
    text = text.strip()
    closing_indent = f"\n{indent}" if "\n" in text else ""
    return textwrap.indent(f'"""{text}', indent) + f'{closing_indent}"""'
