"""Proposes edits of a file, in an executor that has the file as text and runs nothing of it.

All that comes out is JSON: numbers, and text of Python. Nothing outside the standard library is
imported but the modules that are sent along.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from operator import itemgetter
from typing import Final, NamedTuple

from grader.plugins.authoring.mutating import expressions, statements
from grader.plugins.authoring.mutating.edits import Change, Mutator, ProgramEdit, spliced
from grader.plugins.authoring.mutating.parsed_module import Def, ReferenceModule, parsed
from grader.plugins.repairs.ingredients import INGREDIENTS

NOTED: Final = "_lines_that_ran"
"""The set of lines, in a program that notes them."""
KINDS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("arithmetic", "sign"), "calculation"),
    **dict.fromkeys(("logic", "operand"), "condition"),
    **dict.fromkeys(("range_bound", "slice_bound", "index"), "bound"),
    **dict.fromkeys(("method", "function", "keyword", "named_argument", "default"), "call"),
    **dict.fromkeys(("arguments", "members"), "swap"),
    **dict.fromkeys(("jump", "branch"), "statement"),
    **dict.fromkeys(("name", "attribute"), "value"),
    "twin": "like_its_twin",
    "string": "text",
    "order": "place",
}
"""What is told of the mutators that are not told by their own names."""
MUTATORS: Final[tuple[Mutator, ...]] = (
    *(
        function
        for module in (expressions, statements)
        for name, function in vars(module).items()
        if getattr(function, "__module__", "") == module.__name__ and name[0] != "_"
    ),
    *INGREDIENTS,
)
_WORD: Final = re.compile(r"\w+|[^\w\s()]")
_WEIGHTS: Final = {"condition": 6, "value": 2, "missing_statement": 2, "result": 2}
"""How many turns a kind has where others have one: most mistakes are of these."""
_LEAST_TRUST: Final = 0.2
"""A small edit of a line that nearly everything runs comes before a large one of another."""
_LEAST_SIZE: Final = 2
_MOST_SIZES: Final = {"like_its_twin": 6, "condition": 5, "missing_statement": 8}
"""What stands in the same file is no longer than this, however long it is: it is likely."""
_MOST_WORDS: Final = 200
"""An edit that changes more than so many words and signs is no small one."""


class _Proposal(NamedTuple):
    """An edit, in the order in which it should be tried."""

    doubt: float
    size: int
    order: int
    suspicion: float
    kind: str
    edit: ProgramEdit


def noted(source: str) -> str:
    """Return the program that notes which lines of its functions have begun."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, Def):
            for inner in ast.walk(node):
                _note_in(inner)
    start = int(ast.get_docstring(tree, clean=False) is not None)
    while start < len(tree.body) and _is_future(tree.body[start]):
        start += 1
    tree.body[start:start] = ast.parse(f"{NOTED} = set()").body
    return ast.unparse(ast.fix_missing_locations(tree))


def _note_in(node: ast.AST) -> None:
    for field in ("body", "orelse", "finalbody"):
        block = getattr(node, field, None)
        if isinstance(block, list) and not any(map(_is_note, block)):
            setattr(node, field, [*chain.from_iterable(map(_noting, block))])


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _is_note(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))):
            return name == NOTED
        case _:
            return False


def _noting(node: ast.stmt) -> list[ast.stmt]:
    return [*ast.parse(f"{NOTED}.add({node.lineno})").body, node]


