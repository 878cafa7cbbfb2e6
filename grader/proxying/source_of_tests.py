"""What the source of a test tells that its doings do not: what it compares, and its lambdas."""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

_BUILTINS: Final = frozenset(vars(builtins))
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def compared_names(code: types.CodeType) -> frozenset[str]:
    """Return the names that the function with this `code` compares, or asserts something of."""
    for node in ast.walk(_tree(code.co_filename)):
        if isinstance(node, _FUNCTIONS) and node.name == code.co_name:
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            if first == code.co_firstlineno:
                return frozenset(_compared(node))
    return frozenset()


def _compared(function: ast.AST) -> Iterator[str]:
    for node in ast.walk(function):
        sides: list[ast.expr] = []
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            sides = node.args if node.func.attr.startswith("assert") else []
        yield from (each.id for each in sides if isinstance(each, ast.Name))


def function_code(function: Any) -> str | None:
    """Return code that gives `function` anywhere: a built-in, or a lambda that needs no more."""
    name = getattr(function, "__name__", "")
    if getattr(builtins, name, None) is function:
        return str(name)
    if type(function) is types.MethodDescriptorType:
        owner = function.__objclass__.__name__
        is_builtin = getattr(builtins, owner, None) is function.__objclass__
        return f"{owner}.{name}" if is_builtin else None
    if type(function) is types.FunctionType and name == "<lambda>":
        return _lambda(function)
    return None


def _lambda(function: types.FunctionType) -> str | None:
    code = function.__code__
    for node in ast.walk(_tree(code.co_filename)):
        if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno:
            text = ast.unparse(node)
            found = compile(text, "<lambda>", "eval").co_consts[0]
            is_it = (found.co_code, found.co_consts) == (code.co_code, code.co_consts)
            if is_it and _needs(node) <= _BUILTINS:
                return f"({text})"
    return None


def _needs(node: ast.Lambda) -> set[str]:
    """Return the names that a lambda takes from where it stands."""
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return names - {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}


@cache
def _tree(path: str) -> ast.Module:
    try:
        return ast.parse(Path(path).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return ast.Module(body=[], type_ignores=[])
