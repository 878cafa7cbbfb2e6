"""Proposes edits of a file, in an executor that has the file as text and does not run it.

The output is JSON with numbers and Python code as text. Imports are limited to the standard library
and the modules that are sent with this one.
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
from grader.plugins.authoring.mutating.edits import Change, Mutator, ProgramEdit, apply_changes
from grader.plugins.authoring.mutating.parsed_module import (
    FunctionNode,
    ReferenceModule,
    parse_module,
)
from grader.plugins.repairs.ingredients import INGREDIENTS

RAN_LINES: Final = "_lines_that_ran"
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
"""Kinds of edits, keyed by the name of their mutator if it differs."""
MUTATORS: Final[tuple[Mutator, ...]] = (
    *(
        function
        for module in (expressions, statements)
        for name, function in vars(module).items()
        # Functions that the module imports are omitted.
        if getattr(function, "__module__", "") == module.__name__ and name[0] != "_"
    ),
    *INGREDIENTS,
)
_WORD: Final = re.compile(r"\w+|[^\w\s()]")
_WEIGHTS: Final = {"condition": 6, "value": 2, "missing_statement": 2, "result": 2}
"""The number of edits of a common kind in each round. Other kinds have one."""
_BASE_SUSPICION: Final = 0.2
"""Added to the suspicion, so that a small edit of an unsuspicious line can precede a large one
of a suspicious line."""
_MIN_SIZE: Final = 2
"""Smaller edits count as having this size."""
_MAX_SIZES: Final = {"like_its_twin": 6, "condition": 5, "missing_statement": 8}
"""The largest size that counts, for kinds that are likely because they copy code of the same
file."""
_MAX_WORDS: Final = 200
"""Edits that change more words and symbols than this are dropped."""


class _Proposal(NamedTuple):
    """A proposed edit. The first three fields are the sort key."""

    doubt: float
    """The size divided by the suspicion: low for small edits of suspicious lines."""
    size: int
    order: int
    """The index of the mutator."""
    suspicion: float
    kind: str
    edit: ProgramEdit


def instrument(source: str) -> str:
    """Return `source`, instrumented to record which lines of its functions are executed.

    Raises `SyntaxError` or `ValueError` if it cannot be parsed.
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, FunctionNode):
            for inner in ast.walk(node):
                _instrument_blocks(inner)
    # A docstring and `__future__` imports must stay first.
    start = int(ast.get_docstring(tree, clean=False) is not None)
    while start < len(tree.body) and _is_future(tree.body[start]):
        start += 1
    tree.body[start:start] = ast.parse(f"{RAN_LINES} = set()").body
    return ast.unparse(ast.fix_missing_locations(tree))


