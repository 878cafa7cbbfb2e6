"""Finds in the source of tests what requests do not show: comparisons, and the code of lambdas.

Values are compared in the process of the tests, without a request. But CPython knows the position
of each instruction in the source, and the code around that position shows how a test uses a value.
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

_Position: TypeAlias = tuple[int | None, int | None, int | None, int | None]
_BUILTINS: Final = frozenset(vars(builtins))
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_EQUALITY_OPERATORS: Final = (ast.Eq, ast.Is)
_EQUALITY_ASSERTIONS: Final = frozenset(
    f"assert{suffix}"
    for suffix in ("Equal", "Equals", "Is", "ListEqual", "SetEqual", "DictEqual", "TupleEqual")
) | {"assertIsNone", "assertMultiLineEqual", "assertSequenceEqual"}
"""Methods that assert that two values are equal."""
_TRUTH_ASSERTIONS: Final = frozenset({"assertTrue", "assertFalse"})
"""Methods that assert that a value is true or false."""
_WRAPPERS: Final = frozenset(
    {"sorted", "list", "set", "len", "tuple", "str", "repr", "sum", "type"}
)
"""Functions that a test can apply to a value before it compares the result."""
_EXACT_FUNCTIONS: Final = _BUILTINS | {
    *("Counter", "Decimal", "Fraction", "Path", "date", "datetime", "dedent", "deque"),
}
"""Functions whose result equals only one value, and depends only on their arguments."""
_CAPTURING: Final = frozenset({"capsys", "capfd", "redirect_stdout", "StringIO"})
"""Names that a test uses only if it captures output."""


class ValueUse(NamedTuple):
    """How a test uses a value."""

    is_compared: bool = False
    """Whether the value must be equal to something."""
    is_tested: bool = False
    """Whether the value must be true, or false."""
    wrappers: tuple[str, ...] = ()
    """Functions that are applied to the value first, innermost first."""


@cache
def use_at(code: types.CodeType, offset: int) -> ValueUse:
    """Return how a test uses the result of the instruction at `offset` in its `code`.

    The use is empty if the source does not show it.
    """
    # There is a position for each code unit, which has two bytes.
    position = next(islice(code.co_positions(), offset // 2, None), None)
    parents = _parents(code.co_filename)
    node: ast.AST | None = _expressions(code.co_filename).get(position)
    wrappers: list[str] = []
    while node is not None:
        parent = parents.get(node)
        match parent:
            case ast.Call(func=ast.Name(id=name), args=[argument]) if (
                argument is node and name in _WRAPPERS
            ):
                wrappers.append(name)
                node = parent
                continue
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                is_exact = isinstance(op, _EQUALITY_OPERATORS) and _is_exact(
                    right if node is left else left
                )
                return ValueUse(
                    is_exact and _is_asserted(parent, parents), wrappers=tuple(wrappers)
                )
            case ast.Call(func=ast.Attribute(attr=name), args=args) if node is not parent.func:
                other_arguments = [argument for argument in args if argument is not node]
                is_compared = name in _EQUALITY_ASSERTIONS and all(map(_is_exact, other_arguments))
                return ValueUse(is_compared, name in _TRUTH_ASSERTIONS, tuple(wrappers))
            case ast.Assign(targets=[ast.Name(id=name)]):
                return ValueUse(is_compared=name in compared_names(code) and not wrappers)
            case ast.UnaryOp(op=ast.Not()):
                return ValueUse(is_tested=_is_asserted(parent, parents), wrappers=tuple(wrappers))
            case ast.Assert() | ast.BoolOp():
                return ValueUse(is_tested=_is_asserted(node, parents), wrappers=tuple(wrappers))
        break
    return ValueUse()


def _is_asserted(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    """Return whether a test asserts that `node` is true, alone or as an operand of `and`."""
    parent = parents.get(node)
    while isinstance(parent, ast.BoolOp) and isinstance(parent.op, ast.And):
        node, parent = parent, parents.get(parent)
    match parent:
        case (
            ast.Assert(test=test) | ast.Call(func=ast.Attribute(attr="assertTrue"), args=[test, *_])
        ):
            return test is node
    return False


def _is_exact(expected: ast.expr) -> bool:
    """Return whether only one value equals `expected`.

    This is not the case for `ANY`, `approx(1)` and unknown calls: the result of an unknown call may
    differ between runs, or come from the submission.
    """
    for node in ast.walk(expected):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in _EXACT_FUNCTIONS:
                pass
            case ast.Call(func=ast.Attribute(value=owner, attr=name)) if (
                name in _EXACT_FUNCTIONS or (isinstance(owner, ast.Constant))
            ):
                pass
            case ast.Call() | ast.Name(id="ANY") | ast.Attribute(attr="ANY"):
                return False
    return True


@cache
def captures_output(code: types.CodeType) -> bool:
    """Return whether the function with this `code` captures output."""
    return not _CAPTURING.isdisjoint((*code.co_varnames, *code.co_names))


@cache
def compared_names(code: types.CodeType) -> frozenset[str]:
    """Return the variables that the function with this `code` compares in equality assertions."""
    for node in ast.walk(_tree(code.co_filename)):
        if isinstance(node, _FUNCTIONS) and node.name == code.co_name:
            # `co_firstlineno` includes the decorators.
            first_line = min([node.lineno, *(item.lineno for item in node.decorator_list)])
            if first_line == code.co_firstlineno:
                return frozenset(_names_compared_in(node, _parents(code.co_filename)))
    return frozenset()


def _names_compared_in(function: ast.AST, parents: dict[ast.AST, ast.AST]) -> Iterator[str]:
    """Yield the names of variables that `function` compares in equality assertions."""
    for node in ast.walk(function):
        sides: list[ast.expr] = []
        match node:
            case ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right]):
                sides = [left, right] if _is_asserted(node, parents) else []
            case ast.Call(func=ast.Attribute(attr=name), args=args) if name in _EQUALITY_ASSERTIONS:
                sides = args
        for side in sides:
            other_sides = (other for other in sides if other is not side)
            if isinstance(side, ast.Name) and all(map(_is_exact, other_sides)):
                yield side.id


def function_code(function: Any) -> str | None:
    """Return self-contained code for `function` if it is a built-in or a lambda, else None."""
    name = getattr(function, "__name__", "")
    if getattr(builtins, name, None) is function:
        return str(name)
    if type(function) is types.MethodDescriptorType:
        owner = function.__objclass__.__name__
        is_builtin = getattr(builtins, owner, None) is function.__objclass__
        return f"{owner}.{name}" if is_builtin else None
    if type(function) is types.FunctionType and name == "<lambda>":
        return _lambda_code(function)
    return None


def _lambda_code(function: types.FunctionType) -> str | None:
    """Return the code of a lambda, or None if its code is not found, or uses names of the tests."""
    code = function.__code__
    for node in ast.walk(_tree(code.co_filename)):
        if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno:
            text = ast.unparse(node)
            compiled = compile(text, "<lambda>", "eval").co_consts[0]
            # A line can contain several lambdas.
            if _behaviour(compiled) == _behaviour(code) and _free_names(node) <= _BUILTINS:
                return f"({text})"
    return None


def _behaviour(code: types.CodeType) -> tuple[object, ...]:
    """Return a key that is equal for lambdas with the same behaviour, wherever they are written."""
    return code.co_code, code.co_consts, code.co_names


def _free_names(node: ast.Lambda) -> set[str]:
    """Return the free names of a lambda."""
    names = {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}
    return names - {child.arg for child in ast.walk(node) if isinstance(child, ast.arg)}


@cache
def _expressions(path: str) -> dict[_Position | None, ast.expr]:
    """Return the expressions in a file, as a dict keyed by position."""
    return {
        (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset): node
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.expr)
    }


@cache
def _parents(path: str) -> dict[ast.AST, ast.AST]:
    """Return the parent of each node in a file."""
    nodes = ast.walk(_tree(path))
    return {child: node for node in nodes for child in ast.iter_child_nodes(node)}


@cache
def _tree(path: str) -> ast.Module:
    """Return the syntax tree of a file, or an empty tree if the file cannot be parsed."""
    try:
        return ast.parse(Path(path).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return ast.Module(body=[], type_ignores=[])
