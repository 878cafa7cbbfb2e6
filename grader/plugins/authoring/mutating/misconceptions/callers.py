"""Misconceptions about one of several places: a rule that holds for all of them is kept at most.

A reference checks a rule once, in a helper that all who need it call. Students check it where they
think of it. So a copy of the helper lacks a check, and one caller calls the copy.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Final

from grader.plugins.authoring.mutating.edits import Mutator, ProgramEdit, guards, removed, replaced
from grader.plugins.authoring.mutating.parsed_module import Def, ReferenceModule, own_nodes

_SUFFIX: Final = "_for_one_caller"
_MOST_CALLERS: Final = 6


def check_dropped_for_one_caller(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """A check that several places share is forgotten at one of them."""
    for helper in program.defs():
        calls = _calls(program, helper)
        if helper.decorator_list or not 1 < len(calls) <= _MOST_CALLERS:
            continue
        start, end = program.span(helper)
        for without in _without_a_check(program, helper):
            copy = program.source[start:end]
            for low, high, text in sorted(without.changes, reverse=True):
                copy = copy[: low - start] + text.encode() + copy[high - start :]
            name = helper.name + _SUFFIX
            text = copy.decode().replace(f"def {helper.name}(", f"def {name}(", 1)
            # The copy stands where it was written for: its lines are indented already.
            text += "\n\n" + " " * helper.col_offset
            for call in calls:
                renamed = _renamed(program, call.func, helper.name, name)
                yield ProgramEdit(anchor=call, changes=((start, start, text), renamed))


def _calls(program: ReferenceModule, helper: Def) -> list[ast.Call]:
    """Return the calls of `helper` in other functions."""
    found = []
    for call in program.each(ast.Call):
        match call.func:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                if name == helper.name and program.function(call) not in {helper, None}:
                    found.append(call)
    return found


def _without_a_check(program: ReferenceModule, helper: Def) -> Iterator[ProgramEdit]:
    """Yield the edits that take one condition of `helper` away."""
    for node in own_nodes(helper):
        if isinstance(node, ast.BoolOp):
            idle = "True" if isinstance(node.op, ast.And) else "False"
            yield from (replaced(program, operand, idle) for operand in node.values)
    yield from (removed(program, guard) for guard in guards(helper))


def _renamed(
    program: ReferenceModule, called: ast.expr, old: str, new: str
) -> tuple[int, int, str]:
    """Return the change that calls another function."""
    _, end = program.span(called)
    return end - len(old.encode()), end, new


MUTATORS: Final[Mapping[str, Mutator]] = {
    "check forgotten by one caller": check_dropped_for_one_caller,
}
