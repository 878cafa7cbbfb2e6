"""Misconceptions about results: whether something is returned, and as what."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.plugins.authoring.mutating.edits import ProgramEdit, is_public, replaced, returns
from grader.plugins.authoring.mutating.kinds import kind, result_kind
from grader.plugins.authoring.mutating.parsed_module import Def, ReferenceModule, body_of, own_nodes


def printed_instead_of_returned(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """To print a result is thought to be the same as to return it."""
    for node, value in _public_results(program):
        yield replaced(program, node, f"print({program.text(value)})")


def not_returned(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """A result is thought to come back by itself, also from a call of the function by itself."""
    for node, value in _results(program):
        if isinstance(value, ast.Call):
            yield replaced(program, node, program.text(value))


def list_instead_of_a_set(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """A list is thought to be as good as a set."""
    yield from _converted(program, "set", "list")


def set_instead_of_a_list(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """The order and the doubles of a list are thought not to matter."""
    yield from _converted(program, "list", "set")


def tuple_instead_of_a_list(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """A tuple is thought to be as good as a list."""
    yield from _converted(program, "list", "tuple")


def list_instead_of_a_tuple(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """A list is thought to be as good as a tuple."""
    yield from _converted(program, "tuple", "list")


def pairs_of_a_dict(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """The pairs of a dictionary are thought to be as good as the dictionary."""
    for node, value in _results(program, "dict"):
        yield replaced(program, node, f"return list({program.tight(value)}.items())")


def generator_returned(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """A generator is thought to be a collection."""
    for node, value in _results(program):
        if isinstance(value, ast.ListComp | ast.SetComp):
            yield replaced(program, node, f"return ({program.text(value)[1:-1]})")
        elif kind(program, value) in {"list", "set"} and _of_public(program, node):
            yield replaced(program, node, f"return iter({program.text(value)})")


def nothing_instead_of_an_empty_one(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Where there is nothing to return, nothing is returned."""
    for node, value in _results(program):
        match value:
            case ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Dict(keys=[]):
                yield replaced(program, node, "return None")
            case ast.Call(func=ast.Name(id="set" | "list" | "dict" | "tuple"), args=[]):
                yield replaced(program, node, "return None")
            case ast.Name() if kind(program, value) in {"set", "list", "dict"}:
                yield replaced(program, node, f"return {program.text(value)} or None")


def number_for_a_truth_value(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """1 and 0 are thought to be the same as True and False."""
    for node, value in _public_results(program, "bool"):
        yield replaced(program, node, f"return int({program.text(value)})")


def text_for_a_truth_value(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """A truth value is thought to be the word for it."""
    for node, value in _public_results(program, "bool"):
        yield replaced(program, node, f"return str({program.text(value)})")


def false_left_out(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Only what is true is returned; that nothing is returned is thought to mean no."""
    for node, value in _public_results(program):  # helpers are only asked whether it is so
        if isinstance(value, ast.Constant) and value.value is False:
            yield replaced(program, node, "return None")
        elif kind(program, value) == "bool":
            yield replaced(program, node, f"return ({program.text(value)}) or None")


def text_for_a_number(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Digits are thought to be a number."""
    for node, value in _results(program, "int"):
        yield replaced(program, node, f"return str({program.text(value)})")


def float_for_a_number(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """A quotient is thought to be a whole number if it has no decimals."""
    for node in program.each(ast.BinOp):
        if isinstance(node.op, ast.FloorDiv):
            left, right = program.tight(node.left), program.tight(node.right)
            yield replaced(program, node, f"({left} / {right})")


def success_reported(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """A function that only does something reports that it worked."""
    for function in program.defs():
        last = body_of(function)[-1:]
        plain = is_public(function) and function.name != "__init__"
        yields = any(isinstance(node, ast.Yield | ast.YieldFrom) for node in own_nodes(function))
        if last and plain and not yields and not returns(function):
            _, end = program.span(last[0])
            text = f"\n{program.indent(last[0])}return True"
            yield ProgramEdit(anchor=last[0], changes=((end, end, text),))


def blanks_between(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """What stands side by side is separated, as `print` would do it."""
    for _, glue in _joins(program):
        if glue.value == "":
            yield replaced(program, glue, '" "')


def line_end_too_many(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """A line end is thought to belong to each line, the last one included."""
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
    # What uses a helper seldom minds whether it gets a list or a tuple.
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
    """Yield the statements that return a value of one kind, or any value but the object itself."""
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
