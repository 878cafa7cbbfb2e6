"""Misconceptions about loops: which elements, how many iterations, and what is collected."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from grader.plugins.authoring.mutating.edits import (
    ProgramEdit,
    combine_edits,
    insert_lines,
    is_public,
    parameters,
    remove_statement,
    replace_node,
    stored_names,
)
from grader.plugins.authoring.mutating.kinds import kind
from grader.plugins.authoring.mutating.parsed_module import (
    Loop,
    ReferenceModule,
    body_without_docstring,
)

_COLLECTION_TYPES: Final = ("Collection", "Iterable", "Sequence", "Set", "set", "list", "tuple")
"""The beginnings of annotations that declare a collection."""


def first_one_decides(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that use the answer for the first element as the answer for all."""
    for loop, return_statement in _loops_before_a_return(program):
        last_statement = loop.body[-1]
        has_return = any(isinstance(node, ast.Return) for node in ast.walk(loop))
        if has_return and isinstance(last_statement, ast.If) and not last_statement.orelse:
            yield _append_to_loop(program, loop, program.text(return_statement))
    for node in program.nodes_of_type(ast.Call):
        match node:
            case ast.Call(
                func=ast.Name(id="any" | "all" as name), args=[ast.GeneratorExp() as generator]
            ):
                # For no elements, `all` is True and `any` is False.
                yield replace_node(
                    program, node, f"next({program.text(generator)}, {name == 'all'})"
                )


