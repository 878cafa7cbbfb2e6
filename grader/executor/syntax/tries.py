"""Finds the lines of a source in which the error of a missing module would be caught.

`try: import numpy` with an `except ImportError` tests whether numpy is installed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

_IMPORT_ERRORS: Final = frozenset(
    {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}
)
_MAY_CATCH: Final = re.compile(r"\b(?:except|suppress)\b")


def tried_lines(source: str) -> frozenset[int]:
    """Return the lines of `source`, which compiles, where a failed import would be caught."""
    if "import" not in source or not _MAY_CATCH.search(source):  # so most sources are not parsed
        return frozenset()
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # a cell may be invalid
        return frozenset()
    bodies = (statement for node in ast.walk(tree) for statement in _guarded_statements(node))
    return frozenset(
        line
        for statement in bodies
        for line in range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
    )


def _guarded_statements(node: ast.AST) -> Iterator[ast.stmt]:
    """Yield the statements in `node` whose failed imports it catches."""
    match node:
        case ast.Try(body=body, handlers=handlers) | ast.TryStar(body=body, handlers=handlers):
            if any(each.type is None or _catches_import_error(each.type) for each in handlers):
                yield from body
        case ast.With(body=body, items=items):
            if any(_suppresses(item.context_expr) for item in items):
                yield from body


def _catches_import_error(caught: ast.expr) -> bool:
    match caught:
        case ast.Tuple(elts=classes):
            return any(map(_catches_import_error, classes))
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in _IMPORT_ERRORS
        case _:
            return False


def _suppresses(manager: ast.expr) -> bool:
    match manager:
        case ast.Call(func=ast.Name(id="suppress") | ast.Attribute(attr="suppress"), args=caught):
            return any(map(_catches_import_error, caught))
        case _:
            return False
