"""Which parts of a reference belong to what is asked: the names in `defines`, and what they use.

A reference may hold more: functions that students are given, a main program. Mistakes in these are
nobody's mistakes.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from typing import TypeAlias

Lines: TypeAlias = tuple[int, int]


def idle_parts(reference: Mapping[str, str], defines: Collection[str]) -> dict[str, list[Lines]]:
    """Return the first and the last line of each part that `defines` has no use for.

    A part is a statement at the level of a module that binds names; they are given by the module of
    the `reference`. A name is used where it stands: nothing is resolved, so that a part may be
    taken for used that is not. Other statements are used, but for the main program.
    """
    parts = {module: ast.parse(source).body for module, source in reference.items()}
    used = {name.rpartition(".")[2] for name in defines}
    binding: dict[str, list[ast.stmt]] = {}
    waiting = []
    for statement in (each for statements in parts.values() for each in statements):
        names = set(_bound(statement))
        for name in names:
            binding.setdefault(name, []).append(statement)
        if names & used or not (names or _is_main_program(statement)):
            waiting.append(statement)
    while waiting:
        for name in set(_read(waiting.pop())) - used:
            used.add(name)
            waiting += binding.get(name, [])
    return {
        module: [
            (statement.lineno, statement.end_lineno or statement.lineno)
            for statement in statements
            if _is_main_program(statement) or not used.issuperset(_bound(statement))
        ]
        for module, statements in parts.items()
    }


def _bound(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a definition or an assignment binds."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Assign() | ast.AnnAssign():
            for node in ast.walk(statement):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    yield node.id


def _read(statement: ast.stmt) -> Iterator[str]:
    for node in ast.walk(statement):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                yield name


def _is_main_program(statement: ast.stmt) -> bool:
    match statement:
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
            return True
        case _:
            return False
