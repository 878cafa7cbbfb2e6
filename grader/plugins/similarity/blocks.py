"""Normalizes blocks of statements that can be written in several ways.

This module runs in an executor, and does not run the code that it reads. Statements without effect
and unreachable ones are dropped. Nested conditions are joined, and assignments to several names are
split. A loop with a manual counter becomes one over a range, or over the items themselves.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

_BLOCK_EXITS: Final = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_MAX_DISTANCE: Final = 4
"""The initialisation of a counter is searched in fewer than this number of statements before the
loop."""
_LEN_AND_INDEX: Final = 2
"""The number of times that a loop over indexes reads its list: for `len`, and for the item."""


def walk_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield `tree` and all nodes in it that have fields.

    This is faster than `ast.walk`.
    """
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for name in node._fields:
            value = getattr(node, name, None)
            if value.__class__ is list:
                waiting += [
                    child for child in value if isinstance(child, ast.AST) and child._fields
                ]
            elif isinstance(value, ast.AST) and value._fields:
                waiting.append(value)


def normalize_block(block: Sequence[ast.stmt], loads: Counter[str]) -> Iterator[ast.stmt]:
    """Yield the normalized statements of `block`, ending with the first that leaves the block.

    `loads` counts how often each name is read.
    """
    previous_statements: list[ast.stmt] = []
    waiting = list(reversed(block))
    while waiting:
        node = waiting.pop()
        if (replacement := _replacement_for(node)) is not None:
            waiting += reversed(replacement)
            continue
        if isinstance(node, ast.While):
            node = _replace_counting_loop(node, previous_statements)
        if isinstance(node, ast.For):
            node = _loop_over_items(node, previous_statements, loads)
        previous_statements.append(node)
        if isinstance(node, _BLOCK_EXITS):
            break
    yield from previous_statements


def _replacement_for(node: ast.stmt) -> list[ast.stmt] | None:
    """Return the statements that replace `node`, or None if it is not replaced."""
    match node:
        case ast.Pass() | ast.Global() | ast.Nonlocal() | ast.Expr(value=ast.Constant()):
            return []
        case ast.AnnAssign(value=None):
            return []
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            return [_assign([target], value, node)]
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(
            names
        ) == len(values):
            # This changes the meaning of a swap, but in the same way in every program.
            return [_assign([a], b, node) for a, b in zip(names, values, strict=True)]
        case ast.Assign(targets=[_, _, *_]):
            return [_assign([target], node.value, node) for target in node.targets]
        case ast.If(test=ast.Constant(value=value)):
            return node.body if value else node.orelse
        case ast.While(test=ast.Constant(value=value)) if not value:
            return []
        case ast.If(orelse=[]):
            return _merge_nested_ifs(node)
        case ast.If(body=[*_, last], orelse=[_, *_]) if isinstance(last, _BLOCK_EXITS):
            without_else = ast.copy_location(ast.If(node.test, node.body, []), node)
            return [without_else, *node.orelse]
    return None


def _assign(targets: list[ast.expr], value: ast.expr, original: ast.stmt) -> ast.stmt:
    return ast.copy_location(ast.Assign(targets, value), original)


def _merge_nested_ifs(node: ast.If) -> list[ast.stmt] | None:
    """Return one `if` for an `if` that contains only another `if`, or None for any other `if`."""
    match node.body:
        case [ast.If(test=test, body=body, orelse=[])]:
            condition = ast.BoolOp(ast.And(), [*_operands(node.test), *_operands(test)])
            return [ast.copy_location(ast.If(condition, body, []), node)]
        case _:
            return None


def _operands(test: ast.expr) -> list[ast.expr]:
    is_and = isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)
    return test.values if is_and and isinstance(test, ast.BoolOp) else [test]


def _replace_counting_loop(
    node: ast.While, previous_statements: list[ast.stmt]
) -> ast.While | ast.For:
    """Return a `for` that replaces `node` if it is a loop with a manual counter, or else `node`.

    The initialisation of the counter is removed from `previous_statements`.
    """
    match node.test:
        case ast.Compare(left=left, ops=[_], comparators=[right]):
            sides = ((left, right), (right, left))
        case _:
            return node
    for counter, end in sides:
        if isinstance(counter, ast.Name):
            body = [statement for statement in node.body if not _is_step(statement, counter.id)]
            if body and len(body) + 1 == len(node.body):
                return _loop_over_range(node, counter.id, end, body, previous_statements)
    return node


def _loop_over_range(
    node: ast.While,
    name: str,
    end: ast.expr,
    body: list[ast.stmt],
    previous_statements: list[ast.stmt],
) -> ast.For:
    """Return a loop over a range that replaces `node`, whose counter is `name`.

    The initialisation of the counter is removed from `previous_statements`.
    """
    start = _take_assigned_value(name, previous_statements)
    is_zero = start is None or (isinstance(start, ast.Constant) and start.value == 0)
    # The step and the kind of comparison are lost, because the result is only compared, never run.
    bounds = [end] if is_zero or start is None else [start, end]
    range_call = ast.Call(ast.Name("range", ast.Load()), bounds, [])
    target = ast.Name(name, ast.Store())
    return ast.copy_location(ast.For(target, range_call, body, node.orelse), node)


def _is_step(node: ast.stmt, name: str) -> bool:
    """Return whether `node` changes the counter `name` by a constant."""
    match node:
        case ast.AugAssign(target=ast.Name(id=counter), value=ast.Constant()):
            return counter == name
        case ast.Assign(targets=[ast.Name(id=counter)], value=ast.BinOp() as value):
            sides = [value.left, value.right]
            return counter == name and any(isinstance(side, ast.Constant) for side in sides)
    return False


def _take_assigned_value(name: str, previous_statements: list[ast.stmt]) -> ast.expr | None:
    """Remove the last assignment to `name` from `previous_statements`, and return its value.

    Return None if there is no such assignment among the last few statements.
    """
    for index in range(
        len(previous_statements) - 1, max(-1, len(previous_statements) - _MAX_DISTANCE), -1
    ):
        match previous_statements[index]:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                del previous_statements[index]
                return value
    return None


def _loop_over_items(
    node: ast.For, previous_statements: list[ast.stmt], loads: Counter[str]
) -> ast.For:
    """Return a loop over items if `node` is a loop over their indexes, or else `node`.

    If nothing else reads the list's variable, the assigned value replaces it in the loop, and the
    assignment is removed from `previous_statements`.
    """
    match node:
        case ast.For(
            target=ast.Name(id=index),
            iter=ast.Call(
                func=ast.Name(id="range"),
                args=[ast.Call(func=ast.Name(id="len"), args=[items])],
            ),
            body=[
                ast.Assign(
                    targets=[item],
                    value=ast.Subscript(value=sequence, slice=ast.Name(id=subscript)),
                ),
                *body,
            ],
            # Dumps are compared, as a node is equal only to itself.
        ) if subscript == index and body and ast.dump(sequence) == ast.dump(items):
            pass
        case _:
            return node
    inner_nodes = (inner for statement in body for inner in walk_nodes(statement))
    if any(isinstance(inner, ast.Name) and inner.id == index for inner in inner_nodes):
        return node
    if isinstance(items, ast.Name) and loads[items.id] == _LEN_AND_INDEX:
        items = _take_assigned_value(items.id, previous_statements) or items
    return ast.copy_location(ast.For(item, items, body, node.orelse), node)
