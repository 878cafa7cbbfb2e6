"""Who imports something of a submission: whether that file knows what to do without it."""

from __future__ import annotations

import ast
import linecache
import sys
from types import FrameType
from typing import Final

_BETWEEN: Final = ("grader.", "importlib")
"""Modules through which a question for a module, or for a name of it, comes."""
_CAUGHT: Final = frozenset({"ImportError", "ModuleNotFoundError", "Exception"})
_INSTEAD: Final = (
    ast.Assign, ast.AnnAssign, ast.Pass, ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef,
)  # fmt: skip


def can_do_without() -> bool:
    """Return whether what is imported now stands in a `try` that puts something in its place.

    So does `with suppress(ImportError)`, by leaving it out. A handler that ends or skips the file
    is none: nobody would know its tests any more.
    """
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - the line that imports
    while frame is not None and _is_between(frame):
        frame = frame.f_back
    if frame is None:
        return False
    try:
        tree = ast.parse("".join(linecache.getlines(frame.f_code.co_filename, frame.f_globals)))
    except (SyntaxError, ValueError):
        return False
    return any(
        isinstance(each, (ast.Try, ast.With))
        and _is_within(each.body, frame.f_lineno)
        and (_has_instead(each) if isinstance(each, ast.Try) else _suppresses(each))
        for each in ast.walk(tree)
    )


def _is_between(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith("<frozen importlib") or str(
        frame.f_globals.get("__name__")
    ).startswith(_BETWEEN)


def _is_within(body: list[ast.stmt], line: int) -> bool:
    return body[0].lineno <= line <= (body[-1].end_lineno or 0)


def _has_instead(tried: ast.Try) -> bool:
    handlers = (each for each in tried.handlers if _catches(each.type))
    first = next(handlers, None)
    return first is not None and all(isinstance(each, _INSTEAD) for each in first.body)


def _suppresses(block: ast.With) -> bool:
    calls = (each.context_expr for each in block.items)
    return any(
        isinstance(call, ast.Call)
        and getattr(call.func, "id", getattr(call.func, "attr", None)) == "suppress"
        and any(map(_catches, call.args))
        for call in calls
    )


def _catches(type_: ast.expr | None) -> bool:
    kinds = type_.elts if isinstance(type_, ast.Tuple) else [type_]
    return any(
        each is None or (isinstance(each, ast.Name) and each.id in _CAUGHT) for each in kinds
    )
