"""Misconceptions about objects: shared state, its lifetime, copies and aliases."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from grader.plugins.authoring.mutating.edits import (
    ProgramEdit,
    imported,
    inserted,
    is_public,
    parameters,
    removed,
    replaced,
    returns,
    stored_names,
    together,
)
from grader.plugins.authoring.mutating.kinds import annotated, kind
from grader.plugins.authoring.mutating.parsed_module import Def, ReferenceModule, body_of

_COLLECTIONS: Final = {"set", "list", "dict"}
_EMPTY_CALLS: Final = {"set", "list", "dict", "Counter", "deque"}
_CHANGING: Final = {
    *("add", "append", "clear", "discard", "extend", "insert", "pop", "popitem", "remove"),
    *("reverse", "setdefault", "sort", "update"),
}
_UNHASHABLE: Final = {"list", "set", "dict"}


def class_level_state(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Make a collection in the class body, so that all objects share it."""
    for statement, target, value in _attributes_set(program):
        node = program.class_of(statement)
        local = {name.id for name in ast.walk(value) if isinstance(name, ast.Name)}
        known = _names_bound(program, statement)
        # The names of `__init__` do not exist in the class body.
        if node is not None and kind(program, value) in _COLLECTIONS and not local & known:
            first = next(part for part in node.body if isinstance(part, Def))
            moved = inserted(program, first, f"{target.attr} = {program.text(value)}\n")
            yield together(statement, removed(program, statement), moved)


