"""Which methods only look at an object, at what other methods change."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from grader.plugins.authoring.mutating.edits import is_public, parameters, returns
from grader.plugins.authoring.mutating.kinds import annotated
from grader.plugins.authoring.mutating.parsed_module import Def, ReferenceModule

_CHANGING: Final = {
    *("add", "append", "clear", "discard", "extend", "insert", "pop", "popitem", "remove"),
    *("reverse", "setdefault", "sort", "update"),
}
_UNHASHABLE: Final = {"list", "set", "dict"}


def observers(program: ReferenceModule) -> Iterator[Def]:
    """Yield the public methods whose result depends on what others change in the object."""
    for node in program.each(ast.ClassDef):
        methods = {part.name: part for part in node.body if isinstance(part, Def)}
        changes = {name: _changed(method) for name, method in methods.items()}
        reads = {name: _read(method) for name, method in methods.items()}
        called = {name: reads[name] & methods.keys() for name in methods}
        changed = set[str]().union(*(what for name, what in changes.items() if name != "__init__"))
        for name, method in methods.items():
            reached = _reached(name, called)
            writes = any(changes[other] for other in reached)
            looks = any(reads[other] & changed for other in reached)
            shown = is_public(method) and bool(returns(method))
            if shown and looks and not writes and _is_hashable(program, method):
                yield method


def _reached(name: str, called: dict[str, set[str]]) -> set[str]:
    """Return the methods that a call of one leads to, itself included."""
    reached, todo = {name}, [name]
    while todo:
        new = called[todo.pop()] - reached
        reached |= new
        todo.extend(new)
    return reached


def _is_hashable(program: ReferenceModule, method: Def) -> bool:
    hints = [given.annotation for given in parameters(method) if given.annotation is not None]
    return not any(annotated(program, hint) in _UNHASHABLE for hint in hints)


def _read(method: Def) -> set[str]:
    """Return the attributes and methods of the object that a method names."""
    return {
        node.attr
        for node in ast.walk(method)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    }


def _changed(method: Def) -> set[str]:
    """Return the attributes of the object that a method changes."""
    found = set()
    for node in ast.walk(method):
        match node:
            case (
                ast.Attribute(ctx=ast.Store() | ast.Del())
                | ast.Subscript(ctx=ast.Store() | ast.Del())
            ):
                found.add(_root(node))
            case ast.Call(func=ast.Attribute(attr=name, value=value)) if name in _CHANGING:
                found.add(_root(value))
    return found - {""}


def _root(node: ast.expr) -> str:
    """Return the attribute of the object that a place lies in, empty if it lies elsewhere."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        match node:
            case ast.Attribute(value=ast.Name(id="self"), attr=attr):
                return attr
        node = node.value
    return ""