def proposed(module: str, source: str, suspicion: Mapping[int, float], most: int) -> str:
    """Return up to `most` edits of `source` as JSON: small ones, in suspicious lines, first.

    That is a list of the functions that they change, and a list of edits: for each its kind, its
    line, the suspicion of that, its size in words, its changes, and which of the functions it is.
    Before each stands the turn at which it should be tried: kinds take turns, as each has small
    edits enough.
    A function is the name of its class, if any, its own, where it begins and ends in bytes of
    UTF-8, and how far it is indented; it is null where more than the inside of one changes.
    """
    warnings.simplefilter("ignore")
    program = parsed(module, source)
    functions: dict[object, int] = {}
    made: list[tuple[float, list[object]]] = []
    seen = set[tuple[int, str]]()
    for turn, each in _in_turns(_proposals(program, suspicion)):
        if len(made) >= most:
            break
        edit, tree = each.edit, _tree(program, each.edit)
        if tree is not None and tree not in seen:
            seen.add(tree)
            which = functions.setdefault(_function(program, edit), len(functions))
            line = getattr(edit.anchor, "lineno", 1)
            told = [each.kind, line, each.suspicion, each.size, edit.changes, which]
            made.append((turn, told))
    return json.dumps([list(functions), made])


def _in_turns(proposals: Iterable[_Proposal]) -> list[tuple[float, _Proposal]]:
    """Return all of `proposals`, each after its turn, in that order."""
    turns = Counter[str]()
    placed = []
    for each in sorted(proposals, key=lambda one: one[:3]):
        turns[each.kind] += 1
        placed.append((round(turns[each.kind] / _WEIGHTS.get(each.kind, 1), 3), each))
    return sorted(placed, key=itemgetter(0))


def _tree(program: ReferenceModule, edit: ProgramEdit) -> tuple[int, str] | None:
    """Return what an edited part of the program says, and where; None where that is no Python.

    That is the function or class around it, as a whole file takes many times as long to read.
    """
    start, end, column = 0, len(program.source), 0
    low, high = min(each[0] for each in edit.changes), max(each[1] for each in edit.changes)
    for owner in program.owners(edit.anchor):
        first, last = program.span(owner)
        if first <= low and high <= last:
            start, end, column = first, last, owner.col_offset
            break
    part = spliced(program.source[start:end], edit.changes, start)
    try:
        tree = ast.parse(b"if 1:\n" + b" " * column + part if column else part)
    except (SyntaxError, ValueError):
        return None
    return start, ast.dump(tree)


def _proposals(program: ReferenceModule, suspicion: Mapping[int, float]) -> Iterator[_Proposal]:
    for order, mutator in enumerate(MUTATORS):
        kind = KINDS.get(mutator.__name__, mutator.__name__)
        for edit in mutator(program):
            rank = _suspicion(program, edit.anchor, suspicion)
            size = sum(_size(program, each) for each in edit.changes) if rank else 0
            size = max(size, _LEAST_SIZE)
            doubt = min(size, _MOST_SIZES.get(kind, size)) / (rank + _LEAST_TRUST)
            if rank and size <= _MOST_WORDS:
                yield _Proposal(doubt, size, order, rank, kind, edit)


def _size(program: ReferenceModule, change: Change) -> int:
    """Return how many words and signs `change` adds and takes away."""
    low, high, text = change
    old, new = (Counter(_WORD.findall(each)) for each in (program.source[low:high].decode(), text))
    return ((old - new) + (new - old)).total()


def _suspicion(program: ReferenceModule, anchor: ast.AST, suspicion: Mapping[int, float]) -> float:
    """Return the suspicion of the statement around `anchor`, of a function that of its worst."""
    if isinstance(anchor, Def):
        inside = (node.lineno for node in ast.walk(anchor) if isinstance(node, ast.stmt))
        return max((suspicion.get(line, 0) for line in inside), default=0)
    around = (node for node in (anchor, *program.above(anchor)) if isinstance(node, ast.stmt))
    return next((suspicion.get(node.lineno, 0) for node in around), 0)


def _function(program: ReferenceModule, edit: ProgramEdit) -> tuple[str, str, int, int, int] | None:
    """Return the function of which `edit` changes the inside; None where it changes more."""
    function, *around = program.owners(edit.anchor)
    if not isinstance(function, ast.FunctionDef) or function.decorator_list or len(around) > 1:
        return None
    start, end = program.span(function)
    inside, _ = program.span(function.body[0])
    if any(low < inside or high > end for low, high, _ in edit.changes):
        return None
    owner = getattr(around[0], "name", "") if around else ""
    return owner, function.name, start, end, function.col_offset
