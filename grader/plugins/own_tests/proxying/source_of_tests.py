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
_EXACT: Final = _BUILTINS | {
    *("Counter", "Decimal", "Fraction", "Path", "date", "datetime", "dedent", "deque"),
}
"""What is equal to nothing but the value that its name and arguments say."""
_CAPTURING: Final = frozenset({"capsys", "capfd", "redirect_stdout", "StringIO"})


class ValueUse(NamedTuple):
    """What a test makes of a value."""

    is_compared: bool = False
    """Whether it has to be equal to something."""
    is_tested: bool = False
    """Whether it has to be true, or false."""
    wrappers: tuple[str, ...] = ()
    """Functions that it is handed to before that, innermost first."""


@cache
def use_at(code: types.CodeType, instruction: int) -> ValueUse:
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
    """Return whether only one value is equal to this: not so for `approx(1)`, or what others make.

    What comes of a call can be different in every run, or another value of the submission.
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
    """Return whether the function with this `code` looks at what is printed."""
    return not _CAPTURING.isdisjoint((*code.co_varnames, *code.co_names))


@cache
def compared_names(code: types.CodeType) -> frozenset[str]:
    """Return the names that the function with this `code` compares, or asserts something of."""
    for node in ast.walk(_tree(code.co_filename)):
        if isinstance(node, _FUNCTIONS) and node.name == code.co_name:
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
            if _does(found) == _does(code) and _needs(node) <= _BUILTINS:
                return f"({text})"
    return None


def _does(code: types.CodeType) -> tuple[object, ...]:
    return code.co_code, code.co_consts, code.co_names


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
