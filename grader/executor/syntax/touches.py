"""Finds where functions use the structure of parameters: an index, an attribute, a loop.

Such a function depends on how the data is represented. Comparing a parameter, or passing it on,
does not. A name that is only an alias of a parameter counts as that parameter.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final, NamedTuple

from grader.executor.syntax.names import resolve_name
from grader.executor.syntax.source import Span
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
"""How each built-in function uses the structure of its argument."""
_ANY_ARGUMENT: Final = frozenset({"builtins.filter", "builtins.map", "builtins.zip"})
"""Functions that use the structure of all their arguments, not just the first."""
_MAX_ALIASES: Final = 5
"""How many assignments are followed from an alias to its parameter."""


class _Touch(NamedTuple):
    """One use of the structure of a parameter, which is called a touch in a survey."""

    function: Function
    parameter: str
    usage: str
    span: Span


def find_touches(module: Module) -> Iterator[_Touch]:
    """Yield each place in `module` that uses the structure of a parameter, in visiting order."""
    for visit in module.visits:
        if isinstance(visit.node, ast.Name):
            found = _find_usage(visit)
            if found is None:
                continue
            usage, node = found
            parameter = _find_parameter(visit.node.id, visit.scope)
            if parameter is not None:
                yield _Touch(*parameter, usage, module.source.span(node))


def _find_parameter(name: str, scope: Scope) -> tuple[Function, str] | None:
    """Return the function and the positional parameter that `name` refers to, or None.

    The name can be that of the parameter, or an alias.
    """
    current: Scope | None = scope
    for _ in range(_MAX_ALIASES):  # assignments can be circular
        current = None if current is None else current.defining_scope(name)
        function = None if current is None else current.function
        if current is None or function is None:
            return None
        arguments = function.node.args
        if any(parameter.arg == name for parameter in (*arguments.posonlyargs, *arguments.args)):
            return function, name
        match current.bindings[name]:
            case [Assigned(value=ast.Name(id=original)) as assigned]:
                name, current = original, assigned.scope
            case _:
                return None
    return None


def _find_usage(visit: Visit) -> tuple[str, ast.expr | ast.stmt] | None:
    """Return how the code around the name at `visit` uses the structure of its value, and where.

    Return None if it does not use the structure.
    """
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
            return ("unpack", node) if _unpacks_subject(cases) else None
        case ast.Call():
            usage = _use_by_call(parent, node, visit.scope)
            return None if usage is None else (usage, parent)
        case _:
            return _use_by_operation(node, parent)


def _unpacks_subject(cases: list[ast.match_case]) -> bool:
    """Return whether a pattern in `cases` unpacks the subject of the `match`."""
    patterns = (ast.MatchSequence, ast.MatchMapping, ast.MatchClass)
    return any(
        isinstance(part, patterns)
        for case in cases
        for part in (case.pattern, *getattr(case.pattern, "patterns", ()))
    )


def _use_by_call(call: ast.Call, node: ast.expr, scope: Scope) -> str | None:
    """Return how `call` uses the structure of its argument `node`, or None."""
    name = resolve_name(call.func, scope)
    if name is None or name not in _BY_FUNCTION:
        return None
    touched_arguments = call.args if name in _ANY_ARGUMENT else call.args[:1]
    if any(argument is node for argument in touched_arguments):
        return _BY_FUNCTION[name]
    return None


def _use_by_operation(
    node: ast.expr, parent: ast.AST | None
) -> tuple[str, ast.expr | ast.stmt] | None:
    """Return how the operation `parent` uses the structure of its operand `node`, and where.

    Return None if it does not use the structure.
    """
    match parent:
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            usage = _use_by_comparison(node, left, ops, comparators)
            return None if usage is None else (usage, parent)
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


def _use_by_comparison(
    node: ast.expr, left: ast.expr, ops: list[ast.cmpop], comparators: list[ast.expr]
) -> str | None:
    """Return how a comparison uses the structure of its operand `node`, or None."""
    operands = [left, *comparators]
    for index, operator in enumerate(ops):
        is_ordered = isinstance(operator, ast.Lt | ast.LtE | ast.Gt | ast.GtE)
        if isinstance(operator, ast.In | ast.NotIn) and comparators[index] is node:
            return "in"
        if is_ordered and node in operands[index : index + 2]:
            return "operator"
    return None