def attribute_of_the_class(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Set an attribute on the class, so that each new object changes it for all."""
    for statement, target, _ in _attributes_set(program):
        node = program.class_of(statement)
        if node is not None and program.text(target).startswith("self."):
            start, _end = program.span(target)
            changes = ((start, start + len("self"), node.name),)
            # An annotation may stay: `C.x: set[int] = set()` is a valid assignment.
            yield ProgramEdit(anchor=statement, changes=changes)


def mutable_default(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Use a mutable default value, so that all calls share it."""
    for function, statement, name, value in _fresh_locals(program):
        arguments = function.args
        # Otherwise a default at the end would not be a positional one.
        if not (arguments.vararg or arguments.kwonlyargs or arguments.kwarg):
            given = [*arguments.posonlyargs, *arguments.args, *arguments.defaults]
            if given:
                at, comma = max(program.span(part)[1] for part in given), ", "
            else:
                start, _ = program.span(function)
                bracket = re.search(rb"\(", program.code[start:])
                assert bracket is not None
                at, comma = start + bracket.end(), ""
            added = ProgramEdit(anchor=statement, changes=((at, at, f"{comma}{name}={value}"),))
            yield together(statement, removed(program, statement), added)


def global_state(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Use a global collection, so that all calls share it."""
    for _, statement, name, value in _fresh_locals(program):
        outermost = program.owners(statement)[-1]
        added = inserted(program, outermost, f"{name} = {value}\n\n")
        yield together(statement, removed(program, statement), added)


def remembered_result(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Cache a result, and keep it after the object changed."""
    for function in _observers(program):
        decorator = inserted(program, function, "@functools.cache")
        yield together(function, imported(program, "import functools"), decorator)


def copy_of_itself(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Return a copy instead of `self`."""
    for node in _self_returns(program):
        changed = replaced(program, node, "return copy.deepcopy(self)")
        yield together(node, imported(program, "import copy"), changed)


def nothing_instead_of_itself(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Return nothing instead of `self`."""
    for node in _self_returns(program):
        yield removed(program, node)


def text_instead_of_itself(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Return `str(self)` instead of `self`."""
    for node in _self_returns(program):
        yield replaced(program, node, "return str(self)")


def handed_out(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Return internal state instead of a copy."""
    for node, inner in _copies(program):
        if _is_returned(program, node):
            yield replaced(program, node, program.text(inner))


def taken_over(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Keep or change an argument instead of a copy."""
    for node, inner in _copies(program):
        if not _is_returned(program, node):
            yield replaced(program, node, program.text(inner))


def shared_rows(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Multiply a list of lists, so that all rows are the same object."""
    for node in program.each(ast.ListComp):
        match node.generators:
            case [ast.comprehension(iter=ast.Call(func=ast.Name(id="range"), args=[size]), ifs=[])]:
                if kind(program, node.elt) == "list":
                    text = f"[{program.text(node.elt)}] * {program.tight(size)}"
                    yield replaced(program, node, f"({text})")


def _attributes_set(
    program: ReferenceModule,
) -> Iterator[tuple[ast.stmt, ast.Attribute, ast.expr]]:
    """Yield the assignments to attributes in `__init__`: statement, target and value."""
    for node in program.either(ast.Assign, ast.AnnAssign):
        match node:
            case (
                ast.Assign(targets=[ast.Attribute() as target], value=value)
                | ast.AnnAssign(target=ast.Attribute() as target, value=ast.expr() as value)
            ):
                function = program.function(node)
                if function is not None and function.name == "__init__":
                    yield node, target, value


def _names_bound(program: ReferenceModule, node: ast.AST) -> set[str]:
    """Return the names bound in the function around `node`."""
    function = program.function(node)
    assert function is not None
    return {"self", *stored_names(function), *(given.arg for given in parameters(function))}


def _fresh_locals(program: ReferenceModule) -> Iterator[tuple[Def, ast.stmt, str, str]]:
    """Yield each statement that binds an empty collection to a name, if nothing else binds it."""
    for function in program.defs():
        names = stored_names(function)
        for statement in body_of(function):
            match statement:
                case (
                    ast.Assign(targets=[ast.Name(id=name)], value=value)
                    | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
                ) if _is_empty(value) and names.count(name) == 1:
                    yield function, statement, name, program.text(value)


def _is_empty(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=name), args=[], keywords=[]):
            return name in _EMPTY_CALLS
        case ast.List(elts=[]) | ast.Dict(keys=[]):
            return True
        case _:
            return False


def _self_returns(program: ReferenceModule) -> Iterator[ast.Return]:
    for node in program.each(ast.Return):
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            yield node


def _copies(program: ReferenceModule) -> Iterator[tuple[ast.Call, ast.expr]]:
    """Yield the calls that copy a collection, and the expression that they copy."""
    for node in program.each(ast.Call):
        match node:
            case ast.Call(
                func=ast.Name(id="set" | "list" | "dict"),
                args=[ast.Name() | ast.Attribute() | ast.Subscript() as inner],
                keywords=[],
            ):
                yield node, inner
            case ast.Call(func=ast.Attribute(attr="copy", value=inner), args=[]):
                yield node, inner
            case ast.Call(
                func=ast.Name(id=name) | ast.Attribute(attr=name), args=[ast.Name() as inner]
            ) if name.startswith(("copy", "deepcopy")):
                yield node, inner


def _is_returned(program: ReferenceModule, node: ast.AST) -> bool:
    around = (each for each in program.above(node) if not isinstance(each, ast.expr))
    return isinstance(next(around), ast.Return)


# Methods that only read state which other methods change.


def _observers(program: ReferenceModule) -> Iterator[Def]:
    """Yield the public methods that change nothing, and return state that others change."""
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
            # `functools.cache` needs hashable arguments.
            if shown and looks and not writes and _is_hashable(program, method):
                yield method


def _reached(name: str, called: dict[str, set[str]]) -> set[str]:
    """Return the methods that a call of `name` reaches, itself included."""
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
    """Return the attributes and methods of `self` that `method` names."""
    return {
        node.attr
        for node in ast.walk(method)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    }


def _changed(method: Def) -> set[str]:
    """Return the attributes of `self` that `method` changes."""
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
    """Return the attribute of `self` at the root of `node`: `x` for `self.x[0].y`; or ""."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        match node:
            case ast.Attribute(value=ast.Name(id="self"), attr=attr):
                return attr
        node = node.value
    return ""
