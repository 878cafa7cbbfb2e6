"""Resolves names in the source to built-ins, imported objects, or definitions of the submission.

This respects scopes: a parameter `sum`, or a `map` that the module defines, is not the built-in.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from typing import Final, NamedTuple

from grader.executor.syntax.source import Span
from grader.executor.syntax.tree import Module, Scope, Visit

_BUILT_IN: Final = frozenset(dir(builtins))
_STAR_NAMES: Final = {
    "functools": frozenset({"reduce"}),
    "numpy": frozenset({"all", "any", "sum"}),
}
"""Names that have a meaning in rules and that `from ... import *` can bind, by module."""
_MAX_DOTS: Final = 10
"""No name in a rule has more dots, while a hostile chain of attributes could have thousands."""
_LOOK_UPS: Final = frozenset({"getattr", "setattr", "delattr"})


def resolve_name(node: ast.AST, scope: Scope) -> str | None:
    """Return the full name of the built-in or imported object at `node`: `functools.reduce`.

    Return None for anything else, such as an object that the module defines. Built-ins are named
    like `builtins.map`. A `getattr` with a literal name counts as the attribute.
    """
    names: list[str] = []
    current = node
    while not isinstance(current, ast.Name):
        match current:
            case ast.Attribute(value=value, attr=name):
                current = value
            case ast.Call(
                func=ast.Name(id=function),
                args=[value, ast.Constant(value=str() as name), *_],
            ) if function in _LOOK_UPS and scope.defining_scope(function) is None:
                current = value
            case _:
                return None
        names.append(name)
        if len(names) > _MAX_DOTS:
            return None
    full_name = _full_name(current.id, scope)
    return None if full_name is None else ".".join([full_name, *reversed(names)])


def _full_name(name: str, scope: Scope) -> str | None:
    """Return the full name of the object that `name` refers to in `scope`, or None."""
    defining_scope = scope.defining_scope(name)
    if defining_scope is not None:
        return defining_scope.imports.get(name)
    if name == "__builtins__":  # CPython binds this name in each module
        return "builtins"
    for module in scope.module.star_imports:
        if name in _STAR_NAMES.get(module, ()):
            return f"{module}.{name}"
    return f"builtins.{name}" if name in _BUILT_IN else None


def literal_import(node: ast.Call, scope: Scope) -> str | None:
    """Return the name of the module that the call `node` imports by a literal name, or None."""
    if resolve_name(node.func, scope) in {"builtins.__import__", "importlib.import_module"}:
        match node.args:
            case [ast.Constant(value=str() as name), *_]:
                return name
    return None


def star_import_scope(name: str, scope: Scope, modules: dict[str, Module]) -> Scope | None:
    """Return the scope of the module in `modules` from which a star import binds `name`.

    Return None if there is no such module.
    """
    for star in scope.module.star_imports:
        if star in modules and name in modules[star].scope.bindings:
            return modules[star].scope
    return None


class LocatedName(NamedTuple):
    """A dotted name and its span in the source."""

    name: str
    span: Span


def find_imports(module: Module) -> Iterator[LocatedName]:
    """Yield the modules that `module` imports, named as in the source, with their spans."""
    for visit in module.visits:
        yield from imports_at(visit)


def imports_at(visit: Visit) -> Iterator[LocatedName]:
    """Yield the modules that the node at `visit` imports, with their spans.

    They are named as in the source.
    """
    source = visit.scope.module.source
    match visit.node:
        case ast.Import(names=names):
            yield from (LocatedName(alias.name, source.span(alias)) for alias in names)
        case ast.ImportFrom(module=None, names=names, level=level):
            dots = "." * level
            yield from (LocatedName(f"{dots}{alias.name}", source.span(alias)) for alias in names)
        case ast.ImportFrom(module=str() as name, level=level) as node:
            yield LocatedName(f"{'.' * level}{name}", source.span(node))
        case ast.Call() as node:
            if (module_name := literal_import(node, visit.scope)) is not None:
                yield LocatedName(module_name, source.span(node))
