"""Finds where functions use the structure of parameters: an index, an attribute, a loop.

Such a function knows how the data is represented. Comparing a parameter, or passing it on, needs no
such knowledge. A name that is just an alias of a parameter counts as that parameter.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final, NamedTuple

from grader.executor.syntax.names import dotted
from grader.executor.syntax.source import Place
from grader.executor.syntax.tree import Assigned, Function, Module, Scope, Visit

_ITERATING: Final = (
    *("all", "any", "dict", "enumerate", "filter", "frozenset", "iter", "list", "map", "max"),
    *("min", "next", "reversed", "set", "sorted", "sum", "tuple", "zip"),
)
_BY_FUNCTION: Final = {
    "builtins.len": "len",
    "builtins.isinstance": "operator",
    "builtins.type": "operator",
    **{f"builtins.{name}": "iterate" for name in _ITERATING},
    **{f"builtins.{name}": "attribute" for name in ("delattr", "getattr", "hasattr", "setattr")},
    **{f"builtins.{name}": "attribute" for name in ("dir", "vars")},
}
"""How built-in functions use the structure of their argument."""
_ANY_ARGUMENT: Final = frozenset({"builtins.filter", "builtins.map", "builtins.zip"})
"""Functions that use the structure of all their arguments, not just the first."""
_MAX_ALIASES: Final = 5


class _Touch(NamedTuple):
    """One use of the structure of a parameter."""

    function: Function
    parameter: str
    how: str
    place: Place


def looks(module: Module) -> Iterator[_Touch]:
    """Yield the uses of the structure of parameters in `module`."""
    for visit in module.visits:
        if isinstance(visit.node, ast.Name):
            touch = _touch_of(visit)
            if touch is None:
                continue
            how, node = touch
            parameter = _parameter(visit.node.id, visit.scope)
            if parameter is not None:
                yield _Touch(*parameter, how, module.source.place(node))


def _parameter(name: str, scope: Scope) -> tuple[Function, str] | None:
    """Return the function and the positional parameter that `name` refers to, or None."""
    current: Scope | None = scope
    for _ in range(_MAX_ALIASES):  # assignments may be circular
        current = None if current is None else current.home(name)
        function = None if current is None else current.function
        if current is None or function is None:
            return None
        arguments = function.node.args
        if any(each.arg == name for each in (*arguments.posonlyargs, *arguments.args)):
            return function, name
        match current.bound[name]:
            case [Assigned(value=ast.Name(id=other)) as assigned]:
                name, current = other, assigned.scope
            case _:
                return None
    return None


def _touch_of(visit: Visit) -> tuple[str, ast.expr | ast.stmt] | None:
    """Return how the code at `visit` uses the structure of the named value, and where, or None."""
    node, parent = visit.node, visit.parent
    assert isinstance(node, ast.expr), "a name is an expression"
    match parent:
        case ast.Subscript(value=base) if base is node:
            return "index", parent
        case ast.Attribute():
            return "attribute", parent
        case ast.Assign(value=value, targets=targets) if value is node:
            unpacks = any(isinstance(target, ast.Tuple | ast.List) for target in targets)
            return ("unpack", parent) if unpacks else None
        case ast.For(iter=base) | ast.AsyncFor(iter=base) | ast.comprehension(iter=base):
            return ("iterate", node) if base is node else None
        case ast.Starred(ctx=ast.Load()) | ast.YieldFrom() | ast.keyword(arg=None):
            return "iterate", node
        case ast.Match(subject=base, cases=cases) if base is node:
            return ("unpack", node) if _unpack_subject(cases) else None
        case ast.Call():
            how = _by_call(parent, node, visit.scope)
            return None if how is None else (how, parent)
        case _:
            return _in_operation(node, parent)


def _unpack_subject(cases: list[ast.match_case]) -> bool:
    patterns = (ast.MatchSequence, ast.MatchMapping, ast.MatchClass)
    return any(
        isinstance(part, patterns)
        for case in cases
        for part in (case.pattern, *getattr(case.pattern, "patterns", ()))
    )


def _by_call(call: ast.Call, node: ast.expr, scope: Scope) -> str | None:
    """Return how `call` uses the structure of its argument `node`, or None."""
    name = dotted(call.func, scope)
    if name is None or name not in _BY_FUNCTION:
        return None
    touched_arguments = call.args if name in _ANY_ARGUMENT else call.args[:1]
    if any(each is node for each in touched_arguments):
        return _BY_FUNCTION[name]
    return None


def _in_operation(node: ast.expr, parent: ast.AST | None) -> tuple[str, ast.expr | ast.stmt] | None:
    """Return how the operation `parent` uses the structure of its operand `node`, or None."""
    match parent:
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            how = _in_comparison(node, left, ops, comparators)
            return None if how is None else (how, parent)
        case ast.BinOp(op=ast.Mod(), left=ast.Constant(value=str()) | ast.JoinedStr()):
            return None  # text formatting with `%`
        case ast.BinOp() | ast.AugAssign():
            return "operator", parent
        case ast.UnaryOp(op=ast.Not()):
            return None
        case ast.UnaryOp():
            return "operator", parent
        case _:
            return None


def _in_comparison(
    node: ast.expr, left: ast.expr, ops: list[ast.cmpop], comparators: list[ast.expr]
) -> str | None:
    """Return how a comparison uses the structure of its operand `node`, or None."""
    operands = [left, *comparators]
    for number, operator in enumerate(ops):
        is_ordered = isinstance(operator, ast.Lt | ast.LtE | ast.Gt | ast.GtE)
        if isinstance(operator, ast.In | ast.NotIn) and comparators[number] is node:
            return "in"
        if is_ordered and node in operands[number : number + 2]:
            return "operator"
    return None
