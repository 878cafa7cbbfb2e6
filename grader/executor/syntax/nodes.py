"""Answers questions about single nodes of a syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final, TypeAlias

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
ComprehensionNode: TypeAlias = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp

_WITHOUT_POSITION: Final = (
    ast.expr_context,
    ast.operator,
    ast.unaryop,
    ast.boolop,
    ast.cmpop,
    ast.type_ignore,
)


def all_parameters(arguments: ast.arguments) -> Iterator[ast.arg]:
    """Yield all parameters in `arguments`, in source order."""
    yield from arguments.posonlyargs
    yield from arguments.args
    if arguments.vararg is not None:
        yield arguments.vararg
    yield from arguments.kwonlyargs
    if arguments.kwarg is not None:
        yield arguments.kwarg


def element_expressions(node: ComprehensionNode) -> list[ast.expr]:
    """Return the expressions that make an element of a comprehension: two for a dict."""
    return [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]


def child_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the child nodes of `node` in field order, without those that have no position."""
    return (part for part in ast.iter_child_nodes(node) if not isinstance(part, _WITHOUT_POSITION))


def is_elif(node: ast.AST, parent: ast.AST | None) -> bool:
    """Return whether `node`, in `parent`, is an `elif`, and not an `if` nested in an `else`."""
    match node, parent:
        case ast.If(), ast.If(orelse=[alternative]):
            # `ast` represents both in the same way, but a nested `if` is indented further.
            return alternative is node and node.col_offset == parent.col_offset
        case _:
            return False


def docstring_of(node: ast.AST) -> ast.Expr | None:
    """Return the statement that is the docstring of `node`, or None."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
        match node.body:
            case [ast.Expr(value=ast.Constant(value=str())) as statement, *_]:
                return statement
    return None
