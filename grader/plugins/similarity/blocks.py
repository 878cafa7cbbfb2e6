"""Normalises blocks of statements that can be written in several ways.

It runs in an executor, and does not run the code that it reads. Statements without effect and
unreachable ones are dropped. Nested conditions and split assignments are joined. A loop that counts
by hand becomes one over a range, or over the items themselves.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

_ENDS: Final = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_LOOKED_BACK: Final = 4
"""How many statements before a loop its counter may be initialised."""
_LEN_AND_INDEX: Final = 2
"""How often a loop over indexes reads its list: for `len`, and for the item."""


def nodes_of(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield `tree` and all nodes in it that have fields, faster than `ast.walk`."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for name in node._fields:
            value = getattr(node, name, None)
            if value.__class__ is list:
                waiting += [each for each in value if isinstance(each, ast.AST) and each._fields]
            elif isinstance(value, ast.AST) and value._fields:
                waiting.append(value)


def plain(block: Sequence[ast.stmt], loads: Counter[str]) -> Iterator[ast.stmt]:
    """Yield the statements of `block` in normal form, up to the first that leaves it."""
    before: list[ast.stmt] = []
    waiting = list(reversed(block))
    while waiting:
        node = waiting.pop()
        if (instead := _instead(node)) is not None:
            waiting += reversed(instead)
            continue
        if isinstance(node, ast.While):
            node = _counted(node, before)
        if isinstance(node, ast.For):
            node = _over_items(node, before, loads)
        before.append(node)
        if isinstance(node, _ENDS):
            break
    yield from before


def _instead(node: ast.stmt) -> list[ast.stmt] | None:
    """Return equivalent statements for `node`, None if it stays."""
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
            # A swap means something else then, but the same in every program.
            return [_assign([a], b, node) for a, b in zip(names, values, strict=True)]
        case ast.Assign(targets=[_, _, *_]):
            return [_assign([each], node.value, node) for each in node.targets]
        case ast.If(test=ast.Constant(value=value)):
            return node.body if value else node.orelse
        case ast.While(test=ast.Constant(value=value)) if not value:
            return []
        case ast.If(orelse=[]):
            return _merged_ifs(node)
        case ast.If(body=[*_, last], orelse=[_, *_]) if isinstance(last, _ENDS):
            alone = ast.copy_location(ast.If(node.test, node.body, []), node)
            return [alone, *node.orelse]
    return None


def _assign(targets: list[ast.expr], value: ast.expr, place: ast.stmt) -> ast.stmt:
    return ast.copy_location(ast.Assign(targets, value), place)


def _merged_ifs(node: ast.If) -> list[ast.stmt] | None:
    """Return one `if` for an `if` that only contains another one, else None."""
    match node.body:
        case [ast.If(test=test, body=body, orelse=[])]:
            both = ast.BoolOp(ast.And(), [*_operands(node.test), *_operands(test)])
            return [ast.copy_location(ast.If(both, body, []), node)]
        case _:
            return None


def _operands(test: ast.expr) -> list[ast.expr]:
    is_and = isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)
    return test.values if is_and and isinstance(test, ast.BoolOp) else [test]


def _counted(node: ast.While, before: list[ast.stmt]) -> ast.While | ast.For:
    """Return a `for` in place of a `while` that counts; its start is removed from `before`."""
    match node.test:
        case ast.Compare(left=left, ops=[_], comparators=[right]):
            sides = ((left, right), (right, left))
        case _:
            return node
    for counter, end in sides:
        if isinstance(counter, ast.Name):
            body = [each for each in node.body if not _is_step(each, counter.id)]
            if body and len(body) + 1 == len(node.body):
                return _over_range(node, counter.id, end, body, before)
    return node


def _over_range(
    node: ast.While, name: str, end: ast.expr, body: list[ast.stmt], before: list[ast.stmt]
) -> ast.For:
    first = _taken(name, before)
    is_zero = first is None or (isinstance(first, ast.Constant) and first.value == 0)
    bounds = [end] if is_zero or first is None else [first, end]
    counts = ast.Call(ast.Name("range", ast.Load()), bounds, [])
    target = ast.Name(name, ast.Store())
    return ast.copy_location(ast.For(target, counts, body, node.orelse), node)


def _is_step(node: ast.stmt, name: str) -> bool:
    """Return whether `node` adds a constant to the counter `name`."""
    match node:
        case ast.AugAssign(target=ast.Name(id=counter), value=ast.Constant()):
            return counter == name
        case ast.Assign(targets=[ast.Name(id=counter)], value=ast.BinOp() as value):
            sides = [value.left, value.right]
            return counter == name and any(isinstance(each, ast.Constant) for each in sides)
    return False


def _taken(name: str, before: list[ast.stmt]) -> ast.expr | None:
    """Return the last value assigned to `name`, and remove the assignment from `before`."""
    for place in range(len(before) - 1, max(-1, len(before) - _LOOKED_BACK), -1):
        match before[place]:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                del before[place]
                return value
    return None


def _over_items(node: ast.For, before: list[ast.stmt], loads: Counter[str]) -> ast.For:
    """Return a loop over items in place of one over their indexes."""
    match node:
        case ast.For(
            target=ast.Name(id=index),
            iter=ast.Call(
                func=ast.Name(id="range"),
                args=[ast.Call(func=ast.Name(id="len"), args=[items])],
            ),
            body=[
                ast.Assign(targets=[item], value=ast.Subscript(value=of, slice=ast.Name(id=at))),
                *body,
            ],
            # Nodes are equal only to themselves.
        ) if at == index and body and ast.dump(of) == ast.dump(items):
            pass
        case _:
            return node
    again = (each for part in body for each in nodes_of(part))
    if any(isinstance(each, ast.Name) and each.id == index for each in again):
        return node
    if isinstance(items, ast.Name) and loads[items.id] == _LEN_AND_INDEX:
        items = _taken(items.id, before) or items
    return ast.copy_location(ast.For(item, items, body, node.orelse), node)
