"""Misconceptions about loops: which elements, how often, and what is collected."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from grader.plugins.authoring.mutating.edits import (
    ProgramEdit,
    inserted,
    is_public,
    parameters,
    removed,
    replaced,
    stored_names,
    together,
)
from grader.plugins.authoring.mutating.kinds import kind
from grader.plugins.authoring.mutating.parsed_module import Loop, ReferenceModule, body_of

_COLLECTIONS: Final = ("Collection", "Iterable", "Sequence", "Set", "set", "list", "tuple")


def first_one_decides(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Take the answer for the first element for the answer for all."""
    for loop, end in _loops_before_a_return(program):
        last = loop.body[-1]
        found = any(isinstance(node, ast.Return) for node in ast.walk(loop))
        if found and isinstance(last, ast.If) and not last.orelse:
            yield _added_to_loop(program, loop, program.text(end))
    for node in program.each(ast.Call):
        match node:
            case ast.Call(
                func=ast.Name(id="any" | "all" as name), args=[ast.GeneratorExp() as each]
            ):
                # Of no elements, `all` is True and `any` False.
                yield replaced(program, node, f"next({program.text(each)}, {name == 'all'})")


def return_in_the_loop(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Indent `return` into the loop, so that it ends after the first turn."""
    for loop, end in _loops_before_a_return(program):
        if not isinstance(end.value, ast.Constant):
            added = _added_to_loop(program, loop, program.text(end))
            yield together(loop, added, removed(program, end))


def made_anew_in_the_loop(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Reset a total or a collection in each turn of the loop."""
    for loop in _loops(program):
        for statement in program.before(loop):
            match statement:
                case (
                    ast.Assign(targets=[ast.Name(id=name)], value=value)
                    | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
                ):
                    tested = ast.walk(loop.test) if isinstance(loop, ast.While) else []
                    names = {n.id for n in tested if isinstance(n, ast.Name)}
                    # A reset variable of the condition would make the loop endless.
                    if _is_start(value) and name not in names and _is_used(loop, name):
                        text = f"{name} = {program.text(value)}"
                        yield together(loop, inserted(program, loop.body[0], text))


def overwritten(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Replace a total instead of adding to it."""
    for node in program.each(ast.AugAssign):
        text = f"{program.text(node.target)} = {program.text(node.value)}"
        yield replaced(program, node, text)


def only_one_round(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Use `if` instead of `while`."""
    for node in program.each(ast.While):
        # `break` and `continue` are not valid in an `if`.
        jumps = any(isinstance(part, ast.Break | ast.Continue) for part in ast.walk(node))
        if not jumps and not node.orelse:
            start, _ = program.span(node)
            yield ProgramEdit(anchor=node, changes=((start, start + len("while"), "if"),))


def only_the_first(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """End a loop after its first turn, or loop over one of several elements."""
    for node in program.each(ast.For):
        if not node.orelse:
            yield _added_to_loop(program, node, "break")
    for sequence in _sequences(program):
        if isinstance(sequence, ast.Tuple | ast.List) and len(sequence.elts) > 1:
            for member in sequence.elts:
                yield replaced(program, sequence, f"[{program.text(member)}]")


def same_case_twice(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Check one of two values twice, and the other not at all."""
    for node in program.each(ast.BoolOp):
        for one, other in zip(node.values, node.values[1:], strict=False):
            match one, other:
                case ast.Call(func=f, args=[a]), ast.Call(func=g, args=[b]):
                    if ast.dump(f) == ast.dump(g):
                        yield replaced(program, b, program.text(a))
                        yield replaced(program, a, program.text(b))


def last_not_looked_at(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Skip the last element."""
    for node in _sequences(program):
        if not isinstance(node, ast.Tuple | ast.List):
            # Not all that can be iterated has slices.
            yield replaced(program, node, f"list({program.text(node)})[:-1]")


def first_not_looked_at(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Skip the first element."""
    for node in _sequences(program):
        if not isinstance(node, ast.Tuple | ast.List):
            yield replaced(program, node, f"list({program.text(node)})[1:]")


def order_lost(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Forget to sort, or take the first element for the least or the greatest."""
    for node in program.each(ast.Call):
        match node:
            case ast.Call(func=ast.Name(id="sorted"), args=[value]):
                yield replaced(program, node, f"list({program.text(value)})")
            case ast.Call(func=ast.Name(id="min" | "max"), args=[value]):
                yield replaced(program, node, f"list({program.text(value)})[0]")


def doubles_kept(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Count duplicates twice."""
    for node in program.each(ast.Call):
        match node:
            case ast.Call(func=ast.Name(id="set"), args=[value]):
                yield replaced(program, node, f"list({program.text(value)})")
    for made in program.each(ast.SetComp):
        if not isinstance(program.parents[made], ast.Return):
            yield replaced(program, made, f"[{program.text(made)[1:-1]}]")


def used_as_a_list(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Index an argument that may be any iterable."""
    for node, name in _collections_given(program):
        if kind(program, node) not in {"list", "tuple"}:
            yield replaced(program, node, f"[{name}[i] for i in range(len({name}))]")


def argument_emptied(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Empty an argument that the caller still needs."""
    for node, name in _collections_given(program):
        if kind(program, node) != "tuple":
            yield replaced(program, node, f"[{name}.pop() for _ in range(len({name}))]")


def collections_added_up(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Add arguments as if all were lists."""
    for function in program.defs():
        names = [
            given.arg
            for given in parameters(function)
            if given.annotation is not None
            and program.text(given.annotation).startswith(_COLLECTIONS)
        ]
        if len(names) > 1:
            yield inserted(program, body_of(function)[0], f"{' + '.join(names)}")


def last_of_equals(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Keep the last of several equally good elements instead of the first."""
    for node in program.each(ast.If):
        written = stored_names(*node.body)
        for test in ast.walk(node.test):
            match test:
                case ast.Compare(
                    left=left, ops=[ast.Lt() | ast.Gt() as op], comparators=[ast.Name(id=best)]
                ) if best in written:
                    sign = "<=" if isinstance(op, ast.Lt) else ">="
                    text = f"{program.tight(left)} {sign} {best}"
                    yield replaced(program, test, text)


def _loops(program: ReferenceModule) -> Iterator[Loop]:
    yield from program.each(ast.For)
    yield from program.each(ast.While)


def _loops_before_a_return(program: ReferenceModule) -> Iterator[tuple[Loop, ast.Return]]:
    for loop in _loops(program):
        match program.after(loop)[:1]:
            case [ast.Return() as end]:
                yield loop, end


def _added_to_loop(program: ReferenceModule, loop: Loop, text: str) -> ProgramEdit:
    """Return the edit that adds the statement `text` to the end of `loop`."""
    last = loop.body[-1]
    _, end = program.span(last)
    return ProgramEdit(anchor=loop, changes=((end, end, f"\n{program.indent(last)}{text}"),))


def _is_start(node: ast.expr) -> bool:
    """Return whether `node` is a start value: falsy, or an empty collection."""
    match node:
        case ast.Constant(value=value):
            return not value
        case ast.List(elts=elts) | ast.Dict(values=elts):
            return not elts
        case ast.Call(func=ast.Name(id="set" | "list" | "dict"), args=[]):
            return True
        case _:
            return False


def _is_used(loop: Loop, name: str) -> bool:
    return any(
        isinstance(node, ast.Name) and node.id == name
        for statement in loop.body
        for node in ast.walk(statement)
    )


def _sequences(program: ReferenceModule) -> Iterator[ast.expr]:
    """Yield the iterables of loops and comprehensions, except ranges."""
    for node in program.either(ast.For, ast.comprehension):
        match node.iter:
            case ast.Call(func=ast.Name(id="range")):
                pass
            case _:
                yield node.iter


def _collections_given(program: ReferenceModule) -> Iterator[tuple[ast.Name, str]]:
    """Yield the iterables of loops that are arguments of a public function, with their names."""
    for node in program.either(ast.For, ast.comprehension):
        function = program.function(node)
        if isinstance(node.iter, ast.Name) and function is not None and is_public(function):
            given = {parameter.arg for parameter in parameters(function)}
            # After `for each in (first, second):` over arguments, `each` is one as well.
            for loop in ast.walk(function):
                if isinstance(loop, ast.For) and isinstance(loop.iter, ast.Tuple):
                    given |= {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
            if node.iter.id in given:
                yield node.iter, node.iter.id
