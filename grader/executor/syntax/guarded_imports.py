"""Finds the lines of a source where the error about a missing module would be caught.

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
"""The classes that include the errors of a failed import."""
_MAY_CATCH: Final = re.compile(r"\b(?:except|suppress)\b")


def guarded_import_lines(source: str) -> frozenset[int]:
    """Return the lines of `source` where a failed import would be caught.

    There are none if `source` cannot be parsed.
    """
    # A quick check, so that most sources need not be parsed.
    if "import" not in source or not _MAY_CATCH.search(source):
        return frozenset()
    try:
        tree = ast.parse(source)
    # A cell of a notebook can have a syntax error.
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    statements = (statement for node in ast.walk(tree) for statement in _guarded_statements(node))
    return frozenset(
        line
        for statement in statements
        for line in range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
    )


def _guarded_statements(node: ast.AST) -> Iterator[ast.stmt]:
    """Yield the statements in the body of `node` if it catches the error of a failed import."""
    match node:
        case ast.Try(body=body, handlers=handlers) | ast.TryStar(body=body, handlers=handlers):
            if any(
                handler.type is None or _catches_import_error(handler.type) for handler in handlers
            ):
                yield from body
        case ast.With(body=body, items=items):
            if any(_suppresses_import_error(item.context_expr) for item in items):
                yield from body


def _catches_import_error(caught: ast.expr) -> bool:
    """Return whether `caught`, the type of a handler, includes import errors."""
    match caught:
        case ast.Tuple(elts=classes):
            return any(map(_catches_import_error, classes))
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in _IMPORT_ERRORS
        case _:
            return False


def _suppresses_import_error(manager: ast.expr) -> bool:
    """Return whether `manager` is a call of `suppress` with import errors."""
    match manager:
        case ast.Call(func=ast.Name(id="suppress") | ast.Attribute(attr="suppress"), args=caught):
            return any(map(_catches_import_error, caught))
        case _:
            return False
