"""Reads from the source of a test what its requests do not show: comparisons, and lambdas.

Values are compared in the process of the tests, without a request. But CPython knows the position
of each instruction in the source, and the code around it shows how a value is used.
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
"""Functions that a test may apply to a value before it compares the result."""
_EXACT: Final = _BUILTINS | {
    *("Counter", "Decimal", "Fraction", "Path", "date", "datetime", "dedent", "deque"),
}
"""Functions whose results equal one value only, which depends on their arguments alone."""
_CAPTURING: Final = frozenset({"capsys", "capfd", "redirect_stdout", "StringIO"})


class ValueUse(NamedTuple):
    """How a test uses a value."""

    is_compared: bool = False
    """Whether it has to be equal to something."""
    is_tested: bool = False
    """Whether it has to be true, or false."""
    wrappers: tuple[str, ...] = ()
    """Functions that are applied to it first, innermost first."""


@cache
def use_at(code: types.CodeType, instruction: int) -> ValueUse:
    """Return how the test uses the result of an `instruction` of `code`, as far as it shows."""
    # There is a position for each code unit, of two bytes.
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
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                is_exact = isinstance(op, _SAME) and _is_exact(right if node is left else left)
                return ValueUse(is_exact and _is_held(above, parents), wrappers=tuple(wrappers))
            case ast.Call(func=ast.Attribute(attr=name), args=args) if node is not above.func:
                others = [each for each in args if each is not node]
                is_same = name in _SAYING_SAME and all(map(_is_exact, others))
                return ValueUse(is_same, name in _SAYING_TRUE, tuple(wrappers))
            case ast.Assign(targets=[ast.Name(id=name)]):
                return ValueUse(is_compared=name in compared_names(code) and not wrappers)
            case ast.UnaryOp(op=ast.Not()):
                return ValueUse(is_tested=_is_held(above, parents), wrappers=tuple(wrappers))
            case ast.Assert() | ast.BoolOp():
                return ValueUse(is_tested=_is_held(node, parents), wrappers=tuple(wrappers))
        break
    return ValueUse()


def _is_held(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    """Return whether a test asserts that `node` is true, alone or with an `and`."""
    above = parents.get(node)
    while isinstance(above, ast.BoolOp) and isinstance(above.op, ast.And):
        node, above = above, parents.get(above)
    match above:
        case (
            ast.Assert(test=test) | ast.Call(func=ast.Attribute(attr="assertTrue"), args=[test, *_])
        ):
            return test is node
    return False


def _is_exact(expected: ast.expr) -> bool:
    """Return whether only one value equals this; not so for `approx(1)` and unknown calls.

    The result of a call may differ between runs, or come from the submission.
    """
    for node in ast.walk(expected):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in _EXACT:
                pass
            case ast.Call(func=ast.Attribute(value=whose, attr=name)) if name in _EXACT or (
                isinstance(whose, ast.Constant)
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
    """Return the variables that the function with this `code` asserts to be equal to something."""
    for node in ast.walk(_tree(code.co_filename)):
        if isinstance(node, _FUNCTIONS) and node.name == code.co_name:
            # As in `co_firstlineno`.
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            if first == code.co_firstlineno:
                return frozenset(_compared(node, _parents(code.co_filename)))
    return frozenset()


def _compared(function: ast.AST, parents: dict[ast.AST, ast.AST]) -> Iterator[str]:
    for node in ast.walk(function):
        sides: list[ast.expr] = []
        match node:
            case ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right]):
                sides = [left, right] if _is_held(node, parents) else []
            case ast.Call(func=ast.Attribute(attr=name), args=args) if name in _SAYING_SAME:
                sides = args
        for each in sides:
            others = (other for other in sides if other is not each)
            if isinstance(each, ast.Name) and all(map(_is_exact, others)):
                yield each.id


def function_code(function: Any) -> str | None:
    """Return self-contained code for `function`, a built-in or a lambda, or None."""
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
            # A line may have several lambdas.
            if _does(found) == _does(code) and _needs(node) <= _BUILTINS:
                return f"({text})"
    return None


def _does(code: types.CodeType) -> tuple[object, ...]:
    return code.co_code, code.co_consts, code.co_names


def _needs(node: ast.Lambda) -> set[str]:
    """Return the free names of a lambda."""
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return names - {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}


@cache
def _expressions(path: str) -> dict[_Place | None, ast.expr]:
    """Return the expressions in a file by position."""
    return {
        (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset): node
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.expr)
    }


@cache
def _parents(path: str) -> dict[ast.AST, ast.AST]:
    """Return the parent of each node in a file."""
    tree = ast.walk(_tree(path))
    return {below: node for node in tree for below in ast.iter_child_nodes(node)}


@cache
def _tree(path: str) -> ast.Module:
    try:
        return ast.parse(Path(path).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return ast.Module(body=[], type_ignores=[])
