"""Misconceptions about objects: shared state, lifetime, copies and aliases."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from grader.plugins.authoring.mutating.edits import (
    ProgramEdit,
    add_import,
    combine_edits,
    insert_lines,
    is_public,
    parameters,
    remove_statement,
    replace_node,
    returns_with_value,
    stored_names,
)
from grader.plugins.authoring.mutating.kinds import annotated_kind, kind
from grader.plugins.authoring.mutating.parsed_module import (
    FunctionNode,
    ReferenceModule,
    body_without_docstring,
)

_COLLECTION_TYPES: Final = {"set", "list", "dict"}
_EMPTY_CALLS: Final = {"set", "list", "dict", "Counter", "deque"}
_MUTATING_METHODS: Final = {
    *("add", "append", "clear", "discard", "extend", "insert", "pop", "popitem", "remove"),
    *("reverse", "setdefault", "sort", "update"),
}
_UNHASHABLE_TYPES: Final = {"list", "set", "dict"}


def class_level_state(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that create a collection in the class body, so that all objects share it."""
    for statement, target, value in _attribute_assignments(program):
        class_node = program.enclosing_class(statement)
        used_names = {name.id for name in ast.walk(value) if isinstance(name, ast.Name)}
        local_names = _local_names(program, statement)
        # The local names of `__init__` do not exist in the class body.
        if (
            class_node is not None
            and kind(program, value) in _COLLECTION_TYPES
            and not used_names & local_names
        ):
            first_method = next(part for part in class_node.body if isinstance(part, FunctionNode))
            insertion = insert_lines(
                program, first_method, f"{target.attr} = {program.text(value)}\n"
            )
            yield combine_edits(statement, remove_statement(program, statement), insertion)


