"""Counts the computing work of a submission, in units that are the same on every machine.

Its source is rewritten so that each iteration of a loop or comprehension, and each call of a
function, costs units in proportion to the code in it::

    while x:                     while x:
        step(x)                      True in METER.small or METER.spent()
                                     step(x)

METER is not a name, which a program could look up, but a constant in its code; see
`grader.executor.rewriting`. `small` is an iterator that yields True as long as units are left. Such
a tick takes 30 ns and needs no frame, so it does not make a recursion deeper. When no units are
left, the executor reports that and exits.

A unit is about the time to load a name, 5 ns on the machine where this was written. Work within
one call of a built-in function, such as `sum(range(10**9))`, is not counted, nor is code compiled
from strings at run time. Clocks limit these; see `grader.sandbox.budget`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import repeat
from typing import Final, NamedTuple, NoReturn, TypeAlias

PLACEHOLDER: Final = (frozenset[object](),)
"""Stands for the meter in marshalled code: a constant that no source can produce."""
_SIZES: Final = {"vast": 256, "large": 64, "medium": 32, "little": 16, "small": 8}
"""The units of a tick, keyed by the name of its iterator. Costs are rounded down to one of them."""
_ITERATION_COST: Final = 3
_CALL_COST: Final = 6
"""Units for each iteration of a loop and for each call, in addition to the code in them."""
_CATCH_COST: Final = 64
"""Units for raising and catching an exception."""
_MIN_BRANCH_COST: Final = _SIZES["medium"]
"""Branches that cost less are not counted."""
_Comprehension: TypeAlias = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_COMPREHENSIONS: Final = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_LOOPS: Final = (ast.For, ast.AsyncFor, ast.While)
_BRANCHES: Final = (ast.ExceptHandler, ast.match_case)


def insert_ticks(tree: ast.Module) -> ast.Module:
    """Change `tree` so that the meter counts each iteration and call; return it."""
    _TickInserter().rewrite(tree)
    return tree


class _Block(NamedTuple):
    """A list of statements that run in sequence."""

    statements: list[ast.stmt]
    cost: int = 0
    """The cost of entering the block."""
    always_counted: bool = False
    """Whether the block gets a tick however cheap it is, so that every loop is counted."""
    runs_once: bool = False
    """Whether it is the body of a module or class: as it runs only once, it needs no ticks."""


class _TickInserter:
    """Rewrites the tree of one module, without recursion, because the tree can be deep.

    Only code that always runs together is counted together. A branch and the code after it have
    ticks of their own, so a function that returns in its first line costs no more than that line.
    """

    def __init__(self) -> None:
        self._blocks: Final[list[_Block]] = []
        self._lambdas: Final[list[ast.Lambda]] = []
        self._comprehensions: Final[list[_Comprehension]] = []

    def rewrite(self, tree: ast.Module) -> None:
        """Insert ticks into `tree`."""
        self._blocks.append(_Block(tree.body, runs_once=True))
        while self._blocks or self._lambdas or self._comprehensions:
            if self._blocks:
                self._count_block(self._blocks.pop())
            elif self._lambdas:
                self._count_lambda(self._lambdas.pop())
            else:
                self._count_comprehension(self._comprehensions.pop())

    def _count_block(self, block: _Block) -> None:
        """Insert a tick before each stretch of statements without a branch, and queue inner blocks.

        A cheap stretch gets no tick, unless it is the first in a block that is always counted. A
        block that runs once gets no ticks at all. Ticks are inserted from the last stretch to the
        first, because inserting moves all later statements.
        """
        statements, cost, *_ = block
        start, stretches = 0, []
        if block.always_counted and _is_string(statements[0]):
            start = 1  # a docstring must stay first
        for index, statement in enumerate(statements):
            block_count = len(self._blocks)
            cost += self._cost(statement)
            if len(self._blocks) > block_count:  # later statements might not run
                stretches.append((start, cost))
                start, cost = index + 1, 0
        stretches.append((start, cost))
        for start, cost in [] if block.runs_once else reversed(stretches):
            if cost >= _MIN_BRANCH_COST or (block.always_counted and (start, cost) == stretches[0]):
                # The last stretch can be empty.
                anchor = statements[min(start, len(statements) - 1)]
                statements.insert(start, ast.copy_location(ast.Expr(_tick(anchor, cost)), anchor))

    def _count_lambda(self, function: ast.Lambda) -> None:
        """Add a tick to the body of the lambda `function`."""
        cost = _CALL_COST + self._cost(function.body)
        none = ast.copy_location(ast.Constant(None), function)
        choice = ast.IfExp(test=_tick(function, cost), body=function.body, orelse=none)
        function.body = ast.copy_location(choice, function.body)

    def _count_comprehension(self, node: _Comprehension) -> None:
        """Add ticks to the comprehension `node`, for each iteration and each element."""
        values = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        cost = sum(map(self._cost, values))
        for index, generator in enumerate(node.generators):
            if index:
                # Only queues the code in the iterable, and ignores its cost: an inner iterable is
                # evaluated any number of times.
                self._cost(generator.iter, always_runs=False)
            test_cost = sum(self._cost(test) for test in generator.ifs[:1])
            for test in generator.ifs[1:]:
                self._cost(test, always_runs=False)
            # The tick comes first, since a test can skip the rest of the iteration.
            generator.ifs.insert(0, _tick(node, _ITERATION_COST + test_cost))
        if cost >= _MIN_BRANCH_COST:
            node.generators[-1].ifs.append(_tick(node, cost))

    def _cost(self, node: ast.AST, *, always_runs: bool = True) -> int:
        """Return the cost, in units, of the code that always runs when `node` does.

        Return 0 without `always_runs`. Queues the lambdas, comprehensions and blocks in `node`,
        which have ticks of their own.
        """
        cost, pending = 0, [(node, always_runs)]
        while pending:
            node, is_always_run = pending.pop()
            if is_always_run and isinstance(node, ast.expr | ast.stmt):
                cost += 1 + _CALL_COST * isinstance(node, ast.Call)
            if isinstance(node, ast.Lambda):
                self._lambdas.append(node)
                pending.append((node.args, is_always_run))
            elif isinstance(node, _COMPREHENSIONS):
                self._comprehensions.append(node)
                pending.append((node.generators[0].iter, is_always_run))
            else:
                pending += self._parts(node, is_always_run)
        return cost

    def _parts(self, node: ast.AST, is_always_run: bool) -> Iterator[tuple[ast.AST, bool]]:
        """Yield the parts of `node`, each with whether it always runs; queue the blocks in it."""
        conditional = _conditional_fields(node)
        for name, value in ast.iter_fields(node):
            if not isinstance(value, list):
                if isinstance(value, ast.AST):
                    yield value, is_always_run and name not in conditional
            elif value and isinstance(value[0], ast.stmt):
                self._blocks.append(self._block(node, name, value))
            else:
                for index, part in enumerate(value):
                    if isinstance(part, ast.AST):
                        is_branch = isinstance(part, _BRANCHES)
                        may_not_run = is_branch or (index > 0 and name in conditional)
                        yield part, is_always_run and not may_not_run

    def _block(self, node: ast.AST, name: str, statements: list[ast.stmt]) -> _Block:
        """Return the block in the field `name` of `node`, with the cost of entering it."""
        if isinstance(node, _FUNCTIONS):
            return _Block(statements, _CALL_COST, always_counted=True)
        if isinstance(node, ast.ExceptHandler):
            return _Block(statements, _CATCH_COST, always_counted=True)
        if isinstance(node, _LOOPS) and name == "body":
            header = node.test if isinstance(node, ast.While) else node.target
            return _Block(statements, _ITERATION_COST + _header_cost(header), always_counted=True)
        return _Block(statements, runs_once=isinstance(node, ast.ClassDef))


def _conditional_fields(node: ast.AST) -> frozenset[str]:
    """Return the names of the fields of `node` that do not always run.

    If such a field is a list, its first part does always run.
    """
    match node:
        case ast.BoolOp():
            return frozenset({"values"})
        case ast.IfExp():
            return frozenset({"body", "orelse"})
        case ast.Compare():
            return frozenset({"comparators"})
        case ast.Assert():
            return frozenset({"msg"})
        case _:
            return frozenset()


def _header_cost(node: ast.expr) -> int:
    """Return the approximate cost per iteration of the target or the test of a loop."""
    return 1 + sum(1 for _ in ast.iter_child_nodes(node))


def _is_string(statement: ast.stmt) -> bool:
    """Return whether `statement` is only a string, such as a docstring."""
    match statement:
        case ast.Expr(value=ast.Constant(value=str())):
            return True
        case _:
            return False


def _tick(origin: ast.AST, cost: int) -> ast.expr:
    """Return an expression that is always true, and that uses units whenever it is evaluated.

    It uses `cost` units, rounded down to the size of a tick, but at least 8. Its source position is
    that of `origin`.
    """
    size = next((name for name, size in _SIZES.items() if size <= cost), "small")
    meter = ast.Constant(PLACEHOLDER)  # type: ignore[arg-type] # the compiler accepts it
    iterator = ast.Attribute(meter, size, ast.Load())
    has_units = ast.Compare(ast.Constant(True), [ast.In()], [iterator])
    spent = ast.Call(ast.Attribute(meter, "spent", ast.Load()), [], [])
    tick = ast.BoolOp(ast.Or(), [has_units, spent])
    for node in ast.walk(tick):
        ast.copy_location(node, origin)
    return tick


class Meter:
    """The ticks that a step can still use.

    Each size of tick is counted separately, and can use all units of the step. So a step with ticks
    of several sizes can use several times its units.
    """

    __slots__ = (
        "_session_units_left",
        "_step_units",
        "large",
        "little",
        "medium",
        "small",
        "spent",
        "vast",
    )

    def __init__(self, session_units: int, spent: Callable[[], NoReturn]) -> None:
        """Allow `session_units` in total; `spent` is called when a step has no units left."""
        self.spent: Final = spent
        self._session_units_left = session_units
        self._step_units = 0
        self.begin_step(0)

    def begin_step(self, units: int) -> None:
        """Allow the next step `units`, or the session's remaining units if there are fewer."""
        self._step_units = min(units, self._session_units_left)
        for name, size in _SIZES.items():
            setattr(self, name, repeat(True, self._step_units // size))

    def remove_limits(self) -> None:
        """Allow any number of units from now on."""
        for name in _SIZES:
            setattr(self, name, repeat(True))

    def end_step(self) -> int:
        """Return how many units the step has used, and subtract them from the session's."""
        used = sum(
            size * (self._step_units // size - _length_hint(getattr(self, name)))
            for name, size in _SIZES.items()
        )
        self._session_units_left = max(0, self._session_units_left - used)
        return used


_length_hint: Final = repeat.__length_hint__
