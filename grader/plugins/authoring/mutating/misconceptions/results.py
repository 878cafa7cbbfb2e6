"""Misconceptions about results: whether something is returned, and as what."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.plugins.authoring.mutating.edits import ProgramEdit, is_public, replaced, returns
from grader.plugins.authoring.mutating.kinds import kind, result_kind
from grader.plugins.authoring.mutating.parsed_module import Def, ReferenceModule, body_of, own_nodes


def printed_instead_of_returned(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Print a result instead of returning it."""
    for node, value in _public_results(program):
        yield replaced(program, node, f"print({program.text(value)})")


def not_returned(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Forget `return` before a call, recursive calls included."""
    for node, value in _results(program):
        if isinstance(value, ast.Call):
            yield replaced(program, node, program.text(value))


def list_instead_of_a_set(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Return a list instead of a set."""
    yield from _converted(program, "set", "list")


def set_instead_of_a_list(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Return a set instead of a list, which loses order and duplicates."""
    yield from _converted(program, "list", "set")


def tuple_instead_of_a_list(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Return a tuple instead of a list."""
    yield from _converted(program, "list", "tuple")


def list_instead_of_a_tuple(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Return a list instead of a tuple."""
    yield from _converted(program, "tuple", "list")


def pairs_of_a_dict(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Return a list of pairs instead of a dictionary."""
    for node, value in _results(program, "dict"):
        yield replaced(program, node, f"return list({program.tight(value)}.items())")


def generator_returned(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Return a generator instead of a collection."""
    for node, value in _results(program):
        if isinstance(value, ast.ListComp | ast.SetComp):
            yield replaced(program, node, f"return ({program.text(value)[1:-1]})")
        elif kind(program, value) in {"list", "set"} and _of_public(program, node):
            yield replaced(program, node, f"return iter({program.text(value)})")


def nothing_instead_of_an_empty_one(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Return None instead of an empty collection."""
    for node, value in _results(program):
        match value:
            case ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Dict(keys=[]):
                yield replaced(program, node, "return None")
            case ast.Call(func=ast.Name(id="set" | "list" | "dict" | "tuple"), args=[]):
                yield replaced(program, node, "return None")
            case ast.Name() if kind(program, value) in {"set", "list", "dict"}:
                yield replaced(program, node, f"return {program.text(value)} or None")


def number_for_a_truth_value(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Return 1 or 0 instead of True or False."""
    for node, value in _public_results(program, "bool"):
        yield replaced(program, node, f"return int({program.text(value)})")


def text_for_a_truth_value(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Return "True" or "False" as text."""
    for node, value in _public_results(program, "bool"):
        yield replaced(program, node, f"return str({program.text(value)})")


def false_left_out(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Return None instead of False."""
    for node, value in _public_results(program):  # in helpers None works like False
        if isinstance(value, ast.Constant) and value.value is False:
            yield replaced(program, node, "return None")
        elif kind(program, value) == "bool":
            yield replaced(program, node, f"return ({program.text(value)}) or None")


def text_for_a_number(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Return a number as text."""
    for node, value in _results(program, "int"):
        yield replaced(program, node, f"return str({program.text(value)})")


def float_for_a_number(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Divide with `/` instead of `//`, which gives floats."""
    for node in program.each(ast.BinOp):
        if isinstance(node.op, ast.FloorDiv):
            left, right = program.tight(node.left), program.tight(node.right)
            yield replaced(program, node, f"({left} / {right})")


def success_reported(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Return True from a function that should return nothing."""
    for function in program.defs():
        # A body may be only a docstring.
        last = body_of(function)[-1:]
        plain = is_public(function) and function.name != "__init__"
        yields = any(isinstance(node, ast.Yield | ast.YieldFrom) for node in own_nodes(function))
        if last and plain and not yields and not returns(function):
            _, end = program.span(last[0])
            text = f"\n{program.indent(last[0])}return True"
            yield ProgramEdit(anchor=last[0], changes=((end, end, text),))


def blanks_between(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Join with blanks, as `print` does."""
    for _, glue in _joins(program):
        if glue.value == "":
            yield replaced(program, glue, '" "')


def line_end_too_many(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """End the last line with a line end too."""
    for node, glue in _joins(program):
        if glue.value == "\n":
            yield replaced(program, node, f'({program.text(node)} + "\\n")')


def _joins(program: ReferenceModule) -> Iterator[tuple[ast.Call, ast.Constant]]:
    for node in program.each(ast.Call):
        match node.func:
            case ast.Attribute(attr="join", value=ast.Constant(value=str()) as glue):
                yield node, glue


def _converted(program: ReferenceModule, wanted: str, given: str) -> Iterator[ProgramEdit]:
    """Yield the edits by which a function returns another kind of collection."""
    # Callers of a helper seldom notice whether it returns a list or a tuple.
    results = _public_results if {wanted, given} == {"list", "tuple"} else _results
    for _, value in results(program, wanted):
        match value:
            case ast.Call(func=ast.Name(id=name), args=[inner]) if name == wanted:
                yield replaced(program, value, f"{given}({program.text(inner)})")
            case ast.SetComp() if given == "list":
                yield replaced(program, value, f"[{program.text(value)[1:-1]}]")
            case ast.ListComp() if given == "set":
                yield replaced(program, value, f"{{{program.text(value)[1:-1]}}}")
            case _:
                yield replaced(program, value, f"{given}({program.tight(value)})")


def _results(
    program: ReferenceModule, wanted: str | None = None
) -> Iterator[tuple[ast.Return, ast.expr]]:
    """Yield the returns of a value of the `wanted` kind, or of any value but `self`."""
    for node in program.each(ast.Return):
        function = program.function(node)
        if node.value is None or function is None or program.text(node.value) in {"self", "None"}:
            continue
        if wanted is None or wanted in {kind(program, node.value), result_kind(program, function)}:
            yield node, node.value


def _public_results(
    program: ReferenceModule, wanted: str | None = None
) -> Iterator[tuple[ast.Return, ast.expr]]:
    return (each for each in _results(program, wanted) if _of_public(program, each[0]))


def _of_public(program: ReferenceModule, node: ast.AST) -> bool:
    function: Def | None = program.function(node)
    return function is not None and is_public(function)
