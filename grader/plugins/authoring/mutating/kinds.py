"""Guesses the type of an expression's value from its syntax.

Many mistakes concern only one type of value: nobody forgets to sort a number. A wrong guess results
in an unlikely mutant or in none.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Final

from grader.plugins.authoring.mutating.edits import returns_with_value
from grader.plugins.authoring.mutating.parsed_module import FunctionNode, ReferenceModule

_KINDS_BY_FUNCTION: Final = {
    **dict.fromkeys(("set", "frozenset"), "set"),
    **dict.fromkeys(("list", "sorted"), "list"),
    **dict.fromkeys(("len", "sum", "int", "round", "ord", "abs"), "int"),
    **dict.fromkeys(("str", "input", "chr", "repr"), "str"),
    **dict.fromkeys(("any", "all", "isinstance", "bool", "callable"), "bool"),
    **dict.fromkeys(("tuple", "dict", "float"), None),
}
"""The types that built-in functions return. None stands for the type with the function's name."""
_KINDS_BY_METHOD: Final = {
    **dict.fromkeys(("lower", "upper", "strip", "join", "replace", "read", "title"), "str"),
    **dict.fromkeys(("split", "splitlines", "readlines"), "list"),
    **dict.fromkeys(("index", "count", "find"), "int"),
    **dict.fromkeys(("startswith", "endswith", "isdigit", "isalpha", "issubset"), "bool"),
    **dict.fromkeys(("union", "intersection", "difference"), "set"),
}
"""The types that methods return, keyed by method name alone: the type of the object is unknown."""
_KINDS_BY_NODE: Final[Mapping[type[ast.expr], str]] = {
    ast.Set: "set",
    ast.SetComp: "set",
    ast.List: "list",
    ast.ListComp: "list",
    ast.Dict: "dict",
    ast.DictComp: "dict",
    ast.Tuple: "tuple",
    ast.JoinedStr: "str",
    ast.Compare: "bool",
}
_TYPE_NAMES: Final = {"set", "frozenset", "list", "tuple", "dict", "str", "int", "bool", "float"}
_MAX_DEPTH: Final = 6  # names and calls can be circular


def kind(program: ReferenceModule, node: ast.expr | None, depth: int = 0) -> str | None:
    """Return the name of the built-in type of the value of `node`.

    Return None if the syntax does not show it. `depth` counts the expressions that led to this one.
    """
    if node is None or depth > _MAX_DEPTH:
        return None
    match node:
        case ast.Constant(value=value):
            return type(value).__name__
        case ast.UnaryOp(op=ast.Not()):
            return "bool"
        case ast.BinOp(left=left) | ast.BoolOp(values=[left, *_]) | ast.IfExp(body=left):
            return kind(program, left, depth + 1)
        case ast.Call():
            return _call_kind(program, node, depth)
        case ast.Name():
            return _name_kind(program, node, depth)
        case _:
            return _KINDS_BY_NODE.get(type(node))


def result_kind(program: ReferenceModule, function: FunctionNode, depth: int = 0) -> str | None:
    """Return the name of the type that `function` returns.

    Its annotation decides; without one, its `return` statements do. Return None if that does not
    show the type.
    """
    if function.returns is not None:
        return annotated_kind(program, function.returns)
    kinds = {kind(program, node.value, depth + 1) for node in returns_with_value(function)}
    return kinds.pop() if len(kinds) == 1 else None


def annotated_kind(program: ReferenceModule, node: ast.expr, depth: int = 0) -> str | None:
    """Return the name of the built-in type that the annotation `node` declares.

    Aliases in the module are followed, and frozen sets count as sets. Return None for other types.
    """
    match node:
        case ast.Subscript(value=value):
            return annotated_kind(program, value, depth)
        case ast.Constant(value=None):
            return "NoneType"
        case ast.Name(id=name) if name in _TYPE_NAMES:
            return "set" if name == "frozenset" else name
        case ast.Name(id=name) if depth < _MAX_DEPTH:
            for statement in program.tree.body:
                if isinstance(statement, ast.Assign) and _binds(statement, name):
                    return annotated_kind(program, statement.value, depth + 1)
            return None
        case _:
            return None


def _call_kind(program: ReferenceModule, node: ast.Call, depth: int) -> str | None:
    """Return the name of the type that the call `node` returns, or None if it is unclear."""
    match node.func:
        case ast.Name(id=name) if name in _KINDS_BY_FUNCTION:
            return _KINDS_BY_FUNCTION[name] or name
        case ast.Attribute(attr="copy", value=value):
            return kind(program, value, depth + 1)
        case ast.Attribute(attr=name) if name in _KINDS_BY_METHOD:
            return _KINDS_BY_METHOD[name]
        case ast.Name(id=name) | ast.Attribute(attr=name):
            # With several functions of that name, it is unclear which one is called.
            candidates = [function for function in program.defs() if function.name == name]
            return result_kind(program, candidates[0], depth + 1) if len(candidates) == 1 else None
        case _:
            return None


def _name_kind(program: ReferenceModule, node: ast.Name, depth: int) -> str | None:
    """Return the name of the type of the variable `node`, or None if it is unclear.

    Use the first binding or annotation in the enclosing function. If there is none, use the global
    variable with that name.
    """
    function = program.enclosing_function(node)
    scope: ast.AST = function if function is not None else program.tree
    for node_in_scope in ast.walk(scope):
        match node_in_scope:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=hint) if name == node.id:
                return annotated_kind(program, hint)
            case ast.Assign(value=value) if _binds(node_in_scope, node.id):
                # `a = a` says nothing about the type.
                return None if value is node else kind(program, value, depth + 1)
            case ast.arg(arg=name, annotation=ast.expr() as hint) if name == node.id:
                return annotated_kind(program, hint)
    return _global_kind(program, node.id, depth) if function is not None else None


def _global_kind(program: ReferenceModule, name: str, depth: int) -> str | None:
    """Return the name of the type of the global variable `name`, or None if it is unclear."""
    for statement in program.tree.body:
        if isinstance(statement, ast.Assign) and _binds(statement, name):
            return kind(program, statement.value, depth + 1)
    return None


def _binds(statement: ast.Assign, name: str) -> bool:
    """Return whether `statement` assigns to the variable `name`."""
    return any(isinstance(target, ast.Name) and target.id == name for target in statement.targets)
