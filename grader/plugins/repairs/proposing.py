"""Proposes edits of a file, in an executor that has the file as text and does not run it.

The output is JSON: numbers, and Python code as text. Imports are limited to the standard library
and the modules that are sent along.
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
"""The name of the set of executed lines in an instrumented program."""
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
"""Kinds of edits, by name of their mutator if it differs."""
MUTATORS: Final[tuple[Mutator, ...]] = (
    *(
        function
        for module in (expressions, statements)
        for name, function in vars(module).items()
        # Not those that it imports.
        if getattr(function, "__module__", "") == module.__name__ and name[0] != "_"
    ),
    *INGREDIENTS,
)
_WORD: Final = re.compile(r"\w+|[^\w\s()]")
_WEIGHTS: Final = {"condition": 6, "value": 2, "missing_statement": 2, "result": 2}
"""The number of turns of common kinds; others have one."""
_LEAST_TRUST: Final = 0.2
"""Added to suspicion, so that a small edit of a common line precedes a large one elsewhere."""
_LEAST_SIZE: Final = 2
_MAX_SIZES: Final = {"like_its_twin": 6, "condition": 5, "missing_statement": 8}
"""The largest size that counts for kinds that copy code of the same file, as they are likely."""
_MAX_WORDS: Final = 200
"""Edits that change more words and signs are dropped."""


class _Proposal(NamedTuple):
    """An edit; the first three fields are its sort key."""

    doubt: float
    size: int
    order: int
    suspicion: float
    kind: str
    edit: ProgramEdit


def noted(source: str) -> str:
    """Return the program instrumented to record which lines of its functions were executed."""
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
        # A function in another one is walked twice.
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

    The result is a list of changed functions, and a list of pairs of a turn and an edit. An edit is
    its kind, its line, how suspicious that line is, its size in words, its changes, and the index
    of its function. The kinds take turns: small edits of one kind would crowd out the others.
    A function is the name of its class or "", its name, its start and end in UTF-8 bytes, and its
    indentation; it is null for an edit that reaches outside the body of a function.
    """
    warnings.simplefilter("ignore")  # code of students, and edits, may trigger a `SyntaxWarning`
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
    """Return `proposals` with their turns, sorted by turn."""
    turns = Counter[str]()
    placed = []
    for each in sorted(proposals, key=lambda one: one[:3]):
        turns[each.kind] += 1
        placed.append((round(turns[each.kind] / _WEIGHTS.get(each.kind, 1), 3), each))
    return sorted(placed, key=itemgetter(0))


def _tree(program: ReferenceModule, edit: ProgramEdit) -> tuple[int, str] | None:
    """Return the start and the dumped tree of the edited part; None if it does not parse.

    The part is the function or class around the edit: parsing a whole file takes much longer.
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
        # Indented code compiles in a block only.
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
            doubt = min(size, _MAX_SIZES.get(kind, size)) / (rank + _LEAST_TRUST)
            if rank and size <= _MAX_WORDS:
                yield _Proposal(doubt, size, order, rank, kind, edit)


def _size(program: ReferenceModule, change: Change) -> int:
    """Return the number of words and signs that `change` adds or removes."""
    low, high, text = change
    old, new = (Counter(_WORD.findall(each)) for each in (program.source[low:high].decode(), text))
    return ((old - new) + (new - old)).total()


def _suspicion(program: ReferenceModule, anchor: ast.AST, suspicion: Mapping[int, float]) -> float:
    """Return the suspicion of the statement around `anchor`; for a function, the highest inside."""
    if isinstance(anchor, Def):
        inside = (node.lineno for node in ast.walk(anchor) if isinstance(node, ast.stmt))
        return max((suspicion.get(line, 0) for line in inside), default=0)
    around = (node for node in (anchor, *program.above(anchor)) if isinstance(node, ast.stmt))
    return next((suspicion.get(node.lineno, 0) for node in around), 0)


def _function(program: ReferenceModule, edit: ProgramEdit) -> tuple[str, str, int, int, int] | None:
    """Return the function whose inside `edit` changes; None if it changes more."""
    function, *around = program.owners(edit.anchor)
    if not isinstance(function, ast.FunctionDef) or function.decorator_list or len(around) > 1:
        return None
    start, end = program.span(function)
    inside, _ = program.span(function.body[0])
    if any(low < inside or high > end for low, high, _ in edit.changes):
        return None
    owner = getattr(around[0], "name", "") if around else ""
    return owner, function.name, start, end, function.col_offset
