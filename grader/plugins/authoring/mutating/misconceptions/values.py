"""Misconceptions about values: text, files, types, and what is equal, true or a member."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from grader.plugins.authoring.mutating.edits import ProgramEdit, replaced
from grader.plugins.authoring.mutating.kinds import kind
from grader.plugins.authoring.mutating.parsed_module import ReferenceModule, own_nodes

_ALSO: Final = {"tuple": "(tuple, list)", "list": "(list, tuple)", "set": "(set, frozenset, list)"}


def case_lost(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Forget to change upper or lower case."""
    yield from _without_method(program, {"upper", "lower", "casefold", "capitalize"})


def blanks_kept(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Forget blanks and line ends that nobody sees."""
    yield from _without_method(program, {"strip", "rstrip", "lstrip"})
    for node in program.each(ast.Call):
        match node:
            case ast.Call(func=ast.Attribute(attr="split"), args=[], keywords=[]):
                _, end = program.span(node)
                for glue in ('" "', '"\\n"'):
                    yield ProgramEdit(anchor=node, changes=((end - 1, end, f"{glue})"),))


def kept_as_text(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Take digits for a number, or a number for its digits."""
    for node in program.each(ast.Call):
        match node:
            case ast.Call(func=ast.Name(id="int" | "str" | "float"), args=[value], keywords=[]):
                yield replaced(program, node, program.tight(value))


def kept_as_number(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Turn text that looks like a number into one."""
    for node in program.each(ast.Assign):
        function = program.function(node)
        match node:
            case ast.Assign(targets=[ast.Subscript() | ast.Attribute()], value=ast.Name() as value):
                words = _words(function) if function is not None else set()
                if value.id in words:
                    text = f"int({value.id}) if {value.id}.isdigit() else {value.id}"
                    yield replaced(program, value, text)


def last_line_lost(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Assume that the last line of a file is empty."""
    for node, is_read in _files_used(program):
        lines = f"{_file(node)}.readlines()[:-1]"
        yield replaced(program, node, f'"".join({lines})' if is_read else lines)


def line_end_taken_for_granted(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Assume that the last line of a file ends in a line end."""
    for node, is_read in _files_used(program):
        lines = f"[line[:-1] for line in {_file(node)}]"
        yield replaced(program, node, f"{program.text(node)}[:-1]" if is_read else lines)


def part_of_a_text(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Assume that `in` looks for one character of a text: "" and "AB" are in "ABC" too."""
    for node in program.each(ast.Compare):
        for op, among in zip(node.ops, node.comparators, strict=True):
            if isinstance(op, ast.In | ast.NotIn) and _holds_text(program, among):
                yield replaced(program, among, f'"".join({program.text(among)})')


def or_between_values(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Write `x == a or b` for `x in (a, b)`."""
    for node in program.each(ast.Compare):
        match node:
            case ast.Compare(ops=[ast.In() | ast.NotIn() as op], comparators=[among]):
                if isinstance(among, ast.Tuple | ast.List | ast.Set) and len(among.elts) > 1:
                    sign = "==" if isinstance(op, ast.In) else "!="
                    values = " or ".join(program.tight(value) for value in among.elts)
                    yield replaced(program, node, f"({program.tight(node.left)} {sign} {values})")


def zero_taken_for_nothing(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Take 0, "" and empty collections for None."""
    for node in program.each(ast.Compare):
        match node:
            case ast.Compare(ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
                yield replaced(program, node, f"(not {program.tight(node.left)})")
            case ast.Compare(ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]):
                yield replaced(program, node, program.tight(node.left))


def same_for_equal(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Compare values with `is`."""
    for node in program.each(ast.Compare):
        match node:
            case ast.Compare(ops=[ast.Eq() | ast.NotEq() as op], comparators=[right]):
                kinds = {kind(program, node.left), kind(program, right)}
                if kinds & {"set", "list", "tuple", "dict"}:
                    sign = "is" if isinstance(op, ast.Eq) else "is not"
                    left, other = program.tight(node.left), program.tight(right)
                    yield replaced(program, node, f"({left} {sign} {other})")


def truth_value_as_number(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Assume that `isinstance(x, int)` refuses True and False."""
    for node in program.each(ast.Compare):
        match node:
            case ast.Compare(
                left=ast.Call(func=ast.Name(id="type"), args=[value]),
                ops=[ast.Is() | ast.Eq()],
                comparators=[wanted],
            ):
                text = f"isinstance({program.text(value)}, {program.text(wanted)})"
                yield replaced(program, node, text)


def like_enough(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Accept values of similar types too."""
    for node in program.each(ast.Call):
        match node:
            case ast.Call(func=ast.Name(id="isinstance"), args=[_, ast.Name(id=name) as wanted]):
                if name in _ALSO:
                    yield replaced(program, wanted, _ALSO[name])


def call_without_brackets(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Name a method without calling it."""
    defined = {function.name for function in program.defs()}
    for node in program.each(ast.Call):
        match node:
            case ast.Call(func=ast.Attribute(attr=name), args=[], keywords=[]) if name in defined:
                yield replaced(program, node, program.text(node.func))


def _without_method(program: ReferenceModule, names: set[str]) -> Iterator[ProgramEdit]:
    for node in program.each(ast.Call):
        match node:
            case ast.Call(func=ast.Attribute(attr=name, value=value)) if name in names:
                yield replaced(program, node, program.tight(value))


def _words(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Return the names to which the result of `split` is unpacked."""
    found = set()
    for node in own_nodes(function):
        match node:
            case ast.Assign(
                targets=[ast.Tuple(elts=names)], value=ast.Call(func=ast.Attribute(attr="split"))
            ):
                found |= {name.id for name in names if isinstance(name, ast.Name)}
    return found


def _files_used(program: ReferenceModule) -> Iterator[tuple[ast.expr, bool]]:
    """Yield each use of an open file, and whether it reads the whole file, not line by line."""
    for node in program.each(ast.With):
        names = {
            item.optional_vars.id for item in node.items if isinstance(item.optional_vars, ast.Name)
        }
        for part in ast.walk(node):
            match part:
                case ast.Call(func=ast.Attribute(attr="read", value=ast.Name(id=name)), args=[]):
                    if name in names:
                        yield part, True
                case ast.Name(id=name, ctx=ast.Load()):
                    if name in names and not isinstance(program.parents[part], ast.Attribute):
                        yield part, False


def _file(node: ast.expr) -> str:
    """Return the name of the file that is read."""
    return next(part.id for part in ast.walk(node) if isinstance(part, ast.Name))


def _holds_text(program: ReferenceModule, node: ast.expr) -> bool:
    """Return whether a collection is known to hold only strings."""
    match node:
        case ast.Tuple(elts=elts) | ast.List(elts=elts) | ast.Set(elts=elts):
            return bool(elts) and all(kind(program, value) == "str" for value in elts)
        case ast.Call(func=ast.Name(id="tuple" | "list" | "set"), args=[value]):
            return kind(program, value) == "str"
        case ast.Name(id=name):
            return any(
                isinstance(bound, ast.Assign)
                and any(isinstance(t, ast.Name) and t.id == name for t in bound.targets)
                # Aliases are not followed, which could go round in circles.
                and not isinstance(bound.value, ast.Name)
                and _holds_text(program, bound.value)
                for bound in program.tree.body
            )
        case _:
            return False
