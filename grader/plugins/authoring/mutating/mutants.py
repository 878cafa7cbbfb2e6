"""Makes mutants of edits: programs that compile, each with a stable id.

The id of a mutant is a hash of the function that it changes and of the change. A suite can list it
as equivalent, with a reason: the entry is valid until that function changes, as the reason may then
be wrong. Comments, docstrings and layout do not count.

An edit with the same byte code as the original, or as an earlier mutant, is dropped. Only the
function, class or statement around the edit is compiled for that.
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
"""The longest code around a change that is shown with it."""

_FEW_LINES: Final = 2
"""The longest run of unchanged lines that is shown, not replaced by dots."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A module of a reference with one mistake in it."""

    module: str
    mutator: str
    """The kind of mistake."""
    line: int
    """The line in the reference, 1-based."""
    before: str
    """The code of the reference there, with dots for unchanged lines."""
    after: str
    """The code of the mutant."""
    source: str
    """The whole changed module."""
    id: str
    misconception: bool
    """Whether it is a misconception, not a slip."""


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
            # No source contains this character.
            key = "\0".join([places[owner], mutator, _flat(before), _flat(after)])
            names[key] += 1  # a function may have the same code twice
            yield Mutant(
                module=program.module,
                mutator=mutator,
                # Not all nodes have a line: `ast.arguments` has none.
                line=getattr(edit.anchor, "lineno", 1),
                before=before,
                after=after,
                source=spliced(program.source, edit.changes).decode(),
                id=hashlib.sha256(f"{key}\0{names[key]}".encode()).hexdigest()[:8],
                misconception=misconception,
            )


class _Compared:
    """Drops edits that repeat the original or an earlier mutant."""

    def __init__(self, program: ReferenceModule) -> None:
        self._program = program
        self._seen: dict[Span, set[Hashable]] = {}

    def is_new(self, edit: ProgramEdit) -> bool:
        """Return whether the edited program compiles, to byte code that is new."""
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
        """Return the span of source to compile for an edit, and its indentation."""
        low = min(change[0] for change in edit.changes)
        high = max(change[1] for change in edit.changes)
        for owner in self._program.owners(edit.anchor):
            start, end = self._program.span(owner)
            if start <= low and high <= end:
                return (start, end), owner.col_offset
        return (0, len(self._program.source)), 0


def _compiled(part: bytes, indent: int) -> Hashable | None:
    """Return the behaviour of a part of a program, None if it does not compile."""
    # Indented code compiles in a block only.
    text = b"if 1:\n" + b" " * indent + part if indent else part
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # mutants may deserve a `SyntaxWarning`
        try:
            # It would inherit the `__future__` import of this module.
            return _behaviour(compile(text, "<mutant>", "exec", dont_inherit=True))
        except SyntaxError:
            return None


def _behaviour(code: CodeType) -> Hashable:
    """Return all parts of a code object but its line numbers."""
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
    """Return a key of a constant, in which `1`, `1.0` and `True` differ, even nested."""
    match value:
        case CodeType():
            return _behaviour(value)
        case tuple():
            return tuple(_constant(item) for item in value)
        case frozenset():
            return tuple(sorted(repr(item) for item in value))  # its order differs from run to run
        case _:
            return repr(value)


def _shown(program: ReferenceModule, edit: ProgramEdit) -> tuple[str, str]:
    """Return the code before and after an edit, with some context and without unchanged lines."""
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
    """Return the span that is shown of an edit, and its indentation."""
    start, end = _phrase(program, edit.anchor)
    first = min([start, *(change[0] for change in changes)])
    line = program.starts[bisect.bisect_right(program.starts, first) - 1]
    if first < start:
        start = line + len(program.source[line:]) - len(program.source[line:].lstrip(b" "))
    return start, max([end, *(change[1] for change in changes)]), start - line


def _pruned(before: list[str], after: list[str]) -> tuple[list[str], list[str]]:
    """Return lines before and after a change, with dots for unchanged ones."""
    old: list[str] = []
    new: list[str] = []
    # By default, difflib ignores frequent lines of long texts.
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
    """Return the span of the largest short expression or statement head around a node."""
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
    """Return the span of a node, of a compound statement its head; None if it has none."""
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
    """Return lines of code, all but the first with `column` fewer blanks of indentation."""
    lines = [line for line in text.strip().split("\n") if line.strip()]
    return [line[min(column, len(line) - len(line.lstrip())) :] for line in lines]


def _flat(text: str) -> str:
    return " ".join(text.split())


def _place(module: str, owner: ast.stmt, around: list[ast.stmt]) -> str:
    """Return a key of the owner of a mutant: the module, the names around it, and its code."""
    names = [getattr(node, "name", "") for node in [owner, *around]]
    return "\0".join([module, *names, _fingerprint(owner)])


def _fingerprint(node: object) -> str:
    """Return a tree as text, without fields that differ between Python versions, and docstrings."""
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
