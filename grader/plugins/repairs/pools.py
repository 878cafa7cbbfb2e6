"""Pools of code that can be copied to another place in the same program."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias, TypeVar

from grader.plugins.authoring.mutating.edits import stored_names
from grader.plugins.authoring.mutating.parsed_module import FunctionNode, ReferenceModule

_Node = TypeVar("_Node", bound=ast.AST)
Pool: TypeAlias = dict[str, _Node]
"""Nodes without duplicates, keyed by their text."""
_BUILTINS: Final = frozenset(vars(builtins))
_MAX_CHARS: Final = 120
"""The limit on the length of code that is copied from elsewhere in the program."""


def build_pool(
    program: ReferenceModule, nodes: Iterable[_Node], max_chars: int = _MAX_CHARS
) -> Pool[_Node]:
    """Return `nodes` keyed by their text, without those whose text is longer than `max_chars`.

    Of several nodes with the same text, the first is kept.
    """
    pool: Pool[_Node] = {}
    for node in nodes:
        text = one_line_text(program, node)
        if len(text) <= max_chars:
            pool.setdefault(text, node)
    return pool


def one_line_text(program: ReferenceModule, node: ast.AST) -> str:
    """Return the text of `node` on one line, with each run of whitespace as a single space."""
    return " ".join(program.text(node).split())


def readable_names(program: ReferenceModule, function: FunctionNode) -> frozenset[str]:
    """Return the names that the code of `function` can read."""
    arguments = [node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)]
    module_names = [name for statement in program.tree.body for name in _bound_names(statement)]
    return _BUILTINS.union(arguments, stored_names(function), module_names)


def _bound_names(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement at module level binds."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            # `import a.b` binds `a`.
            yield from ((alias.asname or alias.name).partition(".")[0] for alias in names)
        case _:
            yield from stored_names(statement)


def names_read(node: ast.AST) -> set[str]:
    """Return the names that `node` reads without binding them."""
    names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
    return names - {*stored_names(node)}
