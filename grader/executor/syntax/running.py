"""Finds code that runs, or makes calls, without a visible name.

The names that functions read show which functions a call can reach, with three exceptions: code
at the top level, which runs when the module is imported; methods that Python or a library calls;
and functions that are looked up by a name made at run time.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any, Final

from grader.executor.syntax.names import dotted
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


def unrun(module: Module) -> frozenset[ast.AST]:
    """Return the nodes that run only if `module` is run as a program."""
    # If the module binds `__name__`, the comparison may be true in an import, too.
    if "__name__" in module.scope.bound:
        return frozenset()
    bodies = [_main_body(each) for each in module.tree.body]
    return frozenset(node for body in bodies for each in body for node in ast.walk(each))


def _main_body(statement: ast.stmt) -> list[ast.stmt]:
    """Return the body of `if __name__ == "__main__":`, empty for any other statement."""
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


def unreachable(module: Module) -> set[ast.AST]:
    """Return the nodes that never run: after a `return` or the like, and below `if False`."""
    dead: set[ast.AST] = set()
    for visit in module.visits:
        if visit.node in dead:
            continue
        node: Any = visit.node
        blocks = [getattr(node, name, None) for name in _BLOCKS]
        dead_blocks = [_after_exit(block) for block in blocks if isinstance(block, list)]
        if isinstance(node, ast.If | ast.While) and _is_never(node.test):
            dead_blocks.append(node.body)
        dead.update(part for block in dead_blocks for each in block for part in ast.walk(each))
    return dead


def _after_exit(block: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements of `block` after the first `return` or the like."""
    positions = (number for number, each in enumerate(block, start=1) if isinstance(each, _EXITS))
    return block[next(positions, len(block)) :]


def _is_never(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and not test.value


def runs_at_import(visit: Visit) -> bool:
    """Return whether the node at `visit` is outside the body of any function.

    Decorators and defaults belong to a function, but are evaluated where it is defined.
    """
    if visit.owner is None:
        return True
    scope = visit.scope
    while scope is not visit.owner.scope:
        if scope.parent is None:
            return True
        scope = scope.parent
    return False


def where(visit: Visit) -> str:
    """Return the name of the function whose body contains `visit`, else that of the module."""
    if visit.owner is None or runs_at_import(visit):
        return visit.scope.module.name
    return visit.owner.name


def looks_up(visit: Visit, modules: Mapping[str, Module]) -> bool:
    """Return whether the expression at `visit` may evaluate to a function without naming it.

    Passing on a module of the submission counts, too: its functions can then be called.
    """
    node: Any = visit.node
    match node:
        case ast.Call(args=[_, name, *_]) if not isinstance(name, ast.Constant):
            return dotted(node.func, visit.scope) == "builtins.getattr"
        case ast.Attribute(attr=name) if name in _TABLES:
            return True
        case ast.Name() | ast.Attribute():
            full = dotted(node, visit.scope)
            is_base = isinstance(visit.parent, ast.Attribute)
            return full in _LOOK_UPS or (full in modules and not is_base)
        case _:
            return False


def is_called_unseen(method: str, owner: Class, bases: int) -> bool:
    """Return whether Python or a library may call `method` of `owner`.

    `bases` is how many of its base classes are the submission's own.
    """
    is_special = method.startswith("__") and method.endswith("__")
    return is_special or bases < len(owner.node.bases)
