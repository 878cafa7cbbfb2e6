"""What the prompt displays of a statement: the value of each expression in it that stands alone.

`for row in board: row` shows rows at the prompt, and nothing when it is run as a step. So that what
a spec shows of it can be asked, it becomes `for row in board: print(repr(row))`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import product
from typing import Final

_MOST: Final = 5
"""Expressions of one example that are looked at: each may show something, or be None."""
_SCOPES: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def displaying(code: str) -> Iterator[str]:
    """Yield the ways to print what the prompt may display of the statement `code`, likely first."""
    count = len(_alone(ast.parse(code)))
    if count <= _MOST:
        for shown in sorted(product((True, False), repeat=count), reverse=True):
            if any(shown):
                yield _printing(code, shown)


def _printing(code: str, shown: tuple[bool, ...]) -> str:
    tree = ast.parse(code)
    for statement, is_shown in zip(_alone(tree), shown, strict=True):
        if is_shown:
            text = ast.Call(ast.Name("repr", ast.Load()), [statement.value], [])
            statement.value = ast.Call(ast.Name("print", ast.Load()), [text], [])
    return ast.unparse(ast.fix_missing_locations(tree))


def _alone(tree: ast.AST) -> list[ast.Expr]:
    """Return the expressions in `tree` that the prompt may display, those in functions left out."""
    found: list[ast.Expr] = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Expr) and not _prints(node.value):
            found.append(node)
        elif not isinstance(node, _SCOPES):
            found += _alone(node)
    return found


def _prints(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and ast.unparse(value.func) == "print"
