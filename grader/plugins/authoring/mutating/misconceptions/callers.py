"""Mutator that omits a shared check for one of several callers.

A reference checks a rule once, in a helper, while students repeat the check and can forget one. So
the mutator adds a copy of the helper that lacks a check, and makes one caller call the copy.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from grader.plugins.authoring.mutating.edits import (
    ProgramEdit,
    apply_changes,
    called_name,
    guards,
    remove_statement,
    rename_call,
    replace_node,
)
from grader.plugins.authoring.mutating.parsed_module import FunctionNode, ReferenceModule, own_nodes

_SUFFIX: Final = "_for_one_caller"
_MAX_CALLERS: Final = 6  # because each caller gets a mutant for each check


def check_forgotten_by_one_caller(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that omit a check of a helper for one of its callers."""
    for helper in program.defs():
        calls = _calls_from_elsewhere(program, helper)
        # The copied span does not include decorators.
        if helper.decorator_list or not 1 < len(calls) <= _MAX_CALLERS:
            continue
        start, end = program.span(helper)
        for removal in _check_removals(program, helper):
            copy = apply_changes(program.source[start:end], removal.changes, start)
            name = helper.name + _SUFFIX
            text = copy.decode().replace(f"def {helper.name}(", f"def {name}(", 1)
            # The copy is inserted before the helper, so its lines are indented already.
            text += "\n\n" + " " * helper.col_offset
            for call in calls:
                changes = ((start, start, text), rename_call(program, call, name))
                yield ProgramEdit(anchor=call, changes=changes)


def _calls_from_elsewhere(program: ReferenceModule, helper: FunctionNode) -> list[ast.Call]:
    """Return the calls to `helper` in other functions."""
    return [
        call
        for call in program.nodes_of_type(ast.Call)
        if called_name(call) == helper.name
        and program.enclosing_function(call) not in {helper, None}
    ]


def _check_removals(program: ReferenceModule, helper: FunctionNode) -> Iterator[ProgramEdit]:
    """Yield edits that remove one condition or guard from `helper`."""
    for node in own_nodes(helper):
        if isinstance(node, ast.BoolOp):
            neutral_value = "True" if isinstance(node.op, ast.And) else "False"
            yield from (replace_node(program, operand, neutral_value) for operand in node.values)
    yield from (remove_statement(program, guard) for guard in guards(helper))
