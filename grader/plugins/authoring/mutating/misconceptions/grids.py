"""Misconceptions about grids: neighbours, rows and columns, sizes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import product
from typing import Final, TypeAlias

from grader.plugins.authoring.mutating.edits import (
    ProgramEdit,
    insert_lines,
    parameters,
    remove_statement,
    replace_node,
    swap_expressions,
)
from grader.plugins.authoring.mutating.parsed_module import (
    ReferenceModule,
    body_without_docstring,
    own_nodes,
)

_Offset: TypeAlias = tuple[int, int]
_STRAIGHT_OFFSETS: Final[set[_Offset]] = {(-1, 0), (1, 0), (0, -1), (0, 1)}
_DIAGONAL_OFFSETS: Final[list[_Offset]] = list(product((-1, 1), (-1, 1)))
_EXAMPLE_SIZES: Final = (4, 6, 10)
"""Likely grid sizes in the examples of a spec."""


def diagonal_neighbours(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that count diagonal cells as neighbours."""
    yield from _with_more_steps(program, _DIAGONAL_OFFSETS)


def cell_itself_counted(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that count a cell as its own neighbour."""
    yield from _with_more_steps(program, [(0, 0)])


def direction_forgotten(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that omit one of the directions."""
    for node, steps in _step_displays(program):
        for dropped_index in range(len(steps)):
            remaining = [
                text for index, text in enumerate(_members(program, node)) if index != dropped_index
            ]
            yield replace_node(program, node, f"({', '.join(remaining)})")
    for yields in _step_yields(program):
        for statement in yields:
            yield remove_statement(program, statement)


def only_right_and_down(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that look only right and down, or only left and up."""
    for node, steps in _step_displays(program):
        # The two numbers of an offset add up to 1 for right and down, otherwise to -1.
        for total in (1, -1):
            members = zip(_members(program, node), steps, strict=True)
            remaining = [text for text, step in members if sum(step) == total]
            yield replace_node(program, node, f"({', '.join(remaining)})")
    for yields in _step_yields(program):
        # Without the subtractions, only right and down remain.
        for op in (ast.Sub, ast.Add):
            dropped_statements = [
                statement
                for statement in yields
                if any(isinstance(node, op) for node in ast.walk(statement))
            ]
            changes = tuple(
                change
                for statement in dropped_statements
                for change in remove_statement(program, statement).changes
            )
            yield ProgramEdit(anchor=yields[0], changes=changes)


def rows_and_columns_swapped(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that use the first index, or the first of two unpacked names, for the column."""
    for node in program.nodes_of_type(ast.Subscript):
        match node:
            case ast.Subscript(value=ast.Subscript(slice=first_index), slice=second_index):
                yield swap_expressions(program, node, first_index, second_index)
            case ast.Subscript(slice=ast.Tuple(elts=[first_index, second_index])):
                yield swap_expressions(program, node, first_index, second_index)
    for assignment in program.nodes_of_type(ast.Assign):
        match assignment.targets:
            case [ast.Tuple(elts=[ast.Name() as left, ast.Name() as right])]:
                if "_" not in {left.id, right.id}:
                    yield swap_expressions(program, assignment, left, right)


def size_hard_coded(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that assume that every grid has the size of one in an example."""
    for node in program.nodes_of_type(ast.Assign):
        function = program.enclosing_function(node)
        match node:
            case ast.Assign(targets=[ast.Attribute()], value=ast.Name(id=name) as value):
                if function is not None and name in _integer_parameters(function):
                    for size in _EXAMPLE_SIZES:
                        yield replace_node(program, value, str(size))
    for call in program.nodes_of_type(ast.Call):
        if (
            isinstance(call.func, ast.Name)
            and call.func.id == "len"
            and _is_range_bound(program, call)
        ):
            for size in (9, *_EXAMPLE_SIZES):
                yield replace_node(program, call, str(size))


def default_always_used(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that always use the default value of a parameter."""
    for function in program.defs():
        arguments = [*function.args.posonlyargs, *function.args.args]
        defaults = function.args.defaults
        for parameter, value in zip(
            arguments[len(arguments) - len(defaults) :], defaults, strict=True
        ):
            if isinstance(value, ast.Constant) and value.value is not None:
                # The body can consist of only a docstring.
                for first_statement in body_without_docstring(function)[:1]:
                    yield insert_lines(
                        program, first_statement, f"{parameter.arg} = {program.text(value)}"
                    )


def counted_from_the_other_end(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that count from one instead of zero, or vice versa."""
    for node in program.nodes_of_type(ast.Call):
        match node:
            case ast.Call(func=ast.Name(id="enumerate"), args=[iterable]):
                yield replace_node(program, node, f"enumerate({program.text(iterable)}, 1)")
            case ast.Call(func=ast.Name(id="enumerate"), args=[iterable, _]):
                yield replace_node(program, node, f"enumerate({program.text(iterable)})")
    for subscript in program.nodes_of_type(ast.Subscript):
        parts = (
            subscript.slice.elts if isinstance(subscript.slice, ast.Tuple) else [subscript.slice]
        )
        # `row - 1` shows that rows are counted from one.
        differences = [
            part for part in parts if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Sub)
        ]
        changes = [
            replace_node(program, part, program.text(part.left)).changes[0] for part in differences
        ]
        if changes:
            yield ProgramEdit(anchor=subscript, changes=tuple(changes))


def _with_more_steps(program: ReferenceModule, steps: list[_Offset]) -> Iterator[ProgramEdit]:
    """Yield edits that add the offsets `steps` to the offsets of the neighbours."""
    for node, _ in _step_displays(program):
        members = [*_members(program, node), *map(str, steps)]
        yield replace_node(program, node, f"({', '.join(members)})")
    for yields in _step_yields(program):
        last_yield = yields[-1]
        value = last_yield.value.value if isinstance(last_yield.value, ast.Yield) else None
        if isinstance(value, ast.Tuple):
            row, column = (
                program.text(element.left if isinstance(element, ast.BinOp) else element)
                for element in value.elts
            )
            lines = [f"yield {row} + {down}, {column} + {right}" for down, right in steps]
            yield insert_lines(program, last_yield, "\n".join(lines))


def _step_displays(
    program: ReferenceModule,
) -> Iterator[tuple[ast.Tuple | ast.List, list[_Offset]]]:
    """Yield the tuple and list displays that contain exactly the four straight offsets.

    Each comes with its offsets in order.
    """
    for node in program.nodes_of_types(ast.Tuple, ast.List):
        steps = [_read_step(member) for member in node.elts]
        has_duplicates = len(steps) != len(_STRAIGHT_OFFSETS)
        if set(steps) == _STRAIGHT_OFFSETS and not has_duplicates:
            yield node, [step for step in steps if step is not None]


def _step_yields(program: ReferenceModule) -> Iterator[list[ast.Expr]]:
    """Yield, for each function that yields four neighbours, its four `yield` statements."""
    for function in program.defs():
        yields = [
            node
            for node in own_nodes(function)
            if isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Yield)
            and isinstance(node.value.value, ast.Tuple)
            and len(node.value.value.elts) == 2
            and sum(isinstance(element, ast.BinOp) for element in node.value.value.elts) == 1
        ]
        if len(yields) == len(_STRAIGHT_OFFSETS):
            yield yields


def _read_step(node: ast.expr) -> _Offset | None:
    """Return the offset that `node` spells out, or None if it is not a literal offset."""
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
    """Return the sources of the elements of `node`, in brackets where necessary."""
    return [program.parenthesized(member) for member in node.elts]


def _integer_parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Return the names of the parameters that are annotated as `int` or passed to `range`."""
    range_arguments = {
        name.id
        for call in ast.walk(function)
        if isinstance(call, ast.Call) and ast.dump(call.func).startswith("Name(id='range'")
        for name in call.args
        if isinstance(name, ast.Name)
    }
    return {
        parameter.arg
        for parameter in parameters(function)
        if (isinstance(parameter.annotation, ast.Name) and parameter.annotation.id == "int")
        or parameter.arg in range_arguments
    }


def _is_range_bound(program: ReferenceModule, node: ast.Call) -> bool:
    """Return whether the call `node` is an argument of `range` or part of a chained comparison."""
    match program.parents[node]:
        case ast.Call(func=ast.Name(id="range")):
            return True
        case ast.Compare(ops=[_, _, *_]):
            return True
        case _:
            return False
