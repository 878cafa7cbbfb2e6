"""Counts what a submission computes, in units that are the same on every machine.

Its source is rewritten so that each turn of a loop or comprehension, and each call of a function,
costs as many units as there is to do in it::

    while x:                     while x:
        step(x)                      True in METER.small or METER.spent()
                                     step(x)

METER is no name, which a program could look up, but a constant of its code: a mark as long as the
code travels, and then the meter itself, which `bound` puts there. `small` is an iterator that gives
True as often as there is room. So a tick costs 30 ns, and takes no frame: not even a recursion
at its limit notices. When there is no room left the executor says so, and ends.

A unit is about what it takes to load a name, 5 ns on the machine that this was written on. What one
call of a built-in function does is not seen, be it `sum(range(10**9))`, nor is code that is made
as text. For these there are clocks; see `grader.sandbox.budget`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import repeat
from types import CodeType
from typing import Final, NoReturn, TypeAlias

_PLACEHOLDER: Final = (frozenset[object](),)
"""What stands for the meter in code that travels: a constant that no source can make."""
_SIZES: Final = {"small": 8, "medium": 32, "large": 128, "huge": 512}
"""What a tick costs, by the name of its iterator: what a turn has to do is rounded to one."""
_TURN: Final = 3
_CALL: Final = 6
"""What a turn of a loop and a call cost beside what stands in them."""
_Loop: TypeAlias = ast.For | ast.AsyncFor | ast.While
_Comprehension: TypeAlias = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_Counted: TypeAlias = _Loop | _Comprehension | _Function
_COUNTED: Final = (
    *(ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.DictComp),
    *(ast.GeneratorExp, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda),
)


def rewritten(tree: ast.Module) -> ast.Module:
    """Return `tree`, changed in place: its loops and functions tell the meter of each turn."""
    for node, cost in _costs(tree):
        if isinstance(node, ast.Lambda):
            nothing = ast.copy_location(ast.Constant(None), node)
            choice = ast.IfExp(test=_tick(node, cost), body=node.body, orelse=nothing)
            node.body = ast.copy_location(choice, node.body)
        elif isinstance(node, _Comprehension):
            for generator in node.generators:
                generator.ifs.insert(0, _tick(node, cost))
        else:
            has_docstring = not isinstance(node, _Loop) and ast.get_docstring(node, clean=False)
            head = 0 if has_docstring in {False, None} else 1
            node.body.insert(head, ast.copy_location(ast.Expr(_tick(node, cost)), node))
    return tree


def _costs(tree: ast.Module) -> list[tuple[_Counted, int]]:
    """Return each loop and function of `tree`, with what a turn of it costs, without recursion.

    What stands in a loop or function in it is counted there.
    """
    costs: dict[ast.AST, int] = {}
    waiting: list[tuple[ast.AST, ast.AST]] = [(tree, tree)]
    while waiting:
        node, holder = waiting.pop()
        if isinstance(node, ast.expr | ast.stmt):
            costs[holder] = costs.get(holder, 0) + 1 + _CALL * isinstance(node, ast.Call)
        if isinstance(node, _COUNTED):
            costs[node] = _TURN if isinstance(node, _Loop | _Comprehension) else _CALL
        waiting += _parts(node, holder)
    return [(node, cost) for node, cost in costs.items() if isinstance(node, _COUNTED)]


def _parts(node: ast.AST, holder: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Yield the parts of `node`, each with the loop or function that it is counted for."""
    for name, value in ast.iter_fields(node):
        is_within = isinstance(node, _COUNTED) and (
            name in {"body", "test", "elt", "key", "value", "generators"}
        )
        inner = node if is_within else holder
        parts = value if isinstance(value, list) else [value]
        yield from ((part, inner) for part in parts if isinstance(part, ast.AST))


def _tick(like: ast.AST, cost: int) -> ast.expr:
    """Return what costs about `cost` units, and is true; it stands where `like` stands."""
    size = min(_SIZES, key=lambda name: abs(_SIZES[name] - cost))
    meter = ast.Constant(_PLACEHOLDER)  # type: ignore[arg-type] # the compiler takes it
    room = ast.Attribute(meter, size, ast.Load())
    has_room = ast.Compare(ast.Constant(True), [ast.In()], [room])
    spent = ast.Call(ast.Attribute(meter, "spent", ast.Load()), [], [])
    tick = ast.BoolOp(ast.Or(), [has_room, spent])
    for node in ast.walk(tick):
        ast.copy_location(node, like)
    return tick


class Meter:
    """What is left for a step: as many ticks of each size as there are units for."""

    __slots__ = ("_left", "_most", "huge", "large", "medium", "small", "spent")

    def __init__(self, session_units: int, spent: Callable[[], NoReturn]) -> None:
        """Count up to `session_units` in all; `spent` is called when a step has no room left."""
        self.spent: Final = spent
        self._left = session_units
        self._most = 0
        self.begin(0)

    def begin(self, units: int) -> None:
        """Give the next step `units`, or what is left for the session."""
        self._most = min(units, self._left)
        for name, size in _SIZES.items():
            setattr(self, name, repeat(True, self._most // size))

    def take(self) -> int:
        """Return how many units the step has used, which are gone."""
        used = sum(
            size * (self._most // size - _length_hint(getattr(self, name)))
            for name, size in _SIZES.items()
        )
        self._left = max(0, self._left - used)
        return used


def bound(code: CodeType, meter: Meter) -> CodeType:
    """Return rewritten `code` with `meter` in the place of what stands for it.

    Without recursion, as functions may be nested deeper than that goes.
    """
    parts, waiting = list[CodeType](), [code]
    while waiting:
        part = waiting.pop()
        parts.append(part)
        waiting += (each for each in part.co_consts if isinstance(each, CodeType))
    ready: dict[int, CodeType] = {}
    for part in reversed(parts):
        constants = tuple(
            ready[id(each)]
            if isinstance(each, CodeType)
            else meter
            if each == _PLACEHOLDER
            else each
            for each in part.co_consts
        )
        ready[id(part)] = part.replace(co_consts=constants)
    return ready[id(code)]


_length_hint: Final = repeat.__length_hint__
