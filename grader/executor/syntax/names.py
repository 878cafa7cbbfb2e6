"""What a name in the source stands for: a built-in, something imported, something of its own.

Names are told apart by scopes: a parameter `sum`, or a `map` of the module's own, is no built-in.
Some are suspicious: by these a program could lie to a probe that watches it from inside.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, cast

from grader.executor.syntax.source import Place
from grader.executor.syntax.tree import Module, Scope, Visit

_BUILT_IN: Final = frozenset(dir(builtins))
_WITH_A_STAR: Final = {
    "functools": frozenset({"reduce"}),
    "numpy": frozenset({"all", "any", "sum"}),
}
"""Names that matter here and come with `from ... import *`."""
_MOST_DOTS: Final = 10
"""No name that matters here has more; a chain of a thousand is somebody's joke."""
_LOOK_UPS: Final = frozenset({"getattr", "setattr", "delattr"})
_SUSPICIOUS_MODULES: Final = frozenset({"builtins", "ctypes", "gc", "inspect"})
_SUSPICIOUS_NAMES: Final = frozenset(
    (
        *("builtins.compile", "builtins.eval", "builtins.exec"),
        *("sys._current_frames", "sys._getframe", "sys.monitoring"),
        *("sys.setprofile", "sys.settrace"),
        *("threading.setprofile", "threading.settrace"),
        *("threading.setprofile_all_threads", "threading.settrace_all_threads"),
        *("traceback.walk_stack", "types.CodeType", "types.FunctionType"),
    )
)
_SUSPICIOUS_ATTRIBUTES: Final = frozenset(
    (
        *("__builtins__", "__code__", "__globals__", "__subclasses__"),
        *("ag_frame", "cr_frame", "f_back", "gi_frame", "tb_frame"),
    )
)
_PROBE: Final = "__probe_"
"""What the names of instruments begin with."""


def dotted(node: ast.AST, scope: Scope) -> str | None:
    """Return the full name of what is built in or imported: `builtins.map`, `functools.reduce`.

    None for anything else, such as what the module has made itself.
    """
    names: list[str] = []
    at = node
    while not isinstance(at, ast.Name):
        match at:
            case ast.Attribute(value=value, attr=name):
                at = value
            case ast.Call(
                func=ast.Name(id=function),
                args=[value, ast.Constant(value=str() as name), *_],
            ) if function in _LOOK_UPS and scope.home(function) is None:
                at = value
            case _:
                return None
        names.append(name)
        if len(names) > _MOST_DOTS:
            return None
    origin = _origin(at.id, scope)
    return None if origin is None else ".".join([origin, *reversed(names)])


def _origin(name: str, scope: Scope) -> str | None:
    home = scope.home(name)
    if home is not None:
        return home.imports.get(name)
    if name == "__builtins__":
        return "builtins"
    for module in scope.module.stars:
        if name in _WITH_A_STAR.get(module, ()):
            return f"{module}.{name}"
    return f"builtins.{name}" if name in _BUILT_IN else None


def constant_import(node: ast.Call, scope: Scope) -> str | None:
    """Return the module that a call imports by a literal name, if it does."""
    if dotted(node.func, scope) in {"builtins.__import__", "importlib.import_module"}:
        match node.args:
            case [ast.Constant(value=str() as name), *_]:
                return name
    return None


def star_home(name: str, scope: Scope, modules: dict[str, Module]) -> Scope | None:
    """Return the scope of a module of the submission that a `*` imports `name` from."""
    for star in scope.module.stars:
        if star in modules and name in modules[star].scope.bound:
            return modules[star].scope
    return None


class Named(NamedTuple):
    """A dotted name, and where it stands."""

    name: str
    place: Place


def imports(module: Module) -> Iterator[Named]:
    """Yield the modules that `module` imports, as it writes their names."""
    for visit in module.visits:
        yield from _imported(visit)


def _imported(visit: Visit) -> Iterator[Named]:
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


def suspicious(visit: Visit) -> Iterator[Named]:
    """Yield the names at `visit` that can lie to a probe."""
    source, node = visit.scope.module.source, cast("Any", visit.node)
    for name, place in _imported(visit):
        if name.partition(".")[0] in _SUSPICIOUS_MODULES:
            yield Named(name, place)
    match node:
        case ast.Name() | ast.Attribute() | ast.Call():
            if (suspected := _suspected(visit)) is not None:
                yield Named(suspected, source.place(node))
        case ast.ImportFrom(module=str() as origin, level=0, names=names):
            for alias in names:
                if f"{origin}.{alias.name}" in _SUSPICIOUS_NAMES:
                    yield Named(f"{origin}.{alias.name}", source.place(alias))


def _suspected(visit: Visit) -> str | None:
    """Return the name of what is named at `visit`, if that is suspicious."""
    node: Any = visit.node
    if isinstance(node, ast.Name):
        if node.id in _SUSPICIOUS_ATTRIBUTES or node.id.startswith(_PROBE):
            return str(node.id)
    elif isinstance(node, ast.Attribute):
        if node.attr in _SUSPICIOUS_ATTRIBUTES or node.attr.startswith(_PROBE):
            return str(node.attr)
    else:
        match node.args:
            case [_, ast.Constant(value=str() as literal), *_] if literal in _SUSPICIOUS_ATTRIBUTES:
                return literal if (dotted(node.func, visit.scope) or "").endswith("attr") else None
    if visit.in_annotation:
        return None
    name = dotted(node, visit.scope)
    if name is None or isinstance(visit.parent, ast.Attribute):
        return None  # `types.FunctionType` is looked at as a whole
    found = (each for each in _SUSPICIOUS_NAMES if f"{name}.".startswith(f"{each}."))
    return next((each.removeprefix("builtins.") for each in found), None)