def _instrument_blocks(node: ast.AST) -> None:
    """Change the blocks of `node` so that the line of each statement is recorded before it runs."""
    for field in ("body", "orelse", "finalbody"):
        block = getattr(node, field, None)
        # A nested function is walked twice, but must be changed only once.
        if isinstance(block, list) and not any(map(_is_recording, block)):
            setattr(node, field, [*chain.from_iterable(map(_with_recording, block))])


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _is_recording(node: ast.stmt) -> bool:
    """Return whether `node` is a statement that records a line."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))):
            return name == RAN_LINES
        case _:
            return False


def _with_recording(node: ast.stmt) -> list[ast.stmt]:
    return [*ast.parse(f"{RAN_LINES}.add({node.lineno})").body, node]


def propose(module_name: str, source: str, suspicion: Mapping[int, float], most: int) -> str:
    """Return up to `most` edits of `source` as JSON. Small edits of suspicious lines come first.

    The JSON holds a list of changed functions, and a list of pairs of a turn and an edit. Edits are
    taken from each kind in turn, because otherwise small edits of one kind would crowd out the
    others; the turn is the round in which an edit was taken. An edit consists of its kind, its
    line, the suspicion of that line, its size in words, its changes, and the index of its function.
    A function consists of the name of its class or "", its name, its
    start and end in UTF-8 bytes, and its indentation. For an edit outside function bodies, null
    takes the place of the function.
    """
    warnings.simplefilter("ignore")  # students' code and edits of it can cause a `SyntaxWarning`
    program = parse_module(module_name, source)
    functions: dict[object, int] = {}
    edits: list[tuple[float, list[object]]] = []
    trees = set[tuple[int, str]]()
    for turn, proposal in _take_turns(_proposals(program, suspicion)):
        if len(edits) >= most:
            break
        edit, tree = proposal.edit, _edited_tree(program, proposal.edit)
        # Different mutators can propose the same edit.
        if tree is not None and tree not in trees:
            trees.add(tree)
            function_index = functions.setdefault(_edited_function(program, edit), len(functions))
            line = getattr(edit.anchor, "lineno", 1)
            fields = [
                *(proposal.kind, line, proposal.suspicion, proposal.size),
                *(edit.changes, function_index),
            ]
            edits.append((turn, fields))
    return json.dumps([list(functions), edits])


def _take_turns(proposals: Iterable[_Proposal]) -> list[tuple[float, _Proposal]]:
    """Return each of `proposals` with its turn, sorted by turn."""
    turns = Counter[str]()
    with_turns = []
    for proposal in sorted(proposals, key=lambda proposal: proposal[:3]):
        kind = proposal.kind
        turns[kind] += 1
        with_turns.append((round(turns[kind] / _WEIGHTS.get(kind, 1), 3), proposal))
    return sorted(with_turns, key=itemgetter(0))


def _edited_tree(program: ReferenceModule, edit: ProgramEdit) -> tuple[int, str] | None:
    """Return the start and the dumped tree of the edited part, or None if it cannot be parsed.

    The part is the function or class around the edit, because parsing a whole file takes much
    longer.
    """
    start, end, column = 0, len(program.source), 0
    low, high = min(change[0] for change in edit.changes), max(change[1] for change in edit.changes)
    for owner in program.owners(edit.anchor):
        first, last = program.span(owner)
        if first <= low and high <= last:
            start, end, column = first, last, owner.col_offset
            break
    part = apply_changes(program.source[start:end], edit.changes, start)
    try:
        # Indented code can be parsed only in a block.
        tree = ast.parse(b"if 1:\n" + b" " * column + part if column else part)
    except (SyntaxError, ValueError):
        return None
    return start, ast.dump(tree)


def _proposals(program: ReferenceModule, suspicion: Mapping[int, float]) -> Iterator[_Proposal]:
    """Yield the edits of all mutators, except large ones and edits of unsuspected lines."""
    for order, mutator in enumerate(MUTATORS):
        kind = KINDS.get(mutator.__name__, mutator.__name__)
        for edit in mutator(program):
            line_suspicion = _suspicion(program, edit.anchor, suspicion)
            if not line_suspicion:
                continue
            size = max(_MIN_SIZE, sum(_size(program, change) for change in edit.changes))
            doubt = min(size, _MAX_SIZES.get(kind, size)) / (line_suspicion + _BASE_SUSPICION)
            if size <= _MAX_WORDS:
                yield _Proposal(doubt, size, order, line_suspicion, kind, edit)


def _size(program: ReferenceModule, change: Change) -> int:
    """Return the number of words and symbols that `change` adds or removes."""
    low, high, text = change
    old, new = (Counter(_WORD.findall(side)) for side in (program.source[low:high].decode(), text))
    return ((old - new) + (new - old)).total()


def _suspicion(program: ReferenceModule, anchor: ast.AST, suspicion: Mapping[int, float]) -> float:
    """Return the suspicion of the statement at or around `anchor`, or 0 if there is none.

    If `anchor` is a function, return the highest suspicion of a statement in it.
    """
    if isinstance(anchor, FunctionNode):
        lines = (node.lineno for node in ast.walk(anchor) if isinstance(node, ast.stmt))
        return max((suspicion.get(line, 0) for line in lines), default=0)
    enclosing = (
        node for node in (anchor, *program.ancestors(anchor)) if isinstance(node, ast.stmt)
    )
    return next((suspicion.get(node.lineno, 0) for node in enclosing), 0)


def _edited_function(
    program: ReferenceModule, edit: ProgramEdit
) -> tuple[str, str, int, int, int] | None:
    """Return the function whose body `edit` changes, or None if a patch cannot make the change.

    A function consists of the fields that `propose` describes.
    """
    function, *classes = program.owners(edit.anchor)
    # A patch finds the function by its name, which a decorator can bind to something else.
    if not isinstance(function, ast.FunctionDef) or function.decorator_list or len(classes) > 1:
        return None
    start, end = program.span(function)
    body_start, _ = program.span(function.body[0])
    if any(low < body_start or high > end for low, high, _ in edit.changes):
        return None
    owner = getattr(classes[0], "name", "") if classes else ""
    return owner, function.name, start, end, function.col_offset