def return_in_the_loop(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that indent `return` into the loop, so that the loop ends after one iteration."""
    for loop, return_statement in _loops_before_a_return(program):
        if not isinstance(return_statement.value, ast.Constant):
            appended = _append_to_loop(program, loop, program.text(return_statement))
            yield combine_edits(loop, appended, remove_statement(program, return_statement))


def made_anew_in_the_loop(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that reset a total or a collection in each iteration."""
    for loop in _loops(program):
        for statement in program.statements_before(loop):
            match statement:
                case (
                    ast.Assign(targets=[ast.Name(id=name)], value=value)
                    | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
                ):
                    test_nodes = ast.walk(loop.test) if isinstance(loop, ast.While) else []
                    tested_names = {node.id for node in test_nodes if isinstance(node, ast.Name)}
                    # Resetting a variable of the loop condition would make the loop endless.
                    if (
                        _is_start_value(value)
                        and name not in tested_names
                        and _uses_name(loop, name)
                    ):
                        text = f"{name} = {program.text(value)}"
                        yield combine_edits(loop, insert_lines(program, loop.body[0], text))


def overwritten(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that replace a total instead of adding to it."""
    for node in program.nodes_of_type(ast.AugAssign):
        text = f"{program.text(node.target)} = {program.text(node.value)}"
        yield replace_node(program, node, text)


def only_one_round(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that use `if` instead of `while`."""
    for node in program.nodes_of_type(ast.While):
        # `break` and `continue` are not valid in an `if`.
        has_jump = any(isinstance(part, ast.Break | ast.Continue) for part in ast.walk(node))
        if not has_jump and not node.orelse:
            start, _ = program.span(node)
            yield ProgramEdit(anchor=node, changes=((start, start + len("while"), "if"),))


def only_the_first(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that end a loop after its first iteration, or loop over a single element."""
    for node in program.nodes_of_type(ast.For):
        if not node.orelse:
            yield _append_to_loop(program, node, "break")
    for sequence in _iterables(program):
        if isinstance(sequence, ast.Tuple | ast.List) and len(sequence.elts) > 1:
            for member in sequence.elts:
                yield replace_node(program, sequence, f"[{program.text(member)}]")


def same_case_twice(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that check one of two values twice and the other not at all."""
    for node in program.nodes_of_type(ast.BoolOp):
        for first_value, second_value in zip(node.values, node.values[1:], strict=False):
            match first_value, second_value:
                case ast.Call(func=first_function, args=[first_argument]), ast.Call(
                    func=second_function, args=[second_argument]
                ):
                    if ast.dump(first_function) == ast.dump(second_function):
                        yield replace_node(program, second_argument, program.text(first_argument))
                        yield replace_node(program, first_argument, program.text(second_argument))


def last_not_looked_at(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that skip the last element."""
    for node in _iterables(program):
        if not isinstance(node, ast.Tuple | ast.List):
            # Not every iterable supports slicing.
            yield replace_node(program, node, f"list({program.text(node)})[:-1]")


def first_not_looked_at(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that skip the first element."""
    for node in _iterables(program):
        if not isinstance(node, ast.Tuple | ast.List):
            yield replace_node(program, node, f"list({program.text(node)})[1:]")


def order_lost(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that do not sort, or use the first element as the minimum or maximum."""
    for node in program.nodes_of_type(ast.Call):
        match node:
            case ast.Call(func=ast.Name(id="sorted"), args=[value]):
                yield replace_node(program, node, f"list({program.text(value)})")
            case ast.Call(func=ast.Name(id="min" | "max"), args=[value]):
                yield replace_node(program, node, f"list({program.text(value)})[0]")


def doubles_kept(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that count duplicates twice."""
    for node in program.nodes_of_type(ast.Call):
        match node:
            case ast.Call(func=ast.Name(id="set"), args=[value]):
                yield replace_node(program, node, f"list({program.text(value)})")
    for comprehension in program.nodes_of_type(ast.SetComp):
        # The mutator `list_instead_of_a_set` changes a returned set.
        if not isinstance(program.parents[comprehension], ast.Return):
            yield replace_node(program, comprehension, f"[{program.text(comprehension)[1:-1]}]")


def used_as_a_list(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that index an argument that can be any iterable."""
    for node, name in _iterated_arguments(program):
        if kind(program, node) not in {"list", "tuple"}:
            yield replace_node(program, node, f"[{name}[i] for i in range(len({name}))]")


def argument_emptied(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that empty an argument that the caller still needs."""
    for node, name in _iterated_arguments(program):
        if kind(program, node) != "tuple":
            yield replace_node(program, node, f"[{name}.pop() for _ in range(len({name}))]")


def collections_added_up(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that add collection arguments together as if they were all lists."""
    for function in program.defs():
        names = [
            parameter.arg
            for parameter in parameters(function)
            if parameter.annotation is not None
            and program.text(parameter.annotation).startswith(_COLLECTION_TYPES)
        ]
        statements = body_without_docstring(function)  # empty if there is only a docstring
        if len(names) > 1 and statements:
            # The sum is not used: it only has to fail for collections that `+` does not accept.
            yield insert_lines(program, statements[0], f"{' + '.join(names)}")


def last_of_equals(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that keep the last of several equally good elements, not the first."""
    for node in program.nodes_of_type(ast.If):
        assigned_names = stored_names(*node.body)
        for test in ast.walk(node.test):
            match test:
                case ast.Compare(
                    left=left, ops=[ast.Lt() | ast.Gt() as op], comparators=[ast.Name(id=best)]
                ) if best in assigned_names:
                    new_operator = "<=" if isinstance(op, ast.Lt) else ">="
                    text = f"{program.parenthesized(left)} {new_operator} {best}"
                    yield replace_node(program, test, text)


def _loops(program: ReferenceModule) -> Iterator[Loop]:
    """Yield the `for` and `while` loops."""
    yield from program.nodes_of_type(ast.For)
    yield from program.nodes_of_type(ast.While)


def _loops_before_a_return(program: ReferenceModule) -> Iterator[tuple[Loop, ast.Return]]:
    """Yield each loop that is followed by a `return` statement, with that statement."""
    for loop in _loops(program):
        match program.statements_after(loop)[:1]:
            case [ast.Return() as return_statement]:
                yield loop, return_statement


def _append_to_loop(program: ReferenceModule, loop: Loop, text: str) -> ProgramEdit:
    """Return the edit that adds the statement `text` to the end of `loop`."""
    last_statement = loop.body[-1]
    _, end = program.span(last_statement)
    return ProgramEdit(
        anchor=loop, changes=((end, end, f"\n{program.indent(last_statement)}{text}"),)
    )


def _is_start_value(node: ast.expr) -> bool:
    """Return whether `node` is a start value: a falsy constant or an empty collection."""
    match node:
        case ast.Constant(value=value):
            return not value
        case ast.List(elts=elements) | ast.Dict(values=elements):
            return not elements
        case ast.Call(func=ast.Name(id="set" | "list" | "dict"), args=[]):
            return True
        case _:
            return False


def _uses_name(loop: Loop, name: str) -> bool:
    """Return whether the body of `loop` mentions `name`."""
    return any(
        isinstance(node, ast.Name) and node.id == name
        for statement in loop.body
        for node in ast.walk(statement)
    )


def _iterables(program: ReferenceModule) -> Iterator[ast.expr]:
    """Yield the iterables of loops and comprehensions, except ranges."""
    for node in program.nodes_of_types(ast.For, ast.comprehension):
        match node.iter:
            case ast.Call(func=ast.Name(id="range")):
                pass
            case _:
                yield node.iter


def _iterated_arguments(program: ReferenceModule) -> Iterator[tuple[ast.Name, str]]:
    """Yield the loop iterables that are arguments of a public function, with their names."""
    for node in program.nodes_of_types(ast.For, ast.comprehension):
        function = program.enclosing_function(node)
        if isinstance(node.iter, ast.Name) and function is not None and is_public(function):
            argument_names = {parameter.arg for parameter in parameters(function)}
            # In `for item in (first, second):` over arguments, `item` is an argument too.
            for loop in ast.walk(function):
                if isinstance(loop, ast.For) and isinstance(loop.iter, ast.Tuple):
                    argument_names |= {
                        name.id for name in ast.walk(loop.target) if isinstance(name, ast.Name)
                    }
            if node.iter.id in argument_names:
                yield node.iter, node.iter.id
