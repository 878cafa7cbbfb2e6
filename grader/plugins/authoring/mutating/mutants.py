"""From edits to mutants: other programs that compile, each with a name that lasts.

The name of a mutant is a hash of the function that it changes and of the change. A suite can list
it as equivalent, with a reason: the listing holds as long as that function stays as it is, whatever
happens to the others, and ends when it changes, as the reason may then be wrong. Comments,
docstrings and layout around the change do not count.

A change that gives the same code as the original, or as a mutant before it, is no mutant. Only the
function, class or statement that an edit touches is compiled for that.
"""

from __future__ import annotations

import ast
import bisect
import difflib
import hashlib
import warnings
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from types import CodeType
from typing import Final

from grader.plugins.authoring.mutating.edits import Change, Mutator, ProgramEdit, spliced
from grader.plugins.authoring.mutating.parsed_module import ReferenceModule, Span, is_docstring

_PHRASE_CHARS: Final = 60
"""A change is shown with what stands around it, as long as that is no longer than this."""

_FEW_LINES: Final = 2
"""So many lines that stay the same are shown among those that do not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A module of a reference with one mistake in it."""

    module: str
    mutator: str
    """Which mistake."""
    line: int
    """Where, in the reference, counted from 1."""
    before: str
    """What the reference says there: lines of code, with dots for those that stay the same."""
    after: str
    """What this one says instead."""
    source: str
    """All of the changed module."""
    id: str
    misconception: bool
    """Whether it is what students do, rather than a slip of the pen."""


def made(
    program: ReferenceModule, mutators: Mapping[str, Mutator], *, misconception: bool
) -> Iterator[Mutant]:
    """Yield the mutants of a module, mutator by mutator."""
    names: Counter[str] = Counter()
    places: dict[ast.AST, str] = {}
    compared = _Compared(program)
    for mutator, edits in mutators.items():
        for edit in edits(program):
            if not compared.is_new(edit):
                continue
            before, after = _shown(program, edit)
            owner, *around = program.owners(edit.anchor)
            if owner not in places:
                places[owner] = _place(program.module, owner, around)
            key = "\0".join([places[owner], mutator, _flat(before), _flat(after)])
            names[key] += 1
            yield Mutant(
                module=program.module,
                mutator=mutator,
                line=getattr(edit.anchor, "lineno", 1),
                before=before,
                after=after,
                source=spliced(program.source, edit.changes).decode(),
                id=hashlib.sha256(f"{key}\0{names[key]}".encode()).hexdigest()[:8],
                misconception=misconception,
            )


class _Compared:
    """Tells mutants from what was there before them."""

    def __init__(self, program: ReferenceModule) -> None:
        self._program = program
        self._seen: dict[Span, set[Hashable]] = {}

    def is_new(self, edit: ProgramEdit) -> bool:
        """Return whether an edit gives a program that compiles and does something new."""
        source = self._program.source
        (start, end), indent = self._part(edit)
        if (start, end) not in self._seen:
            self._seen[start, end] = {_compiled(source[start:end], indent)}
        key = _compiled(spliced(source[start:end], edit.changes, start), indent)
        if key is None or key in self._seen[start, end]:
            return False
        self._seen[start, end].add(key)
        return True

    def _part(self, edit: ProgramEdit) -> tuple[Span, int]:
        """Return what of the source has to be compiled, and how far it is indented."""
        low = min(change[0] for change in edit.changes)
        high = max(change[1] for change in edit.changes)
        for owner in self._program.owners(edit.anchor):
            start, end = self._program.span(owner)
            if start <= low and high <= end:
                return (start, end), owner.col_offset
        return (0, len(self._program.source)), 0


def _compiled(part: bytes, indent: int) -> Hashable | None:
    """Return what a part of a program does, None if it does not compile."""
    text = b"if 1:\n" + b" " * indent + part if indent else part
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a mistake may well deserve a warning
        try:
            return _behaviour(compile(text, "<mutant>", "exec", dont_inherit=True))
        except SyntaxError:
            return None


def _behaviour(code: CodeType) -> Hashable:
    """Return all of some code but the numbers of its lines."""
    return (
        code.co_name,
        code.co_code,
        code.co_exceptiontable,
        code.co_flags,
        (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount),
        (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars),
        tuple(_constant(constant) for constant in code.co_consts),
    )


