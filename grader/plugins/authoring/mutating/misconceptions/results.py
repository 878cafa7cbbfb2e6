"""Misconceptions about results: whether a value is returned, and of which type."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.plugins.authoring.mutating.edits import (
    ProgramEdit,
    is_public,
    replace_node,
    returns_with_value,
)
from grader.plugins.authoring.mutating.kinds import kind, result_kind
from grader.plugins.authoring.mutating.parsed_module import (
    FunctionNode,
    ReferenceModule,
    body_without_docstring,
    own_nodes,
)


def printed_instead_of_returned(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that print a result instead of returning it."""
    for node, value in _public_results(program):
        yield replace_node(program, node, f"print({program.text(value)})")


def not_returned(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that omit `return` before a call, including recursive calls."""
    for node, value in _results(program):
        if isinstance(value, ast.Call):
            yield replace_node(program, node, program.text(value))


def list_instead_of_a_set(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that return a list instead of a set."""
    yield from _convert_results(program, "set", "list")


def set_instead_of_a_list(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that return a set instead of a list, losing order and duplicates."""
    yield from _convert_results(program, "list", "set")


def tuple_instead_of_a_list(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that return a tuple instead of a list."""
    yield from _convert_results(program, "list", "tuple")


def list_instead_of_a_tuple(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that return a list instead of a tuple."""
    yield from _convert_results(program, "tuple", "list")


def pairs_of_a_dict(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that return a list of pairs instead of a dictionary."""
    for node, value in _results(program, "dict"):
        yield replace_node(program, node, f"return list({program.parenthesized(value)}.items())")


def generator_returned(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that return a generator or iterator instead of a collection."""
    for node, value in _results(program):
        if isinstance(value, ast.ListComp | ast.SetComp):
            yield replace_node(program, node, f"return ({program.text(value)[1:-1]})")
        elif kind(program, value) in {"list", "set"} and _is_in_public_function(program, node):
            yield replace_node(program, node, f"return iter({program.text(value)})")


def nothing_instead_of_an_empty_one(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that return None instead of an empty collection."""
    for node, value in _results(program):
        match value:
            case ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Dict(keys=[]):
                yield replace_node(program, node, "return None")
            case ast.Call(func=ast.Name(id="set" | "list" | "dict" | "tuple"), args=[]):
                yield replace_node(program, node, "return None")
            case ast.Name() if kind(program, value) in {"set", "list", "dict"}:
                yield replace_node(program, node, f"return {program.text(value)} or None")


def number_for_a_truth_value(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that return 1 or 0 instead of True or False."""
    for node, value in _public_results(program, "bool"):
        yield replace_node(program, node, f"return int({program.text(value)})")


def text_for_a_truth_value(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that return "True" or "False" as text."""
    for node, value in _public_results(program, "bool"):
        yield replace_node(program, node, f"return str({program.text(value)})")


def false_left_out(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that return None instead of False."""
    for node, value in _public_results(program):  # callers of helpers treat None like False
        if isinstance(value, ast.Constant) and value.value is False:
            yield replace_node(program, node, "return None")
        elif kind(program, value) == "bool":
            yield replace_node(program, node, f"return ({program.text(value)}) or None")


def text_for_a_number(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that return a number as text."""
    for node, value in _results(program, "int"):
        yield replace_node(program, node, f"return str({program.text(value)})")


def float_for_a_number(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that divide with `/` instead of `//`, which gives floats."""
    for node in program.nodes_of_type(ast.BinOp):
        if isinstance(node.op, ast.FloorDiv):
            left, right = program.parenthesized(node.left), program.parenthesized(node.right)
            yield replace_node(program, node, f"({left} / {right})")


def success_reported(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that return True from a function that should return nothing."""
    for function in program.defs():
        # The body can consist of only a docstring.
        last_statements = body_without_docstring(function)[-1:]
        is_suitable = is_public(function) and function.name != "__init__"
        is_generator = any(
            isinstance(node, ast.Yield | ast.YieldFrom) for node in own_nodes(function)
        )
        if (
            last_statements
            and is_suitable
            and not is_generator
            and not returns_with_value(function)
        ):
            _, end = program.span(last_statements[0])
            text = f"\n{program.indent(last_statements[0])}return True"
            yield ProgramEdit(anchor=last_statements[0], changes=((end, end, text),))


def blanks_between(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that join with spaces, as `print` does."""
    for _, separator in _joins(program):
        if separator.value == "":
            yield replace_node(program, separator, '" "')


def line_end_too_many(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that add a line ending after the last line."""
    for node, separator in _joins(program):
        if separator.value == "\n":
            yield replace_node(program, node, f'({program.text(node)} + "\\n")')


def _joins(program: ReferenceModule) -> Iterator[tuple[ast.Call, ast.Constant]]:
    """Yield each call of `join` on a string literal, with that literal."""
    for node in program.nodes_of_type(ast.Call):
        match node.func:
            case ast.Attribute(attr="join", value=ast.Constant(value=str()) as separator):
                yield node, separator


def _convert_results(
    program: ReferenceModule, old_type: str, new_type: str
) -> Iterator[ProgramEdit]:
    """Yield edits that return `new_type` instead of `old_type`; both name a collection type."""
    # Callers of a helper seldom notice whether it returns a list or a tuple.
    results = _public_results if {old_type, new_type} == {"list", "tuple"} else _results
    for _, value in results(program, old_type):
        match value:
            case ast.Call(func=ast.Name(id=name), args=[argument]) if name == old_type:
                yield replace_node(program, value, f"{new_type}({program.text(argument)})")
            case ast.SetComp() if new_type == "list":
                yield replace_node(program, value, f"[{program.text(value)[1:-1]}]")
            case ast.ListComp() if new_type == "set":
                yield replace_node(program, value, f"{{{program.text(value)[1:-1]}}}")
            case _:
                yield replace_node(program, value, f"{new_type}({program.parenthesized(value)})")


def _results(
    program: ReferenceModule, type_name: str | None = None
) -> Iterator[tuple[ast.Return, ast.expr]]:
    """Yield the `return` statements with a value other than `self` and None, and their values.

    With `type_name`, the name of a type, yield only values of that type.
    """
    for node in program.nodes_of_type(ast.Return):
        function = program.enclosing_function(node)
        if node.value is None or function is None or program.text(node.value) in {"self", "None"}:
            continue
        if type_name is None or type_name in {
            kind(program, node.value),
            result_kind(program, function),
        }:
            yield node, node.value


def _public_results(
    program: ReferenceModule, type_name: str | None = None
) -> Iterator[tuple[ast.Return, ast.expr]]:
    """Yield the `_results` of public functions."""
    return (
        (node, value)
        for node, value in _results(program, type_name)
        if _is_in_public_function(program, node)
    )


def _is_in_public_function(program: ReferenceModule, node: ast.AST) -> bool:
    """Return whether `node` is in a public function."""
    function: FunctionNode | None = program.enclosing_function(node)
    return function is not None and is_public(function)
