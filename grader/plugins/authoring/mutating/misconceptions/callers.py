"""Mutator that forgets a shared check in one of several places.

A reference checks a rule once, in a helper. Students check it where they think of it. So a copy of
the helper lacks a check, and one caller calls the copy.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from grader.plugins.authoring.mutating.edits import (
    ProgramEdit,
    called_name,
    guards,
    removed,
    renamed,
    replaced,
    spliced,
)
from grader.plugins.authoring.mutating.parsed_module import Def, ReferenceModule, own_nodes

_SUFFIX: Final = "_for_one_caller"
_MAX_CALLERS: Final = 6


def check_forgotten_by_one_caller(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Forget a check in one of the places that need it."""
    for helper in program.defs():
        calls = _calls(program, helper)
        # The span that is copied has no decorators.
        if helper.decorator_list or not 1 < len(calls) <= _MAX_CALLERS:
            continue
        start, end = program.span(helper)
        for without in _without_a_check(program, helper):
            copy = spliced(program.source[start:end], without.changes, start)
            name = helper.name + _SUFFIX
            text = copy.decode().replace(f"def {helper.name}(", f"def {name}(", 1)
            # The copy goes before the helper itself, so its lines are indented already.
            text += "\n\n" + " " * helper.col_offset
            for call in calls:
                changes = ((start, start, text), renamed(program, call, name))
                yield ProgramEdit(anchor=call, changes=changes)


def _calls(program: ReferenceModule, helper: Def) -> list[ast.Call]:
    """Return the calls of `helper` in other functions."""
    return [
        call
        for call in program.each(ast.Call)
        if called_name(call) == helper.name and program.function(call) not in {helper, None}
    ]


def _without_a_check(program: ReferenceModule, helper: Def) -> Iterator[ProgramEdit]:
    """Yield the edits that remove one condition of `helper`."""
    for node in own_nodes(helper):
        if isinstance(node, ast.BoolOp):
            neutral = "True" if isinstance(node.op, ast.And) else "False"
            yield from (replaced(program, operand, neutral) for operand in node.values)
    yield from (removed(program, guard) for guard in guards(helper))
