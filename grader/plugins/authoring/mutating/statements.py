"""Mutators of statements and names, which make typing slips."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Final

from grader.plugins.authoring.mutating.edits import (
    ProgramEdit,
    guards,
    is_public,
    parameters,
    reindented_source,
    remove_statement,
    replace_block,
    replace_node,
)
from grader.plugins.authoring.mutating.kinds import kind, result_kind
from grader.plugins.authoring.mutating.parsed_module import FunctionNode, ReferenceModule

_OTHER_VALUES: Final[Mapping[str | None, tuple[str, ...]]] = {
    "bool": ("True", "False"),
    "int": ("0",),
    "str": ('""',),
    "set": ("set()",),
    "list": ("[]",),
    "tuple": ("()",),
    "dict": ("{}",),
}
"""Other values that a function could return, keyed by the type of its result."""


def statement(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that remove a statement from a function."""
    for node in program.statements():
        in_function = program.enclosing_function(node) is not None
        # The mutator `result` changes the returned value instead.
        is_excluded = isinstance(node, FunctionNode | ast.ClassDef | ast.Return | ast.Pass)
        if in_function and not is_excluded:
            yield remove_statement(program, node)


def result(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that return None or another value of the same type."""
    for node in program.nodes_of_type(ast.Return):
        function = program.enclosing_function(node)
        if node.value is None or function is None:
            continue
        result_type = result_kind(program, function) or kind(program, node.value)
        if result_type != "bool" or is_public(function):
            # Not for a private predicate: its callers treat None like False.
            yield replace_node(program, node, "return None")
        if not isinstance(node.value, ast.Constant):
            for text in _OTHER_VALUES.get(result_type, ()):
                yield replace_node(program, node, f"return {text}")


def order(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that move a check after the statement that it should guard."""
    for function in program.defs():
        for guard in guards(function):
            following = program.statements_after(guard)[:1]
            if following and not isinstance(following[0], ast.Return):
                pair = [guard, *following]
                text = reindented_source(program, pair[::-1], guard.col_offset)
                yield replace_block(program, pair, text)


def jump(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that swap `break` and `continue`."""
    for break_statement in program.nodes_of_type(ast.Break):
        yield replace_node(program, break_statement, "continue")
    for continue_statement in program.nodes_of_type(ast.Continue):
        yield replace_node(program, continue_statement, "break")


def branch(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that remove an `else` branch."""
    for node in program.nodes_of_type(ast.If):
        if node.orelse and not isinstance(node.orelse[0], ast.If):
            yield replace_block(program, node.orelse, "pass")


def default(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that change the default value of a parameter.

    Constants other than None are left to the mutators of expressions.
    """
    for function in program.defs():
        for value in function.args.defaults:
            if not isinstance(value, ast.Constant):
                yield replace_node(program, value, "None")
            elif value.value is None:
                yield replace_node(program, value, "0")


def name(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that confuse two parameters of the same type, or two names of one unpacking."""
    confusable = {function: _confusable_names(function) for function in program.defs()}
    for node in program.nodes_of_type(ast.Name):
        function = program.enclosing_function(node)
        if function is not None and isinstance(node.ctx, ast.Load):
            for replacement in confusable[function].get(node.id, ()):
                yield replace_node(program, node, replacement)


def attribute(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that use another attribute of the same object and type."""
    for node in program.nodes_of_type(ast.ClassDef):
        twins = _twin_attributes(node)
        for access in program.nodes_of_type(ast.Attribute):
            replacement = twins.get(access.attr)
            is_read = isinstance(access.ctx, ast.Load) and isinstance(access.value, ast.Name)
            if replacement is not None and is_read and program.enclosing_class(access) is node:
                yield replace_node(program, access, f"{program.text(access.value)}.{replacement}")


def _confusable_names(function: FunctionNode) -> dict[str, list[str]]:
    """Return, for each name in `function`, the other names that it is easily confused with."""
    groups: dict[str, list[str]] = {}
    for name, hint in _hints(function).items():
        groups.setdefault(hint, []).append(name)
    unpacked = [
        [name.id for name in node.elts if isinstance(name, ast.Name) and name.id != "_"]
        for node in ast.walk(function)
        if isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Store)
    ]
    replacements: dict[str, list[str]] = {}
    for names in [*groups.values(), *unpacked]:
        # Each name is replaced with the next one only, to limit the number of mutants.
        for current, following in zip(names, names[1:] + names[:1], strict=True):
            if current != following and following not in replacements.setdefault(current, []):
                replacements[current].append(following)
    return replacements


def _hints(function: FunctionNode) -> dict[str, str]:
    """Return the annotations of the parameters of `function` as comparable text, keyed by name."""
    return {
        parameter.arg: ast.dump(parameter.annotation)
        for parameter in parameters(function)
        if parameter.annotation is not None
    }


def _twin_attributes(node: ast.ClassDef) -> dict[str, str]:
    """Return the attributes that `__init__` sets to parameters of the same type.

    The result maps each of these attributes to the next one of its type, and the last to the first.
    """
    groups: dict[str, list[str]] = {}
    for function in node.body:
        if isinstance(function, FunctionNode) and function.name == "__init__":
            hints = _hints(function)
            for part in ast.walk(function):
                match part:
                    case ast.Assign(
                        targets=[ast.Attribute(attr=attr)], value=ast.Name(id=name)
                    ) if name in hints:
                        groups.setdefault(hints[name], []).append(attr)
    return {
        current: following
        for group in groups.values()
        for current, following in zip(group, group[1:] + group[:1], strict=True)
        if current != following
    }
