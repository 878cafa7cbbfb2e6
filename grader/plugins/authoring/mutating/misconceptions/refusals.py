"""Misconceptions about invalid input: what to check, when, and how to report it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from grader.plugins.authoring.mutating.edits import (
    ProgramEdit,
    guards,
    reindented_source,
    remove_statement,
    replace_block,
    replace_node,
)
from grader.plugins.authoring.mutating.parsed_module import ReferenceModule


def other_exception(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that raise an exception of another type."""
    for guard, exception_name, message in _refusals(program):
        other_type = "TypeError" if exception_name == "ValueError" else "ValueError"
        yield _replace_refusal(program, guard, f"raise {other_type}({message})")


def changed_message(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that change the case of a message or end it with a full stop."""
    for guard, exception_name, message in _refusals(program):
        if message:
            yield _replace_refusal(
                program, guard, f"raise {exception_name}(({message}).capitalize())"
            )
            yield _replace_refusal(program, guard, f'raise {exception_name}(({message}) + ".")')


def no_message(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that raise without a message."""
    for guard, exception_name, message in _refusals(program):
        if message:
            yield _replace_refusal(program, guard, f"raise {exception_name}")


def printed_instead_of_raised(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that print a message instead of raising."""
    for guard, _, message in _refusals(program):
        yield _replace_refusal(program, guard, f"print({message})")


def false_instead_of_an_exception(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that return False instead of raising."""
    for guard, _, _ in _refusals(program):
        function = program.enclosing_function(guard)
        # `__init__` must not return anything other than None.
        if function is not None and function.name != "__init__":
            yield _replace_refusal(program, guard, "return False")


def silent_refusal(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that return None silently instead of raising."""
    for guard, _, _ in _refusals(program):
        yield _replace_refusal(program, guard, "return None")


def not_checked(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that omit a check."""
    for function in program.defs():
        for guard in guards(function):
            yield remove_statement(program, guard)


def written_before_checked(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that check only after making the change."""
    for function in program.defs():
        for guard in guards(function):
            following = []
            for statement in program.statements_after(guard):
                if isinstance(statement, ast.Return):  # a check after it would never run
                    break
                following.append(statement)
            if following:
                text = reindented_source(program, [*following, guard], guard.col_offset)
                yield replace_block(program, [guard, *following], text)


def exception_swallowed(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that swallow an exception that the caller should get."""
    refusing_names = {function.name for function in program.defs() if any(guards(function))}
    for node in program.nodes_of_types(ast.Return, ast.Expr):
        match node.value:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if (
                name in refusing_names
            ):
                indent = program.indent(node)
                text = reindented_source(program, [node], node.col_offset + 4)
                lines = ["try:", f"    {text}", "except Exception:", "    pass"]
                yield replace_node(program, node, f"\n{indent}".join(lines))


def negative_index_allowed(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that omit the lower bound, so that -1 is a valid index."""
    for node in program.nodes_of_type(ast.Compare):
        if len(node.ops) > 1 and isinstance(node.left, ast.Constant):
            start, _ = program.span(node.left)
            end, _ = program.span(node.comparators[0])
            yield ProgramEdit(anchor=node, changes=((start, end, ""),))


def no_upper_bound(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that omit the upper bound."""
    for node in program.nodes_of_type(ast.Compare):
        if len(node.ops) > 1:
            _, start = program.span(node.comparators[-2])
            _, end = program.span(node)
            yield ProgramEdit(anchor=node, changes=((start, end, ""),))


def one_coordinate_checked(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that check only one of two coordinates."""
    for node in program.nodes_of_type(ast.BoolOp):
        for dropped_chain in _chains(node):
            remaining = [
                program.parenthesized(value) for value in node.values if value is not dropped_chain
            ]
            yield replace_node(
                program, node, f"({' and '.join(remaining)})" if remaining[1:] else remaining[0]
            )
    for call in program.nodes_of_type(ast.Call):
        match call:
            case ast.Call(
                func=ast.Name(id="all"),
                args=[ast.GeneratorExp(elt=ast.Compare(ops=[_, _, *_]), generators=[clause])],
            ):
                yield replace_node(
                    program, clause.iter, f"{program.parenthesized(clause.iter)}[:1]"
                )
                yield replace_node(
                    program, clause.iter, f"{program.parenthesized(clause.iter)}[1:]"
                )


def square_assumed(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that assume that a grid is square."""
    for node in program.nodes_of_type(ast.BoolOp):
        chains = _chains(node)
        for first, second in pairwise(chains):
            first_bound, second_bound = first.comparators[-1], second.comparators[-1]
            yield replace_node(program, second_bound, program.text(first_bound))
            yield replace_node(program, first_bound, program.text(second_bound))


def _chains(node: ast.BoolOp) -> list[ast.Compare]:
    """Return the chained comparisons in an `and`, such as `0 <= x < n`.

    Return an empty list if there are fewer than two.
    """
    chains = [
        value for value in node.values if isinstance(value, ast.Compare) and len(value.ops) > 1
    ]
    return chains if isinstance(node.op, ast.And) and len(chains) > 1 else []


def _refusals(program: ReferenceModule) -> Iterator[tuple[ast.Raise | ast.Assert, str, str]]:
    """Yield each `raise` and `assert`, with the exception name and the source of the message.

    A bare `raise`, and one whose exception is not a plain name, are skipped.
    """
    for node in program.nodes_of_type(ast.Raise):
        match node.exc:
            case ast.Call(func=ast.Name(id=name), args=[message]):
                yield node, name, program.text(message)
            case ast.Name(id=name) | ast.Call(func=ast.Name(id=name)):
                yield node, name, ""
    for guard in program.nodes_of_type(ast.Assert):
        yield guard, "AssertionError", program.text(guard.msg) if guard.msg is not None else ""


def _replace_refusal(
    program: ReferenceModule, guard: ast.Raise | ast.Assert, statement: str
) -> ProgramEdit:
    """Return the edit that executes `statement` instead of raising."""
    if isinstance(guard, ast.Raise):
        return replace_node(program, guard, statement)
    text = f"if not {program.parenthesized(guard.test)}:\n{program.indent(guard)}    {statement}"
    return replace_node(program, guard, text)
