"""Misconceptions about values: text, files, types, equality, truth and membership."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from grader.plugins.authoring.mutating.edits import ProgramEdit, replace_node
from grader.plugins.authoring.mutating.kinds import kind
from grader.plugins.authoring.mutating.parsed_module import ReferenceModule, own_nodes

_SIMILAR_TYPES: Final = {
    "tuple": "(tuple, list)",
    "list": "(list, tuple)",
    "set": "(set, frozenset, list)",
}


def case_lost(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that do not convert to upper or lower case."""
    yield from _method_removals(program, {"upper", "lower", "casefold", "capitalize"})


def blanks_kept(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that do not strip whitespace, or split at single characters."""
    yield from _method_removals(program, {"strip", "rstrip", "lstrip"})
    for node in program.nodes_of_type(ast.Call):
        match node:
            case ast.Call(func=ast.Attribute(attr="split"), args=[], keywords=[]):
                _, end = program.span(node)
                for separator in ('" "', '"\\n"'):
                    yield ProgramEdit(anchor=node, changes=((end - 1, end, f"{separator})"),))


def kept_as_text(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that do not convert text to a number, or a number to text."""
    for node in program.nodes_of_type(ast.Call):
        match node:
            case ast.Call(func=ast.Name(id="int" | "str" | "float"), args=[value], keywords=[]):
                yield replace_node(program, node, program.parenthesized(value))


def kept_as_number(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that convert text that looks like a number to a number."""
    for node in program.nodes_of_type(ast.Assign):
        function = program.enclosing_function(node)
        match node:
            case ast.Assign(targets=[ast.Subscript() | ast.Attribute()], value=ast.Name() as value):
                split_names = _split_names(function) if function is not None else set()
                if value.id in split_names:
                    text = f"int({value.id}) if {value.id}.isdigit() else {value.id}"
                    yield replace_node(program, value, text)


def last_line_lost(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that assume that the last line of a file is empty."""
    for node, is_read in _file_uses(program):
        lines = f"{_file_name(node)}.readlines()[:-1]"
        yield replace_node(program, node, f'"".join({lines})' if is_read else lines)


def line_end_taken_for_granted(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that assume that the last line of a file ends with a line ending."""
    for node, is_read in _file_uses(program):
        lines = f"[line[:-1] for line in {_file_name(node)}]"
        yield replace_node(program, node, f"{program.text(node)}[:-1]" if is_read else lines)


def part_of_a_text(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that look for a member in joined text, where "" and "AB" are in "ABC" too."""
    for node in program.nodes_of_type(ast.Compare):
        for op, collection in zip(node.ops, node.comparators, strict=True):
            if isinstance(op, ast.In | ast.NotIn) and _contains_only_text(program, collection):
                yield replace_node(program, collection, f'"".join({program.text(collection)})')


def or_between_values(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that write `x == a or b` for `x in (a, b)`."""
    for node in program.nodes_of_type(ast.Compare):
        match node:
            case ast.Compare(ops=[ast.In() | ast.NotIn() as op], comparators=[collection]):
                if (
                    isinstance(collection, ast.Tuple | ast.List | ast.Set)
                    and len(collection.elts) > 1
                ):
                    operator = "==" if isinstance(op, ast.In) else "!="
                    values = " or ".join(program.parenthesized(value) for value in collection.elts)
                    yield replace_node(
                        program, node, f"({program.parenthesized(node.left)} {operator} {values})"
                    )


def zero_taken_for_nothing(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that treat 0, "" and empty collections like None."""
    for node in program.nodes_of_type(ast.Compare):
        match node:
            case ast.Compare(ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
                yield replace_node(program, node, f"(not {program.parenthesized(node.left)})")
            case ast.Compare(ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]):
                yield replace_node(program, node, program.parenthesized(node.left))


def same_for_equal(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that compare values with `is`."""
    for node in program.nodes_of_type(ast.Compare):
        match node:
            case ast.Compare(ops=[ast.Eq() | ast.NotEq() as op], comparators=[right]):
                kinds = {kind(program, node.left), kind(program, right)}
                if kinds & {"set", "list", "tuple", "dict"}:
                    operator = "is" if isinstance(op, ast.Eq) else "is not"
                    left_text = program.parenthesized(node.left)
                    right_text = program.parenthesized(right)
                    yield replace_node(program, node, f"({left_text} {operator} {right_text})")


def truth_value_as_number(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that assume that `isinstance(x, int)` rejects True and False."""
    for node in program.nodes_of_type(ast.Compare):
        match node:
            case ast.Compare(
                left=ast.Call(func=ast.Name(id="type"), args=[value]),
                ops=[ast.Is() | ast.Eq()],
                comparators=[expected_type],
            ):
                text = f"isinstance({program.text(value)}, {program.text(expected_type)})"
                yield replace_node(program, node, text)


def like_enough(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that also accept values of similar types."""
    for node in program.nodes_of_type(ast.Call):
        match node:
            case ast.Call(func=ast.Name(id="isinstance"), args=[_, ast.Name(id=name) as type_name]):
                if name in _SIMILAR_TYPES:
                    yield replace_node(program, type_name, _SIMILAR_TYPES[name])


def call_without_brackets(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that mention a method without calling it."""
    defined = {function.name for function in program.defs()}
    for node in program.nodes_of_type(ast.Call):
        match node:
            case ast.Call(func=ast.Attribute(attr=name), args=[], keywords=[]) if name in defined:
                yield replace_node(program, node, program.text(node.func))


def _method_removals(program: ReferenceModule, names: set[str]) -> Iterator[ProgramEdit]:
    """Yield edits that use a value without calling a method in `names` on it."""
    for node in program.nodes_of_type(ast.Call):
        match node:
            case ast.Call(func=ast.Attribute(attr=name, value=value)) if name in names:
                yield replace_node(program, node, program.parenthesized(value))


def _split_names(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Return the names that `function` unpacks the result of `split` into."""
    result = set()
    for node in own_nodes(function):
        match node:
            case ast.Assign(
                targets=[ast.Tuple(elts=names)], value=ast.Call(func=ast.Attribute(attr="split"))
            ):
                result |= {name.id for name in names if isinstance(name, ast.Name)}
    return result


def _file_uses(program: ReferenceModule) -> Iterator[tuple[ast.expr, bool]]:
    """Yield each use of an open file, and whether it reads the whole file at once."""
    for node in program.nodes_of_type(ast.With):
        names = {
            item.optional_vars.id for item in node.items if isinstance(item.optional_vars, ast.Name)
        }
        for part in ast.walk(node):
            match part:
                case ast.Call(func=ast.Attribute(attr="read", value=ast.Name(id=name)), args=[]):
                    if name in names:
                        yield part, True
                # The file itself, as in `for line in file`, but not in `file.close()`.
                case ast.Name(id=name, ctx=ast.Load()):
                    if name in names and not isinstance(program.parents[part], ast.Attribute):
                        yield part, False


def _file_name(node: ast.expr) -> str:
    """Return the variable name of the file that `node` reads."""
    return next(part.id for part in ast.walk(node) if isinstance(part, ast.Name))


def _contains_only_text(program: ReferenceModule, node: ast.expr) -> bool:
    """Return whether the collection `node` appears to contain only strings.

    For a name, it is enough that one assignment in the module gives it such a collection.
    """
    match node:
        case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
            return bool(elements) and all(kind(program, value) == "str" for value in elements)
        case ast.Call(func=ast.Name(id="tuple" | "list" | "set"), args=[value]):
            return kind(program, value) == "str"
        case ast.Name(id=name):
            return any(
                isinstance(statement, ast.Assign)
                and any(
                    isinstance(target, ast.Name) and target.id == name
                    for target in statement.targets
                )
                # Aliases are not followed, because they could be circular.
                and not isinstance(statement.value, ast.Name)
                and _contains_only_text(program, statement.value)
                for statement in program.tree.body
            )
        case _:
            return False
