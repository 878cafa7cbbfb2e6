"""Small syntactic mutations of a program: one change each, as a slip of the pen would make it."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_NAMES = {"any": "all", "all": "any", "min": "max", "max": "min", "add": "discard"}


def mutants(source: str) -> Iterator[tuple[str, str]]:
    """Yield what each mutation changes, and the program with that one change."""
    tree = _without_docstrings(ast.parse(source))
    unchanged = ast.unparse(tree)
    for index, node in enumerate(ast.walk(tree)):
        for number in range(_count(node)):
            mutant = copy.deepcopy(tree)
            target = next(n for i, n in enumerate(ast.walk(mutant)) if i == index)
            what = _mutate(target, number)
            text = ast.unparse(ast.fix_missing_locations(mutant))
            if text != unchanged:
                yield f"line {getattr(node, 'lineno', 0)}: {what}", text


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            node.body = [
                statement
                for statement in node.body
                if not (
                    isinstance(statement, ast.Expr)
                    and isinstance(statement.value, ast.Constant)
                    and isinstance(statement.value.value, str)
                )
            ] or [ast.Pass()]
    return tree


def _count(node: ast.AST) -> int:
    match node:
        case ast.Compare() | ast.BinOp() | ast.BoolOp() | ast.Return() | ast.Assert():
            return 1
        case ast.Constant(value=bool() | int()):
            return 2 if type(node.value) is int else 1
        case ast.Name(id=name) | ast.Attribute(attr=name) if name in _NAMES:
            return 1
        case ast.Constant(value=str()):
            return 1
        case ast.Expr(value=ast.Call()) | ast.UnaryOp(op=ast.Not()):
            return 1
        case ast.If():
            return 1 + len(node.body)
        case ast.For() | ast.While() | ast.FunctionDef():
            return len(node.body)
        case _:
            return 0


def _mutate(node: ast.AST, number: int) -> str:  # noqa: C901, PLR0912 - a case per operator
    """Change `node` in place; return what was done."""
    match node:
        case ast.Compare(ops=[first, *_]):
            node.ops[0] = _COMPARISONS[type(first)]()
        case ast.BinOp(op=op) if type(op) in _OPERATORS:
            node.op = _OPERATORS[type(op)]()
        case ast.BoolOp(op=op):
            node.op = ast.Or() if isinstance(op, ast.And) else ast.And()
        case ast.Assert(test=test):
            node.test = ast.UnaryOp(ast.Not(), test)
        case ast.If(test=test) if number == 0:
            node.test = ast.UnaryOp(ast.Not(), test)
        case ast.If() | ast.For() | ast.While() | ast.FunctionDef():
            index = number - isinstance(node, ast.If)
            node.body[index] = ast.Pass()
            return f"{type(node).__name__} without statement {index + 1}"
        case ast.UnaryOp(operand=operand):
            node.operand = ast.UnaryOp(ast.Not(), operand)
        case ast.Return():
            node.value = None
        case ast.Constant(value=bool() as value):
            node.value = not value
        case ast.Constant(value=str() as text):
            node.value = text + "X"
        case ast.Constant(value=int() as value):
            node.value = value + (1, -1)[number]
        case ast.Name(id=name):
            node.id = _NAMES[name]
        case ast.Attribute(attr=name):
            node.attr = _NAMES[name]
        case ast.Expr():
            node.value = ast.Constant(None)
    return type(node).__name__
