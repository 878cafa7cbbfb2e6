"""Edits of the source text of a program, for mutators.

A mutator is a function that takes a module and yields edits of it. It makes one kind of mistake in
one kind of construct, whatever the purpose of the program.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from grader.plugins.authoring.mutating.parsed_module import FunctionNode, ReferenceModule, own_nodes

Change: TypeAlias = tuple[int, int, str]
"""The start and end offset in the source, in bytes, and the new text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramEdit:
    """One edit of a program."""

    anchor: ast.AST
    """The changed node. The mutant is listed under the function and line of this node."""
    changes: tuple[Change, ...]


Mutator: TypeAlias = Callable[[ReferenceModule], Iterator[ProgramEdit]]
"""Makes one kind of mistake: yields an edit for each position where the mistake is possible."""


def replace_node(program: ReferenceModule, node: ast.AST, text: str) -> ProgramEdit:
    """Return the edit that replaces `node` with `text`."""
    return ProgramEdit(anchor=node, changes=((*program.span(node), text),))


def combine_edits(anchor: ast.AST, *edits: ProgramEdit) -> ProgramEdit:
    """Return one edit that makes all changes of `edits`."""
    return ProgramEdit(
        anchor=anchor, changes=tuple(change for edit in edits for change in edit.changes)
    )


def swap_expressions(
    program: ReferenceModule, anchor: ast.AST, first: ast.expr, second: ast.expr
) -> ProgramEdit:
    """Return the edit that swaps the source texts of two expressions."""
    replacements = (
        replace_node(program, first, program.text(second)),
        replace_node(program, second, program.text(first)),
    )
    return combine_edits(anchor, *replacements)


def called_name(node: ast.Call) -> str:
    """Return the name of the function or method that `node` calls, or an empty string."""
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def rename_call(program: ReferenceModule, call: ast.Call, name: str) -> Change:
    """Return the change that makes `call` call the function or method `name` instead.

    `call.func` must be a name or an attribute.
    """
    _, end = program.span(call.func)
    return end - len(called_name(call).encode()), end, name


def apply_changes(source: bytes, changes: tuple[Change, ...], start: int = 0) -> bytes:
    """Return `source` with `changes` applied.

    `source` is a part of a program, and `start` is its offset in the program.
    """
    # From the end, so that offsets before a change stay valid.
    for low, high, text in sorted(changes, reverse=True):
        source = source[: low - start] + text.encode() + source[high - start :]
    return source


def replace_operator(
    program: ReferenceModule, anchor: ast.AST, left: ast.expr, right: ast.expr, text: str
) -> Iterator[ProgramEdit]:
    """Yield the edit that replaces the operator between `left` and `right` with `text`.

    Yield nothing if there is no operator between them.
    """
    start, end = program.span(left)[1], program.span(right)[0]
    # `program.code` has spaces instead of comments, so only brackets and the operator are left.
    # `not in` and `is not` are two words.
    operator = re.search(rb"[^\s()\\]+(\s+(in|not)\b)?", program.code[start:end])
    if operator is not None:
        yield ProgramEdit(
            anchor=anchor, changes=((start + operator.start(), start + operator.end(), text),)
        )


def insert_lines(program: ReferenceModule, anchor: ast.stmt, text: str) -> ProgramEdit:
    """Return the edit that inserts `text` before the statement `anchor`, with its indentation."""
    start, _ = program.span(anchor)
    if isinstance(anchor, FunctionNode | ast.ClassDef) and anchor.decorator_list:
        start, _ = program.span(anchor.decorator_list[0])
        start -= 1  # the `@` is not part of the node
    lines = f"{text}\n".replace("\n", "\n" + " " * anchor.col_offset)
    return ProgramEdit(anchor=anchor, changes=((start, start, lines),))


def reindented_source(program: ReferenceModule, statements: list[ast.stmt], indent: int) -> str:
    """Return the source of consecutive `statements` of a block, reindented to `indent` spaces."""
    texts = (
        _reindent(program.text(statement), indent - statement.col_offset)
        for statement in statements
    )
    return ("\n" + " " * indent).join(texts)


def _reindent(text: str, offset: int) -> str:
    """Return `text`, lines of code, with all lines but the first indented by `offset` more spaces.

    A negative `offset` removes spaces.
    """
    first_line, *following = text.split("\n")
    if offset >= 0:
        shifted = [" " * offset + line if line.strip() else line for line in following]
    else:
        # A continuation line can be indented by fewer spaces than are to be removed.
        shifted = [line[min(-offset, len(line) - len(line.lstrip(" "))) :] for line in following]
    return "\n".join([first_line, *shifted])


def replace_block(program: ReferenceModule, statements: list[ast.stmt], text: str) -> ProgramEdit:
    """Return the edit that replaces consecutive `statements` with `text`."""
    start, end = program.span(statements[0])[0], program.span(statements[-1])[1]
    return ProgramEdit(anchor=statements[0], changes=((start, end, text),))


def remove_statement(program: ReferenceModule, statement: ast.stmt) -> ProgramEdit:
    """Return the edit that removes `statement`."""
    return replace_node(program, statement, "pass")  # a block cannot be empty


def add_import(program: ReferenceModule, line: str) -> ProgramEdit:
    """Return the edit that adds the import `line` to the top of the module."""
    body = program.tree.body
    # A docstring and `__future__` imports must stay first.
    first_statement = next(
        statement
        for index, statement in enumerate(body)
        if not (index == 0 and ast.get_docstring(program.tree, clean=False) is not None)
        and not (isinstance(statement, ast.ImportFrom) and statement.module == "__future__")
    )
    return insert_lines(program, first_statement, line)


def parameters(function: FunctionNode) -> list[ast.arg]:
    """Return the positional parameters of a function, without `self` or `cls`."""
    positional = [*function.args.posonlyargs, *function.args.args]
    return positional[1:] if positional and positional[0].arg in {"self", "cls"} else positional


def guards(function: FunctionNode) -> Iterator[ast.If | ast.Assert]:
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
    """Return the names that `nodes` assign to, repeated for each assignment."""
    return [
        node.id
        for root in nodes
        for node in ast.walk(root)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]


def is_public(function: FunctionNode) -> bool:
    """Return whether `function` is public. Names that start with `__` count as public."""
    return not function.name.startswith("_") or function.name.startswith("__")


def returns_with_value(function: FunctionNode) -> list[ast.Return]:
    """Return the `return` statements of `function` that have a value."""
    return [
        node
        for node in own_nodes(function)
        if isinstance(node, ast.Return) and node.value is not None
    ]
