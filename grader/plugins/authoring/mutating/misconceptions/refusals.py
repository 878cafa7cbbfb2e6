"""Misconceptions about invalid input: what to check, when, and how to report it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from grader.plugins.authoring.mutating.edits import (
    ProgramEdit,
    block_replaced,
    guards,
    lines_of,
    removed,
    replaced,
)
from grader.plugins.authoring.mutating.parsed_module import ReferenceModule


def other_exception(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Raise an exception of another type."""
    for guard, kind, message in _refusals(program):
        other = "TypeError" if kind == "ValueError" else "ValueError"
        yield _instead(program, guard, f"raise {other}({message})")


def changed_message(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Write a message with a capital, or with a full stop."""
    for guard, kind, message in _refusals(program):
        if message:
            yield _instead(program, guard, f"raise {kind}(({message}).capitalize())")
            yield _instead(program, guard, f'raise {kind}(({message}) + ".")')


def no_message(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Raise without a message."""
    for guard, kind, message in _refusals(program):
        if message:
            yield _instead(program, guard, f"raise {kind}")


def printed_instead_of_raised(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Print a message and go on."""
    for guard, _, message in _refusals(program):
        yield _instead(program, guard, f"print({message})")


def false_instead_of_an_exception(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Return False instead of raising."""
    for guard, _, _ in _refusals(program):
        function = program.function(guard)
        # `__init__` must return None.
        if function is not None and function.name != "__init__":
            yield _instead(program, guard, "return False")


def silent_refusal(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Ignore invalid input silently."""
    for guard, _, _ in _refusals(program):
        yield _instead(program, guard, "return None")


def not_checked(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Forget a check."""
    for function in program.defs():
        for guard in guards(function):
            yield removed(program, guard)


def written_before_checked(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Check only after the change is made."""
    for function in program.defs():
        for guard in guards(function):
            written = []
            for statement in program.after(guard):
                if isinstance(statement, ast.Return):  # a check after it would never run
                    break
                written.append(statement)
            if written:
                text = lines_of(program, [*written, guard], guard.col_offset)
                yield block_replaced(program, [guard, *written], text)


def exception_swallowed(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Swallow an exception that the caller should see."""
    refusing = {function.name for function in program.defs() if any(guards(function))}
    for node in program.either(ast.Return, ast.Expr):
        match node.value:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in refusing:
                blank = program.indent(node)
                text = lines_of(program, [node], node.col_offset + 4)
                lines = ["try:", f"    {text}", "except Exception:", "    pass"]
                yield replaced(program, node, f"\n{blank}".join(lines))


def negative_index_allowed(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Forget the lower bound, so that -1 is a valid index."""
    for node in program.each(ast.Compare):
        if len(node.ops) > 1 and isinstance(node.left, ast.Constant):
            start, _ = program.span(node.left)
            end, _ = program.span(node.comparators[0])
            yield ProgramEdit(anchor=node, changes=((start, end, ""),))


def no_upper_bound(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Forget the upper bound."""
    for node in program.each(ast.Compare):
        if len(node.ops) > 1:
            _, start = program.span(node.comparators[-2])
            _, end = program.span(node)
            yield ProgramEdit(anchor=node, changes=((start, end, ""),))


def one_coordinate_checked(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Check only one of two coordinates."""
    for node in program.each(ast.BoolOp):
        for gone in _chains(node):
            rest = [program.tight(value) for value in node.values if value is not gone]
            yield replaced(program, node, f"({' and '.join(rest)})" if rest[1:] else rest[0])
    for call in program.each(ast.Call):
        match call:
            case ast.Call(
                func=ast.Name(id="all"),
                args=[ast.GeneratorExp(elt=ast.Compare(ops=[_, _, *_]), generators=[clause])],
            ):
                yield replaced(program, clause.iter, f"{program.tight(clause.iter)}[:1]")
                yield replaced(program, clause.iter, f"{program.tight(clause.iter)}[1:]")


def square_assumed(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Assume that a grid is square."""
    for node in program.each(ast.BoolOp):
        chains = _chains(node)
        for one, other in pairwise(chains):
            bound, second = one.comparators[-1], other.comparators[-1]
            yield replaced(program, second, program.text(bound))
            yield replaced(program, bound, program.text(second))


def _chains(node: ast.BoolOp) -> list[ast.Compare]:
    """Return the chains such as `0 <= x < n` in an `and`; none unless there are several."""
    chains = [v for v in node.values if isinstance(v, ast.Compare) and len(v.ops) > 1]
    return chains if isinstance(node.op, ast.And) and len(chains) > 1 else []


def _refusals(program: ReferenceModule) -> Iterator[tuple[ast.Raise | ast.Assert, str, str]]:
    """Yield each raise or assert, with the name of the exception and the source of its message."""
    for node in program.each(ast.Raise):
        match node.exc:
            case ast.Call(func=ast.Name(id=name), args=[message]):
                yield node, name, program.text(message)
            case ast.Name(id=name) | ast.Call(func=ast.Name(id=name)):
                yield node, name, ""
    for guard in program.each(ast.Assert):
        yield guard, "AssertionError", program.text(guard.msg) if guard.msg is not None else ""


def _instead(
    program: ReferenceModule, guard: ast.Raise | ast.Assert, statement: str
) -> ProgramEdit:
    """Return the edit that does `statement` instead of raising."""
    if isinstance(guard, ast.Raise):
        return replaced(program, guard, statement)
    text = f"if not {program.tight(guard.test)}:\n{program.indent(guard)}    {statement}"
    return replaced(program, guard, text)
