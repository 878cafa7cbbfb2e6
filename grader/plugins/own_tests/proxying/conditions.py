"""Detects whether a submission can decide which tests in a file are skipped."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from typing import Final

_MARKS: Final = frozenset({"skipif", "xfail"})
_BUILTINS: Final = frozenset(vars(builtins))


@cache
def conditions_depend_on(path: str, modules: frozenset[str]) -> bool:
    """Return whether a `skipif` or `xfail` condition in the file depends on `modules`."""
    try:
        tree = ast.parse(Path(path).read_bytes())
    except (OSError, SyntaxError, ValueError):  # pytest reports that it cannot import the file
        return False
    conditions = [node for node in ast.walk(tree) if _is_mark(node)]
    if not conditions:
        return False
    names = _dependent_names(tree, modules)
    return any(_mentions(condition, names) for condition in conditions)


@cache
def skips_depend_on(path: str, modules: frozenset[str]) -> bool:
    """Return whether a function in the file depends on `modules` and skips tests.

    Such a function can be a hook, for example.
    """
    try:
        tree = ast.parse(Path(path).read_bytes())
    except (OSError, SyntaxError, ValueError):  # as above
        return False
    names = _dependent_names(tree, modules)
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return any(_mentions(function, names) and _skips(function) for function in functions)


def _skips(function: ast.FunctionDef) -> bool:
    """Return whether a function mentions a way to skip a test."""
    return any(getattr(node, "attr", "") in {*_MARKS, "skip"} for node in ast.walk(function))


def _is_mark(node: ast.AST) -> bool:
    """Return whether `node` is a call to `skipif` or `xfail`."""
    return (
        isinstance(node, ast.Call)
        and getattr(node.func, "attr", getattr(node.func, "id", "")) in _MARKS
    )


def _dependent_names(tree: ast.Module, modules: Collection[str]) -> set[str]:
    """Return the names imported from `modules`, and those assigned from one of these names.

    Names assigned from the latter are included as well, and so on.
    """
    names = {name for node in ast.walk(tree) for name in _names_imported(node, modules)}
    if "*" in names:  # a star import can bind any name that the file does not bind itself
        bound = {name.id for name in _assigned_names(tree)} | _BUILTINS
        used = {child.id for child in ast.walk(tree) if isinstance(child, ast.Name)}
        names |= used - bound - {"pytest", "unittest", "sys", "os"}  # an import binds no `ast.Name`
    has_grown = True
    while has_grown:
        old_count = len(names)
        for node in ast.walk(tree):
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and _mentions(node, names):
                names |= {name.id for name in _assigned_names(node)}
        has_grown = len(names) > old_count
    return names


def _names_imported(node: ast.AST, modules: Collection[str]) -> Iterator[str]:
    """Yield the names that `node`, if it is an import, binds to `modules` or their content."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.name.partition(".")[0] in modules:
                yield alias.asname or alias.name.partition(".")[0]
    elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in modules:
        yield from (alias.asname or alias.name for alias in node.names)


def _assigned_names(node: ast.AST) -> Iterator[ast.Name]:
    """Yield the names that are assigned inside `node`."""
    for child in ast.walk(node):
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            yield child


def _mentions(node: ast.AST, names: Collection[str]) -> bool:
    """Return whether one of `names` occurs inside `node`."""
    return any(isinstance(child, ast.Name) and child.id in names for child in ast.walk(node))
