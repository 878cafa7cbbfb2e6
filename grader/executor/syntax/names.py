"""Resolves names in the source: to built-ins, imported objects, or the module's own.

This respects scopes: a parameter `sum`, or a `map` that the module defines, is not the built-in.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from typing import Final, NamedTuple

from grader.executor.syntax.source import Place
from grader.executor.syntax.tree import Module, Scope, Visit

_BUILT_IN: Final = frozenset(dir(builtins))
_STAR_NAMES: Final = {
    "functools": frozenset({"reduce"}),
    "numpy": frozenset({"all", "any", "sum"}),
}
"""Names that matter here and that `from ... import *` may bind."""
_MAX_DOTS: Final = 10
"""No name that matters here has more dots; a hostile chain may have thousands."""
_LOOK_UPS: Final = frozenset({"getattr", "setattr", "delattr"})


def dotted(node: ast.AST, scope: Scope) -> str | None:
    """Return the full name of a built-in or imported object: `builtins.map`, `functools.reduce`.

    Return None for anything else, such as objects that the module defines.
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
            ) if function in _LOOK_UPS and scope.home(function) is None:
                current = value
            case _:
                return None
        names.append(name)
        if len(names) > _MAX_DOTS:
            return None
    full_name = _full_name(current.id, scope)
    return None if full_name is None else ".".join([full_name, *reversed(names)])


def _full_name(name: str, scope: Scope) -> str | None:
    """Return the full name of what `name` means in `scope`, if it is built-in or imported."""
    home = scope.home(name)
    if home is not None:
        return home.imports.get(name)
    if name == "__builtins__":  # CPython binds it in each module
        return "builtins"
    for module in scope.module.stars:
        if name in _STAR_NAMES.get(module, ()):
            return f"{module}.{name}"
    return f"builtins.{name}" if name in _BUILT_IN else None


def constant_import(node: ast.Call, scope: Scope) -> str | None:
    """Return the module that a call imports by a literal name, or None."""
    if dotted(node.func, scope) in {"builtins.__import__", "importlib.import_module"}:
        match node.args:
            case [ast.Constant(value=str() as name), *_]:
                return name
    return None


def star_home(name: str, scope: Scope, modules: dict[str, Module]) -> Scope | None:
    """Return the scope of the submission's module that `name` is star-imported from, or None."""
    for star in scope.module.stars:
        if star in modules and name in modules[star].scope.bound:
            return modules[star].scope
    return None


class Named(NamedTuple):
    """A dotted name and its place."""

    name: str
    place: Place


def imports(module: Module) -> Iterator[Named]:
    """Yield the modules that `module` imports, by their names as written."""
    for visit in module.visits:
        yield from imported(visit)


def imported(visit: Visit) -> Iterator[Named]:
    """Yield the modules that the node at `visit` imports."""
    source = visit.scope.module.source
    match visit.node:
        case ast.Import(names=names):
            yield from (Named(alias.name, source.place(alias)) for alias in names)
        case ast.ImportFrom(module=None, names=names, level=level):
            dots = "." * level
            yield from (Named(f"{dots}{alias.name}", source.place(alias)) for alias in names)
        case ast.ImportFrom(module=str() as name, level=level) as node:
            yield Named(f"{'.' * level}{name}", source.place(node))
        case ast.Call() as node:
            if (called := constant_import(node, visit.scope)) is not None:
                yield Named(called, source.place(node))