def _constant(value: object) -> Hashable:
    """Return a constant so that `1`, `1.0` and `True` differ, however they are nested."""
    match value:
        case CodeType():
            return _behaviour(value)
        case tuple():
            return tuple(_constant(item) for item in value)
        case frozenset():
            return tuple(sorted(repr(item) for item in value))
        case _:
            return repr(value)


def _shown(program: ReferenceModule, edit: ProgramEdit) -> tuple[str, str]:
    """Return the code before and after an edit: what is around it, without what stays the same."""
    low, high = program.span(program.owners(edit.anchor)[0])
    inner = tuple(change for change in edit.changes if low <= change[0] and change[1] <= high)
    start, end, column = _region(program, edit, inner)
    part = program.source[start:end]
    before = _dedented(part.decode(), column)
    after = _dedented(spliced(part, inner, start).decode(), column)
    outer = [change[2].strip() for change in edit.changes if change not in inner]
    old, new = _pruned(before, after)
    return "\n".join(old), "\n".join([*outer, *new])


def _region(
    program: ReferenceModule, edit: ProgramEdit, changes: tuple[Change, ...]
) -> tuple[int, int, int]:
    """Return what is shown of an edit: from where to where, and how far that is indented."""
    start, end = _phrase(program, edit.anchor)
    first = min([start, *(change[0] for change in changes)])
    line = program.starts[bisect.bisect_right(program.starts, first) - 1]
    if first < start:
        start = line + len(program.source[line:]) - len(program.source[line:].lstrip(b" "))
    return start, max([end, *(change[1] for change in changes)]), start - line


def _pruned(before: list[str], after: list[str]) -> tuple[list[str], list[str]]:
    """Return lines before and after a change, with dots for those that are the same."""
    old: list[str] = []
    new: list[str] = []
    for tag, i, j, k, m in difflib.SequenceMatcher(a=before, b=after, autojunk=False).get_opcodes():
        if tag == "equal":
            kept = before[i:j] if j - i <= _FEW_LINES else [*(before[:1] if i == 0 else []), "…"]
            old += kept
            new += kept
        else:
            old += before[i:j]
            new += after[k:m]
    return old, new


def _phrase(program: ReferenceModule, node: ast.AST) -> Span:
    """Return where the largest short expression, statement or head of a statement around is."""
    best = program.span(node)
    above = None if isinstance(node, ast.stmt) else program.parents.get(node)
    while isinstance(above, ast.expr | ast.keyword | ast.comprehension | ast.arguments | ast.stmt):
        span = _head(program, above)
        if span is not None:
            text = program.source[span[0] : span[1]].decode()
            if len(text) > _PHRASE_CHARS or "\n" in text:
                break
            best = span
        if isinstance(above, ast.stmt):
            break
        above = program.parents.get(above)
    return best


def _head(program: ReferenceModule, node: ast.AST) -> Span | None:
    """Return where a node is, of a statement with a body the part before that."""
    match node:
        case ast.If(test=last) | ast.While(test=last) | ast.For(iter=last):
            return program.span(node)[0], program.span(last)[1]
        case ast.stmt() if hasattr(node, "body"):
            return None
        case ast.expr() | ast.stmt():
            return program.span(node)
        case _:
            return None


def _dedented(text: str, column: int) -> list[str]:
    """Return lines of code of which all but the first are indented `column` blanks too far."""
    lines = [line for line in text.strip().split("\n") if line.strip()]
    return [line[min(column, len(line) - len(line.lstrip())) :] for line in lines]


def _flat(text: str) -> str:
    return " ".join(text.split())


def _place(module: str, owner: ast.stmt, around: list[ast.stmt]) -> str:
    """Return where a mutant belongs: the module, the names around it, and all that is there."""
    names = [getattr(node, "name", "") for node in [owner, *around]]
    return "\0".join([module, *names, _fingerprint(owner)])


def _fingerprint(node: object) -> str:
    """Return a tree as text, without what differs between versions of Python, or does not count."""
    match node:
        case ast.AST():
            fields = [
                f"{name}={_fingerprint(value)}"
                for name, value in ast.iter_fields(node)
                if value not in (None, []) and name not in {"ctx", "kind", "type_comment"}
            ]
            return f"{type(node).__name__}({','.join(fields)})"
        case list():
            return f"[{','.join(_fingerprint(item) for item in node if not is_docstring(item))}]"
        case _:
            return repr(node)