def attribute_of_the_class(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that set an attribute on the class, so that a new object changes it for all."""
    for statement, target, _ in _attribute_assignments(program):
        class_node = program.enclosing_class(statement)
        if class_node is not None and program.text(target).startswith("self."):
            start, _end = program.span(target)
            changes = ((start, start + len("self"), class_node.name),)
            # An annotation can remain, because `C.x: set[int] = set()` is valid.
            yield ProgramEdit(anchor=statement, changes=changes)


def mutable_default(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that use a mutable default value, so that all calls share it."""
    for function, statement, name, value in _empty_collections(program):
        arguments = function.args
        # After these, a parameter added at the end would not be positional.
        if not (arguments.vararg or arguments.kwonlyargs or arguments.kwarg):
            parameters_and_defaults = [*arguments.posonlyargs, *arguments.args, *arguments.defaults]
            if parameters_and_defaults:
                position = max(program.span(part)[1] for part in parameters_and_defaults)
                comma = ", "
            else:
                start, _ = program.span(function)
                bracket = re.search(rb"\(", program.code[start:])
                assert bracket is not None
                position, comma = start + bracket.end(), ""
            addition = ProgramEdit(
                anchor=statement, changes=((position, position, f"{comma}{name}={value}"),)
            )
            yield combine_edits(statement, remove_statement(program, statement), addition)


def global_state(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that use a global collection, so that all calls share it."""
    for _, statement, name, value in _empty_collections(program):
        outermost = program.owners(statement)[-1]
        insertion = insert_lines(program, outermost, f"{name} = {value}\n\n")
        yield combine_edits(statement, remove_statement(program, statement), insertion)


def remembered_result(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that cache a result and keep it after the object has changed."""
    for function in _observers(program):
        decorator = insert_lines(program, function, "@functools.cache")
        yield combine_edits(function, add_import(program, "import functools"), decorator)


def copy_of_itself(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that return a copy instead of `self`."""
    for node in _returns_of_self(program):
        replacement = replace_node(program, node, "return copy.deepcopy(self)")
        yield combine_edits(node, add_import(program, "import copy"), replacement)


def nothing_instead_of_itself(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that return nothing instead of `self`."""
    for node in _returns_of_self(program):
        yield remove_statement(program, node)


def text_instead_of_itself(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that return `str(self)` instead of `self`."""
    for node in _returns_of_self(program):
        yield replace_node(program, node, "return str(self)")


def handed_out(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that return internal state instead of a copy."""
    for node, original in _copies(program):
        if _is_returned(program, node):
            yield replace_node(program, node, program.text(original))


def taken_over(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that store or change an argument instead of a copy."""
    for node, original in _copies(program):
        if not _is_returned(program, node):
            yield replace_node(program, node, program.text(original))


def shared_rows(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that multiply a list of lists, so that all rows are the same object."""
    for node in program.nodes_of_type(ast.ListComp):
        match node.generators:
            case [ast.comprehension(iter=ast.Call(func=ast.Name(id="range"), args=[size]), ifs=[])]:
                if kind(program, node.elt) == "list":
                    text = f"[{program.text(node.elt)}] * {program.parenthesized(size)}"
                    yield replace_node(program, node, f"({text})")


def _attribute_assignments(
    program: ReferenceModule,
) -> Iterator[tuple[ast.stmt, ast.Attribute, ast.expr]]:
    """Yield the assignments to attributes in `__init__`: statement, target and value."""
    for node in program.nodes_of_types(ast.Assign, ast.AnnAssign):
        match node:
            case (
                ast.Assign(targets=[ast.Attribute() as target], value=value)
                | ast.AnnAssign(target=ast.Attribute() as target, value=ast.expr() as value)
            ):
                function = program.enclosing_function(node)
                if function is not None and function.name == "__init__":
                    yield node, target, value


def _local_names(program: ReferenceModule, node: ast.AST) -> set[str]:
    """Return the names that are bound in the function around `node`, and `self`."""
    function = program.enclosing_function(node)
    assert function is not None
    return {"self", *stored_names(function), *(parameter.arg for parameter in parameters(function))}


def _empty_collections(
    program: ReferenceModule,
) -> Iterator[tuple[FunctionNode, ast.stmt, str, str]]:
    """Yield each statement that binds a local name to an empty collection.

    Each comes with its function, the name and the source of the value. Names that are assigned
    again are skipped.
    """
    for function in program.defs():
        names = stored_names(function)
        for statement in body_without_docstring(function):
            match statement:
                case (
                    ast.Assign(targets=[ast.Name(id=name)], value=value)
                    | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
                ) if _is_empty(value) and names.count(name) == 1:
                    yield function, statement, name, program.text(value)


def _is_empty(node: ast.expr) -> bool:
    """Return whether `node` creates an empty collection."""
    match node:
        case ast.Call(func=ast.Name(id=name), args=[], keywords=[]):
            return name in _EMPTY_CALLS
        case ast.List(elts=[]) | ast.Dict(keys=[]):
            return True
        case _:
            return False


def _returns_of_self(program: ReferenceModule) -> Iterator[ast.Return]:
    """Yield the `return self` statements."""
    for node in program.nodes_of_type(ast.Return):
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            yield node


def _copies(program: ReferenceModule) -> Iterator[tuple[ast.Call, ast.expr]]:
    """Yield the calls that copy a collection, each with the copied expression."""
    for node in program.nodes_of_type(ast.Call):
        match node:
            case ast.Call(
                func=ast.Name(id="set" | "list" | "dict"),
                args=[ast.Name() | ast.Attribute() | ast.Subscript() as original],
                keywords=[],
            ):
                yield node, original
            case ast.Call(func=ast.Attribute(attr="copy", value=original), args=[]):
                yield node, original
            case ast.Call(
                func=ast.Name(id=name) | ast.Attribute(attr=name), args=[ast.Name() as original]
            ) if name.startswith(("copy", "deepcopy")):
                yield node, original


def _is_returned(program: ReferenceModule, node: ast.AST) -> bool:
    """Return whether the value of `node` is part of a `return` statement."""
    enclosing_statements = (
        ancestor for ancestor in program.ancestors(node) if not isinstance(ancestor, ast.expr)
    )
    return isinstance(next(enclosing_statements), ast.Return)


# The functions below find methods that only read state that other methods change.


def _observers(program: ReferenceModule) -> Iterator[FunctionNode]:
    """Yield the public methods that change nothing and return state that other methods change."""
    for node in program.nodes_of_type(ast.ClassDef):
        methods = {part.name: part for part in node.body if isinstance(part, FunctionNode)}
        changes = {name: _attributes_changed(method) for name, method in methods.items()}
        reads = {name: _attributes_read(method) for name, method in methods.items()}
        calls = {name: reads[name] & methods.keys() for name in methods}
        changed_attributes = set[str]().union(
            *(attributes for name, attributes in changes.items() if name != "__init__")
        )
        for name, method in methods.items():
            called_names = _called_methods(name, calls)
            changes_state = any(changes[called_name] for called_name in called_names)
            reads_changed_state = any(
                reads[called_name] & changed_attributes for called_name in called_names
            )
            has_result = is_public(method) and bool(returns_with_value(method))
            # `functools.cache` requires hashable arguments.
            if (
                has_result
                and reads_changed_state
                and not changes_state
                and _has_hashable_arguments(program, method)
            ):
                yield method


def _called_methods(name: str, calls: dict[str, set[str]]) -> set[str]:
    """Return the methods that a call of `name` runs, directly or indirectly, including `name`.

    `calls` maps each method to the methods that it calls.
    """
    called_names, pending = {name}, [name]
    while pending:
        new_names = calls[pending.pop()] - called_names
        called_names |= new_names
        pending.extend(new_names)
    return called_names


def _has_hashable_arguments(program: ReferenceModule, method: FunctionNode) -> bool:
    """Return whether no parameter of `method` is annotated with an unhashable type."""
    hints = [
        parameter.annotation for parameter in parameters(method) if parameter.annotation is not None
    ]
    return not any(annotated_kind(program, hint) in _UNHASHABLE_TYPES for hint in hints)


def _attributes_read(method: FunctionNode) -> set[str]:
    """Return the attributes and methods of `self` that `method` mentions."""
    return {
        node.attr
        for node in ast.walk(method)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    }


def _attributes_changed(method: FunctionNode) -> set[str]:
    """Return the attributes of `self` that `method` changes."""
    changed = set()
    for node in ast.walk(method):
        match node:
            case (
                ast.Attribute(ctx=ast.Store() | ast.Del())
                | ast.Subscript(ctx=ast.Store() | ast.Del())
            ):
                changed.add(_root_attribute(node))
            case ast.Call(func=ast.Attribute(attr=name, value=value)) if name in _MUTATING_METHODS:
                changed.add(_root_attribute(value))
    return changed - {""}


def _root_attribute(node: ast.expr) -> str:
    """Return the attribute of `self` at the root of `node`, such as `x` for `self.x[0].y`.

    Return an empty string if `node` does not start with `self`.
    """
    while isinstance(node, ast.Attribute | ast.Subscript):
        match node:
            case ast.Attribute(value=ast.Name(id="self"), attr=attr):
                return attr
        node = node.value
    return ""
