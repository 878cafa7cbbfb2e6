"""Finds code that runs, or calls functions, without being named in the source.

The names that functions read show which functions a call can reach, with three exceptions: code
at the top level, which runs when the module is imported; methods that Python or a library calls;
and functions that are looked up by a name made at run time.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any, Final

from grader.executor.syntax.names import resolve_name
from grader.executor.syntax.tree import Class, Module, Visit

_BLOCKS: Final = ("body", "orelse", "finalbody")
_EXITS: Final = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_LOOK_UPS: Final = frozenset(
    (
        *("builtins.__import__", "builtins.globals", "builtins.locals", "builtins.vars"),
        *("importlib.import_module", "importlib.reload", "operator.attrgetter"),
        *("operator.methodcaller", "sys.modules"),
    )
)
_TABLES: Final = frozenset({"__dict__", "__getattribute__"})
"""Attributes with which a program can look up any other attribute by name."""


def find_main_only_nodes(module: Module) -> frozenset[ast.AST]:
    """Return the nodes that run only if `module` is run as a program, not when it is imported."""
    # If the module binds `__name__`, the comparison might also be true when it is imported.
    if "__name__" in module.scope.bindings:
        return frozenset()
    bodies = [_main_body(statement) for statement in module.tree.body]
    return frozenset(node for body in bodies for child in body for node in ast.walk(child))


def _main_body(statement: ast.stmt) -> list[ast.stmt]:
    """Return the body of `if __name__ == "__main__":`; empty for any other `statement`."""
    match statement:
        case ast.If(
            test=ast.Compare(
                left=ast.Name(id="__name__"),
                ops=[ast.Eq()],
                comparators=[ast.Constant(value="__main__")],
            ),
            body=body,
        ):
            return body
        case _:
            return []


def find_unreachable_nodes(module: Module) -> set[ast.AST]:
    """Return the nodes that never run: after a `return` or another exit, or in `if False`."""
    dead: set[ast.AST] = set()
    for visit in module.visits:
        if visit.node in dead:
            continue
        node: Any = visit.node
        blocks = [getattr(node, name, None) for name in _BLOCKS]
        dead_blocks = [_statements_after_exit(block) for block in blocks if isinstance(block, list)]
        if isinstance(node, ast.If | ast.While) and _is_always_false(node.test):
            dead_blocks.append(node.body)
        dead.update(part for block in dead_blocks for child in block for part in ast.walk(child))
    return dead


def _statements_after_exit(block: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements of `block` after its first `return`, `raise`, `break` or `continue`."""
    positions = (
        index + 1 for index, statement in enumerate(block) if isinstance(statement, _EXITS)
    )
    return block[next(positions, len(block)) :]


def _is_always_false(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and not test.value


def runs_at_import(visit: Visit) -> bool:
    """Return whether the node at `visit` is outside the bodies of all functions.

    Decorators and defaults belong to a function, but are evaluated where the function is defined.
    """
    if visit.owner is None:
        return True
    scope = visit.scope
    while scope is not visit.owner.scope:
        if scope.parent is None:
            return True
        scope = scope.parent
    return False


def enclosing_function_name(visit: Visit) -> str:
    """Return the dotted name of the function whose body contains `visit`, or of the module."""
    if visit.owner is None or runs_at_import(visit):
        return visit.scope.module.name
    return visit.owner.name


def may_look_up_function(visit: Visit, modules: Mapping[str, Module]) -> bool:
    """Return whether the expression at `visit` might evaluate to a function without naming it.

    Passing on one of the submission's `modules` counts, too, because its functions can then be
    called.
    """
    node: Any = visit.node
    match node:
        case ast.Call(args=[_, name, *_]) if not isinstance(name, ast.Constant):
            return resolve_name(node.func, visit.scope) == "builtins.getattr"
        case ast.Attribute(attr=name) if name in _TABLES:
            return True
        case ast.Name() | ast.Attribute():
            full_name = resolve_name(node, visit.scope)
            is_base = isinstance(visit.parent, ast.Attribute)
            return full_name in _LOOK_UPS or (full_name in modules and not is_base)
        case _:
            return False


def is_called_implicitly(method: str, owner: Class, own_base_count: int) -> bool:
    """Return whether Python or a library might call `method` of the class `owner`.

    `own_base_count` is the number of base classes of `owner` that the submission defines.
    """
    is_special = method.startswith("__") and method.endswith("__")
    return is_special or own_base_count < len(owner.node.bases)
