"""Edits of the text of a program, for mutators.

A mutator is a function from a module to its edits. It knows a construct and one way to get it
wrong, but not what the program is for.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from grader.plugins.authoring.mutating.parsed_module import Def, ReferenceModule, own_nodes

Change: TypeAlias = tuple[int, int, str]
"""Start and end in the source, in bytes, and the new text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramEdit:
    """One edit of a program."""

    anchor: ast.AST
    """The node that is changed. The mutant is listed under its function and line."""
    changes: tuple[Change, ...]


Mutator: TypeAlias = Callable[[ReferenceModule], Iterator[ProgramEdit]]
"""One kind of mistake: yields an edit for each place where it can be made."""


def replaced(program: ReferenceModule, node: ast.AST, text: str) -> ProgramEdit:
    """Return the edit that replaces a node by a text."""
    return ProgramEdit(anchor=node, changes=((*program.span(node), text),))


def together(anchor: ast.AST, *edits: ProgramEdit) -> ProgramEdit:
    """Return the edit that makes all changes of `edits`."""
    return ProgramEdit(
        anchor=anchor, changes=tuple(change for edit in edits for change in edit.changes)
    )


def swapped(
    program: ReferenceModule, anchor: ast.AST, one: ast.expr, other: ast.expr
) -> ProgramEdit:
    """Return the edit that swaps the texts of two expressions."""
    both = (
        replaced(program, one, program.text(other)),
        replaced(program, other, program.text(one)),
    )
    return together(anchor, *both)


def called_name(node: ast.Call) -> str:
    """Return the name of the function or method that is called, or an empty string."""
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def renamed(program: ReferenceModule, call: ast.Call, name: str) -> Change:
    """Return the change that calls another function or method."""
    _, end = program.span(call.func)
    return end - len(called_name(call).encode()), end, name


def spliced(source: bytes, changes: tuple[Change, ...], start: int = 0) -> bytes:
    """Return a part of the source, which begins at `start`, with changes made in it."""
    # from the end: offsets before it stay valid
    for low, high, text in sorted(changes, reverse=True):
        source = source[: low - start] + text.encode() + source[high - start :]
    return source


def operator_replaced(
    program: ReferenceModule, anchor: ast.AST, left: ast.expr, right: ast.expr, text: str
) -> Iterator[ProgramEdit]:
    """Yield the edit that replaces the operator between two operands."""
    start, end = program.span(left)[1], program.span(right)[0]
    # `program.code` has blanks for comments, so only brackets and the operator are in between.
    # `not in` and `is not` are two words.
    found = re.search(rb"[^\s()\\]+(\s+(in|not)\b)?", program.code[start:end])
    if found is not None:
        yield ProgramEdit(
            anchor=anchor, changes=((start + found.start(), start + found.end(), text),)
        )


def inserted(program: ReferenceModule, anchor: ast.stmt, text: str) -> ProgramEdit:
    """Return the edit that inserts lines before a statement, with its indentation."""
    start, _ = program.span(anchor)
    if isinstance(anchor, Def | ast.ClassDef) and anchor.decorator_list:
        start, _ = program.span(anchor.decorator_list[0])
        start -= 1  # the `@` before it
    lines = f"{text}\n".replace("\n", "\n" + " " * anchor.col_offset)
    return ProgramEdit(anchor=anchor, changes=((start, start, lines),))


def lines_of(program: ReferenceModule, statements: list[ast.stmt], indent: int) -> str:
    """Return the text of statements of one block, reindented."""
    texts = (_shifted(program.text(each), indent - each.col_offset) for each in statements)
    return ("\n" + " " * indent).join(texts)


def _shifted(text: str, by: int) -> str:
    """Return lines of code indented by more blanks or, for a negative number, fewer."""
    first, *others = text.split("\n")
    if by >= 0:
        moved = [" " * by + line if line.strip() else line for line in others]
    else:
        # A continued line may have fewer blanks than that.
        moved = [line[min(-by, len(line) - len(line.lstrip(" "))) :] for line in others]
    return "\n".join([first, *moved])


def block_replaced(program: ReferenceModule, statements: list[ast.stmt], text: str) -> ProgramEdit:
    """Return the edit that replaces consecutive statements by lines."""
    start, end = program.span(statements[0])[0], program.span(statements[-1])[1]
    return ProgramEdit(anchor=statements[0], changes=((start, end, text),))


def removed(program: ReferenceModule, statement: ast.stmt) -> ProgramEdit:
    """Return the edit that removes a statement."""
    return replaced(program, statement, "pass")  # a block cannot be empty


def imported(program: ReferenceModule, line: str) -> ProgramEdit:
    """Return the edit that adds an import to the module."""
    body = program.tree.body
    # A docstring and `__future__` imports must stay first.
    first = next(
        statement
        for index, statement in enumerate(body)
        if not (index == 0 and ast.get_docstring(program.tree, clean=False) is not None)
        and not (isinstance(statement, ast.ImportFrom) and statement.module == "__future__")
    )
    return inserted(program, first, line)


def parameters(function: Def) -> list[ast.arg]:
    """Return the plain parameters of a function, without the object of a method."""
    given = [*function.args.posonlyargs, *function.args.args]
    return given[1:] if given and given[0].arg in {"self", "cls"} else given


def guards(function: Def) -> Iterator[ast.If | ast.Assert]:
    """Yield the guards of a function: each `if` that only raises, and each `assert`."""
    for node in own_nodes(function):
        if isinstance(node, ast.Assert) or (
            isinstance(node, ast.If)
            and len(node.body) == 1
            and isinstance(node.body[0], ast.Raise)
            and not node.orelse
        ):
            yield node


def stored_names(*nodes: ast.AST) -> list[str]:
    """Return the names that are assigned in some nodes, once per assignment."""
    return [
        node.id
        for part in nodes
        for node in ast.walk(part)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]


def is_public(function: Def) -> bool:
    """Return whether a function is public; special methods are."""
    return not function.name.startswith("_") or function.name.startswith("__")


def returns(function: Def) -> list[ast.Return]:
    """Return the statements of a function that return a value."""
    return [
        node
        for node in own_nodes(function)
        if isinstance(node, ast.Return) and node.value is not None
    ]
