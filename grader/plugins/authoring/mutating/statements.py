"""Mutators of statements and names: slips of the pen."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Final

from grader.plugins.authoring.mutating.edits import (
    ProgramEdit,
    block_replaced,
    guards,
    is_public,
    lines_of,
    parameters,
    removed,
    replaced,
)
from grader.plugins.authoring.mutating.kinds import kind, result_kind
from grader.plugins.authoring.mutating.parsed_module import Def, ReferenceModule

_OTHERS: Final[Mapping[str | None, tuple[str, ...]]] = {
    "bool": ("True", "False"),
    "int": ("0",),
    "str": ('""',),
    "set": ("set()",),
    "list": ("[]",),
    "tuple": ("()",),
    "dict": ("{}",),
}
"""Other values that a function could return, by the kind of its result."""


def statement(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Remove a statement of a function."""
    for node in program.statements():
        inside = program.function(node) is not None
        # `result` changes what is returned.
        kept = isinstance(node, Def | ast.ClassDef | ast.Return | ast.Pass)
        if inside and not kept:
            yield removed(program, node)


def result(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Return None, or another value of the same kind."""
    for node in program.each(ast.Return):
        function = program.function(node)
        if node.value is None or function is None:
            continue
        found = result_kind(program, function) or kind(program, node.value)
        if found != "bool" or is_public(function):
            # Not for a predicate that is a helper: its callers take None for False.
            yield replaced(program, node, "return None")
        if not isinstance(node.value, ast.Constant):
            for text in _OTHERS.get(found, ()):
                yield replaced(program, node, f"return {text}")


def order(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Move a check behind the statement that it should guard."""
    for function in program.defs():
        for guard in guards(function):
            following = program.after(guard)[:1]
            if following and not isinstance(following[0], ast.Return):
                pair = [guard, *following]
                text = lines_of(program, pair[::-1], guard.col_offset)
                yield block_replaced(program, pair, text)


def jump(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Swap `break` and `continue`."""
    for stop in program.each(ast.Break):
        yield replaced(program, stop, "continue")
    for turn in program.each(ast.Continue):
        yield replaced(program, turn, "break")


def branch(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Remove an `else` branch."""
    for node in program.each(ast.If):
        if node.orelse and not isinstance(node.orelse[0], ast.If):
            yield block_replaced(program, node.orelse, "pass")


def default(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Change the default value of a parameter."""
    for function in program.defs():
        for value in function.args.defaults:
            if not isinstance(value, ast.Constant):
                yield replaced(program, value, "None")
            elif value.value is None:
                yield replaced(program, value, "0")


def name(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Use another parameter of the same type, or another name of the same unpacking."""
    others = {function: _look_alikes(function) for function in program.defs()}
    for node in program.each(ast.Name):
        function = program.function(node)
        if function is not None and isinstance(node.ctx, ast.Load):
            for other in others[function].get(node.id, ()):
                yield replaced(program, node, other)


def attribute(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Use another attribute of the object that has the same type."""
    for node in program.each(ast.ClassDef):
        twins = _twin_attributes(node)
        for used in program.each(ast.Attribute):
            other = twins.get(used.attr)
            loads = isinstance(used.ctx, ast.Load) and isinstance(used.value, ast.Name)
            if other is not None and loads and program.class_of(used) is node:
                yield replaced(program, used, f"{program.text(used.value)}.{other}")


def _look_alikes(function: Def) -> dict[str, list[str]]:
    """Return the names in `function` that are easily confused with each other."""
    groups: dict[str, list[str]] = {}
    for name, hint in _hints(function).items():
        groups.setdefault(hint, []).append(name)
    unpacked = [
        [name.id for name in node.elts if isinstance(name, ast.Name) and name.id != "_"]
        for node in ast.walk(function)
        if isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Store)
    ]
    found: dict[str, list[str]] = {}
    for names in [*groups.values(), *unpacked]:
        # Each name is replaced by the next one only, which keeps mutants few.
        for one, other in zip(names, names[1:] + names[:1], strict=True):
            if one != other and other not in found.setdefault(one, []):
                found[one].append(other)
    return found


def _hints(function: Def) -> dict[str, str]:
    """Return the annotations of parameters, as text that can be compared."""
    return {
        given.arg: ast.dump(given.annotation)
        for given in parameters(function)
        if given.annotation is not None
    }


def _twin_attributes(node: ast.ClassDef) -> dict[str, str]:
    """Return pairs of attributes that `__init__` sets to parameters of the same type."""
    groups: dict[str, list[str]] = {}
    for function in node.body:
        if isinstance(function, Def) and function.name == "__init__":
            hints = _hints(function)
            for bound in ast.walk(function):
                match bound:
                    case ast.Assign(
                        targets=[ast.Attribute(attr=attr)], value=ast.Name(id=given)
                    ) if given in hints:
                        groups.setdefault(hints[given], []).append(attr)
    return {
        one: other
        for group in groups.values()
        for one, other in zip(group, group[1:] + group[:1], strict=True)
        if one != other
    }
