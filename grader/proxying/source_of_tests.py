"""What the source of a test tells that its doings do not: what it compares, and its lambdas.

Values are compared in the process of the tests, where nobody hears it. But Python knows where in
the source it is, and what stands around that tells what becomes of a value.
"""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

_Place: TypeAlias = tuple[int | None, int | None, int | None, int | None]
_BUILTINS: Final = frozenset(vars(builtins))
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_SAME: Final = (ast.Eq, ast.Is)
_SAYING_SAME: Final = frozenset(
    f"assert{what}"
    for what in ("Equal", "Equals", "Is", "ListEqual", "SetEqual", "DictEqual", "TupleEqual")
) | {"assertIsNone", "assertMultiLineEqual", "assertSequenceEqual"}
_SAYING_TRUE: Final = frozenset({"assertTrue", "assertFalse"})
_WRAPPERS: Final = frozenset(
    {"sorted", "list", "set", "len", "tuple", "str", "repr", "sum", "type"}
)
"""What a test may make of a value before it compares it."""
_CAPTURING: Final = frozenset({"capsys", "capfd", "redirect_stdout", "StringIO"})


class Use(NamedTuple):
    """What a test makes of a value."""

    is_compared: bool = False
    """Whether it has to be equal to something."""
    is_tested: bool = False
    """Whether it has to be true, or false."""
    wrappers: tuple[str, ...] = ()
    """Functions that it is handed to before that, innermost first."""


@cache
def use_at(code: types.CodeType, instruction: int) -> Use:
    """Return what becomes of what the `instruction` of `code` gives, as far as that can be seen."""
    place = next(islice(code.co_positions(), instruction // 2, None), None)
    parents = _parents(code.co_filename)
    node: ast.AST | None = _expressions(code.co_filename).get(place)
    wrappers: list[str] = []
    while node is not None:
        above = parents.get(node)
        match above:
            case ast.Call(func=ast.Name(id=name), args=[one]) if one is node and name in _WRAPPERS:
                wrappers.append(name)
                node = above
                continue
            case ast.Compare(ops=[op]):
                return Use(is_compared=isinstance(op, _SAME), wrappers=tuple(wrappers))
            case ast.Call(func=ast.Attribute(attr=name)) if node is not above.func:
                return Use(name in _SAYING_SAME, name in _SAYING_TRUE, tuple(wrappers))
            case ast.Assign(targets=[ast.Name(id=name)]):
                return Use(is_compared=name in compared_names(code) and not wrappers)
            case ast.Assert() | ast.BoolOp() | ast.If() | ast.While() | ast.UnaryOp(op=ast.Not()):
                return Use(is_tested=True, wrappers=tuple(wrappers))
        break
    return Use()


@cache
def captures_output(code: types.CodeType) -> bool:
    """Return whether the function with this `code` looks at what is printed."""
    return not _CAPTURING.isdisjoint((*code.co_varnames, *code.co_names))


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
        match node:
            case ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=others):
                sides = [left, *others]
            case ast.Call(func=ast.Attribute(attr=name), args=args) if name in _SAYING_SAME:
                sides = args
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
def _expressions(path: str) -> dict[_Place | None, ast.expr]:
    """Return the expressions in a file by their places."""
    return {
        (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset): node
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.expr)
    }


@cache
def _parents(path: str) -> dict[ast.AST, ast.AST]:
    """Return what each part of a file is a part of."""
    tree = ast.walk(_tree(path))
    return {below: node for node in tree for below in ast.iter_child_nodes(node)}


@cache
def _tree(path: str) -> ast.Module:
    try:
        return ast.parse(Path(path).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return ast.Module(body=[], type_ignores=[])
