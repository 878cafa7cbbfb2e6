"""Whether a submission may decide which tests of a file are skipped."""

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
def hang_on(path: str, modules: frozenset[str]) -> bool:
    """Return whether a `skipif` or `xfail` condition in a file depends on `modules`."""
    try:
        tree = ast.parse(Path(path).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return False
    conditions = [node for node in ast.walk(tree) if _is_mark(node)]
    if not conditions:
        return False
    names = _names_of(tree, modules)
    return any(_mentions(each, names) for each in conditions)


@cache
def skips_by(path: str, modules: frozenset[str]) -> bool:
    """Return whether a function in a file, such as a hook, skips tests depending on `modules`."""
    try:
        tree = ast.parse(Path(path).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return False
    names = _names_of(tree, modules)
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return any(_mentions(each, names) and _skips(each) for each in functions)


def _skips(function: ast.FunctionDef) -> bool:
    return any(getattr(node, "attr", "") in {*_MARKS, "skip"} for node in ast.walk(function))


def _is_mark(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and getattr(node.func, "attr", getattr(node.func, "id", "")) in _MARKS
    )


def _names_of(tree: ast.Module, modules: Collection[str]) -> set[str]:
    """Return the names that are imported from `modules`, or assigned from one that is."""
    names = {name for node in ast.walk(tree) for name in _imported(node, modules)}
    if "*" in names:  # then it may be any name that the file does not bind itself
        bound = {each.id for each in _stored(tree)} | _BUILTINS
        used = {each.id for each in ast.walk(tree) if isinstance(each, ast.Name)}
        names |= used - bound - {"pytest", "unittest", "sys", "os"}  # imports store no `Name`
    grows = True
    while grows:
        before = len(names)
        for node in ast.walk(tree):
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and _mentions(node, names):
                names |= {each.id for each in _stored(node)}
        grows = len(names) > before
    return names


def _imported(node: ast.AST, modules: Collection[str]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        for each in node.names:
            if each.name.partition(".")[0] in modules:
                yield each.asname or each.name.partition(".")[0]
    elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in modules:
        yield from (each.asname or each.name for each in node.names)


def _stored(node: ast.AST) -> Iterator[ast.Name]:
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            yield each


def _mentions(node: ast.AST, names: Collection[str]) -> bool:
    return any(isinstance(each, ast.Name) and each.id in names for each in ast.walk(node))
