"""Misconceptions about grids: neighbours, rows and columns, sizes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import product
from typing import Final, TypeAlias

from grader.plugins.authoring.mutating.edits import (
    ProgramEdit,
    inserted,
    parameters,
    removed,
    replaced,
    swapped,
)
from grader.plugins.authoring.mutating.parsed_module import ReferenceModule, body_of, own_nodes

_Step: TypeAlias = tuple[int, int]
_STRAIGHT: Final[set[_Step]] = {(-1, 0), (1, 0), (0, -1), (0, 1)}
_DIAGONAL: Final[list[_Step]] = list(product((-1, 1), (-1, 1)))
_SIZES: Final = (4, 6, 10)
"""Likely sizes of the example in a spec."""


def diagonal_neighbours(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Count diagonal cells as neighbours."""
    yield from _more_steps(program, _DIAGONAL)


def cell_itself_counted(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Count a cell as its own neighbour."""
    yield from _more_steps(program, [(0, 0)])


def direction_forgotten(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Forget one of the directions."""
    for node, steps in _step_displays(program):
        for gone in range(len(steps)):
            kept = [text for i, text in enumerate(_members(program, node)) if i != gone]
            yield replaced(program, node, f"({', '.join(kept)})")
    for yields in _step_yields(program):
        for statement in yields:
            yield removed(program, statement)


def only_right_and_down(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Look only right and down, or only left and up."""
    for node, steps in _step_displays(program):
        # The two numbers of a step add up to 1 for right and down, else to -1.
        for wanted in (1, -1):
            members = zip(_members(program, node), steps, strict=True)
            kept = [text for text, step in members if sum(step) == wanted]
            yield replaced(program, node, f"({', '.join(kept)})")
    for yields in _step_yields(program):
        for op in (ast.Sub, ast.Add):
            gone = [s for s in yields if any(isinstance(node, op) for node in ast.walk(s))]
            changes = tuple(change for s in gone for change in removed(program, s).changes)
            yield ProgramEdit(anchor=yields[0], changes=changes)


def rows_and_columns_swapped(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Use the first index for the column."""
    for node in program.each(ast.Subscript):
        match node:
            case ast.Subscript(value=ast.Subscript(slice=first), slice=second):
                yield swapped(program, node, first, second)
            case ast.Subscript(slice=ast.Tuple(elts=[first, second])):
                yield swapped(program, node, first, second)
    for assignment in program.each(ast.Assign):
        match assignment.targets:
            case [ast.Tuple(elts=[ast.Name() as one, ast.Name() as other])]:
                if "_" not in {one.id, other.id}:
                    yield swapped(program, assignment, one, other)


def size_hard_coded(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Assume that all boards have the size of the example."""
    for node in program.each(ast.Assign):
        function = program.function(node)
        match node:
            case ast.Assign(targets=[ast.Attribute()], value=ast.Name(id=name) as value):
                if function is not None and name in _whole_numbers(function):
                    for size in _SIZES:
                        yield replaced(program, value, str(size))
    for call in program.each(ast.Call):
        if isinstance(call.func, ast.Name) and call.func.id == "len" and _is_bound(program, call):
            for size in (9, *_SIZES):
                yield replaced(program, call, str(size))


def default_always_used(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Always use the default value of a parameter."""
    for function in program.defs():
        given = [*function.args.posonlyargs, *function.args.args]
        defaults = function.args.defaults
        for parameter, value in zip(given[len(given) - len(defaults) :], defaults, strict=True):
            if isinstance(value, ast.Constant) and value.value is not None:
                first = body_of(function)[0]
                yield inserted(program, first, f"{parameter.arg} = {program.text(value)}")


def counted_from_the_other_end(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Count from one instead of zero, or the other way round."""
    for node in program.each(ast.Call):
        match node:
            case ast.Call(func=ast.Name(id="enumerate"), args=[what]):
                yield replaced(program, node, f"enumerate({program.text(what)}, 1)")
            case ast.Call(func=ast.Name(id="enumerate"), args=[what, _]):
                yield replaced(program, node, f"enumerate({program.text(what)})")
    for place in program.each(ast.Subscript):
        parts = place.slice.elts if isinstance(place.slice, ast.Tuple) else [place.slice]
        # In `row - 1`, the row counts from one.
        less = [p for p in parts if isinstance(p, ast.BinOp) and isinstance(p.op, ast.Sub)]
        changes = [replaced(program, p, program.text(p.left)).changes[0] for p in less]
        if changes:
            yield ProgramEdit(anchor=place, changes=tuple(changes))


def _more_steps(program: ReferenceModule, steps: list[_Step]) -> Iterator[ProgramEdit]:
    """Yield the edits that add `steps` to the steps to neighbours."""
    for node, _ in _step_displays(program):
        members = [*_members(program, node), *map(str, steps)]
        yield replaced(program, node, f"({', '.join(members)})")
    for yields in _step_yields(program):
        last = yields[-1]
        value = last.value.value if isinstance(last.value, ast.Yield) else None
        if isinstance(value, ast.Tuple):
            row, column = (
                program.text(e.left if isinstance(e, ast.BinOp) else e) for e in value.elts
            )
            lines = [f"yield {row} + {down}, {column} + {right}" for down, right in steps]
            yield inserted(program, last, "\n".join(lines))


def _step_displays(program: ReferenceModule) -> Iterator[tuple[ast.Tuple | ast.List, list[_Step]]]:
    """Yield the tuple and list displays of exactly the steps to the four neighbours."""
    for node in program.either(ast.Tuple, ast.List):
        steps = [_step(member) for member in node.elts]
        if set(steps) == _STRAIGHT and len(steps) == len(_STRAIGHT):  # none of them twice
            yield node, [step for step in steps if step is not None]


def _step_yields(program: ReferenceModule) -> Iterator[list[ast.Expr]]:
    """Yield the four `yield` statements of each function that yields four neighbours."""
    for function in program.defs():
        found = [
            node
            for node in own_nodes(function)
            if isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Yield)
            and isinstance(node.value.value, ast.Tuple)
            and len(node.value.value.elts) == 2
            and sum(isinstance(e, ast.BinOp) for e in node.value.value.elts) == 1
        ]
        if len(found) == len(_STRAIGHT):
            yield found


def _step(node: ast.expr) -> _Step | None:
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    match value:
        case (int() as down, int() as right):
            return down, right
        case _:
            return None


def _members(program: ReferenceModule, node: ast.Tuple | ast.List) -> list[str]:
    return [program.tight(member) for member in node.elts]


def _whole_numbers(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Return the parameters that are integers: annotated so, or passed to `range`."""
    ranges = {
        name.id
        for call in ast.walk(function)
        if isinstance(call, ast.Call) and ast.dump(call.func).startswith("Name(id='range'")
        for name in call.args
        if isinstance(name, ast.Name)
    }
    return {
        given.arg
        for given in parameters(function)
        if (isinstance(given.annotation, ast.Name) and given.annotation.id == "int")
        or given.arg in ranges
    }


def _is_bound(program: ReferenceModule, node: ast.Call) -> bool:
    """Return whether the call is an argument of `range`, or in a chained comparison."""
    match program.parents[node]:
        case ast.Call(func=ast.Name(id="range")):
            return True
        case ast.Compare(ops=[_, _, *_]):
            return True
        case _:
            return False
