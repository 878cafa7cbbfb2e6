"""Imports, and names by which a program could lie to a probe that watches it from inside."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from grader.executor.syntax.names import constant_import, dotted
from grader.executor.syntax.source import Place
from grader.executor.syntax.tree import Module, Visit

_MODULES: Final = frozenset({"builtins", "ctypes", "gc", "inspect"})
_NAMES: Final = frozenset(
    (
        *("builtins.compile", "builtins.eval", "builtins.exec"),
        *("sys._current_frames", "sys._getframe", "sys.monitoring"),
        *("sys.setprofile", "sys.settrace"),
        *("threading.setprofile", "threading.settrace"),
        *("threading.setprofile_all_threads", "threading.settrace_all_threads"),
        *("traceback.walk_stack", "types.CodeType", "types.FunctionType"),
    )
)
_ATTRIBUTES: Final = frozenset(
    (
        *("__builtins__", "__code__", "__globals__", "__subclasses__"),
        *("ag_frame", "cr_frame", "f_back", "gi_frame", "tb_frame"),
    )
)
_PROBE: Final = "__probe_"
"""What the names of instruments begin with."""


class Named(NamedTuple):
    """A dotted name, and where it stands."""

    name: str
    place: Place


def imports(module: Module) -> Iterator[Named]:
    """Yield the modules that `module` imports, as it writes their names."""
    source = module.source
    for visit in module.visits:
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


def suspicious(module: Module) -> Iterator[Named]:
    """Yield the names in `module` that can lie to a probe."""
    for name, place in imports(module):
        if name.partition(".")[0] in _MODULES:
            yield Named(name, place)
    for visit in module.visits:
        node: Any = visit.node
        match node:
            case ast.Name() | ast.Attribute() | ast.Call():
                if (suspected := _suspected(visit)) is not None:
                    yield Named(suspected, module.source.place(node))
            case ast.ImportFrom(module=str() as origin, level=0, names=names):
                for alias in names:
                    if f"{origin}.{alias.name}" in _NAMES:
                        place = module.source.place(alias)
                        yield Named(f"{origin}.{alias.name}", place)


def _suspected(visit: Visit) -> str | None:
    """Return the name of what is named at `visit`, if that is suspicious."""
    node: Any = visit.node
    if isinstance(node, ast.Name):
        if node.id in _ATTRIBUTES or node.id.startswith(_PROBE):
            return str(node.id)
    elif isinstance(node, ast.Attribute):
        if node.attr in _ATTRIBUTES or node.attr.startswith(_PROBE):
            return str(node.attr)
    else:
        match node.args:
            case [_, ast.Constant(value=str() as literal), *_] if literal in _ATTRIBUTES:
                return literal if (dotted(node.func, visit.scope) or "").endswith("attr") else None
    if visit.in_annotation:
        return None
    name = dotted(node, visit.scope)
    if name is None or isinstance(visit.parent, ast.Attribute):
        return None  # `types.FunctionType` is looked at as a whole
    found = (each for each in _NAMES if f"{name}.".startswith(f"{each}."))
    return next((each.removeprefix("builtins.") for each in found), None)
