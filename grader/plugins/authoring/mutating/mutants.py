"""Turns edits into mutants, which are programs that compile and have stable ids.

The id of a mutant is a hash of the changed function and of the change. A suite can list the mutant
as equivalent, with a reason. The entry is valid until the function changes, because the reason
could then be wrong. Comments, docstrings and layout do not affect the id.

An edit that gives the same byte code as the original or an earlier mutant is dropped. To detect
this, only the function, class or statement around the edit is compiled.
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

from grader.plugins.authoring.mutating.edits import Change, Mutator, ProgramEdit, apply_changes
from grader.plugins.authoring.mutating.parsed_module import ReferenceModule, Span, is_docstring

_MAX_PHRASE_CHARS: Final = 60
"""The longest code around a change that is shown as its context."""

_MAX_UNCHANGED_LINES: Final = 2
"""The longest run of unchanged lines that is shown and not replaced with dots."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A reference module with one mistake in it."""

    module_name: str
    mutator: str
    """The name of the mutator, which is the kind of mistake."""
    line: int
    """The line in the reference, 1-based."""
    before: str
    """The code in the reference, with dots for unchanged lines."""
    after: str
    """The code in the mutant, with dots for unchanged lines."""
    source: str
    """The source of the whole changed module."""
    id: str
    misconception: bool
    """Whether the mistake is a misconception, not a slip."""


def make_mutants(
    program: ReferenceModule, mutators: Mapping[str, Mutator], *, misconception: bool
) -> Iterator[Mutant]:
    """Yield the mutants of `program`, grouped by mutator.

    Edits that do not compile, or that behave like the program or an earlier mutant, are skipped.
    `misconception` says whether these `mutators` make misconceptions instead of slips.
    """
    key_counts: Counter[str] = Counter()
    owner_keys: dict[ast.AST, str] = {}
    duplicates = _DuplicateFilter(program)
    for mutator_name, find_edits in mutators.items():
        for edit in find_edits(program):
            if not duplicates.is_new(edit):
                continue
            before, after = _code_before_and_after(program, edit)
            owner, *classes = program.owners(edit.anchor)
            if owner not in owner_keys:
                owner_keys[owner] = _owner_key(program.module_name, owner, classes)
            # NUL is a safe separator, because Python source cannot contain it.
            key = "\0".join(
                [
                    owner_keys[owner],
                    mutator_name,
                    _normalize_whitespace(before),
                    _normalize_whitespace(after),
                ]
            )
            key_counts[key] += 1  # a function can have the same code twice
            yield Mutant(
                module_name=program.module_name,
                mutator=mutator_name,
                # Some nodes have no line, such as `ast.arguments`.
                line=getattr(edit.anchor, "lineno", 1),
                before=before,
                after=after,
                source=apply_changes(program.source, edit.changes).decode(),
                # Eight digits, because authors copy ids into suites.
                id=hashlib.sha256(f"{key}\0{key_counts[key]}".encode()).hexdigest()[:8],
                misconception=misconception,
            )


class _DuplicateFilter:
    """Detects edits that repeat the original program or an earlier mutant."""

    def __init__(self, program: ReferenceModule) -> None:
        self._program = program
        self._seen: dict[Span, set[Hashable]] = {}

    def is_new(self, edit: ProgramEdit) -> bool:
        """Return whether the edited program compiles to new byte code, and record the byte code."""
        source = self._program.source
        (start, end), indent = self._span_to_compile(edit)
        if (start, end) not in self._seen:
            self._seen[start, end] = {_compile_to_key(source[start:end], indent)}
        key = _compile_to_key(apply_changes(source[start:end], edit.changes, start), indent)
        if key is None or key in self._seen[start, end]:
            return False
        self._seen[start, end].add(key)
        return True

    def _span_to_compile(self, edit: ProgramEdit) -> tuple[Span, int]:
        """Return the span of source to compile for `edit`, and its indentation.

        The span is that of the innermost owner that contains all changes, or else the whole module.
        """
        edit_start = min(change[0] for change in edit.changes)
        edit_end = max(change[1] for change in edit.changes)
        for owner in self._program.owners(edit.anchor):
            start, end = self._program.span(owner)
            if start <= edit_start and edit_end <= end:
                return (start, end), owner.col_offset
        return (0, len(self._program.source)), 0


def _compile_to_key(part: bytes, indent: int) -> Hashable | None:
    """Return the `_behaviour_key` of a `part` of a program, or None if it does not compile."""
    # Indented code compiles only inside a block.
    text = b"if 1:\n" + b" " * indent + part if indent else part
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a mutant can cause a `SyntaxWarning`
        try:
            # Without `dont_inherit`, the code would inherit the `__future__` import of this module.
            return _behaviour_key(compile(text, "<mutant>", "exec", dont_inherit=True))
        except SyntaxError:
            return None


def _behaviour_key(code: CodeType) -> Hashable:
    """Return a key made of the parts of `code` that affect what it does; line numbers do not."""
    return (
        code.co_name,
        code.co_code,
        code.co_exceptiontable,
        code.co_flags,
        (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount),
        (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars),
        tuple(_constant_key(constant) for constant in code.co_consts),
    )


def _constant_key(value: object) -> Hashable:
    """Return a key for a constant: `1`, `1.0` and `True` get different keys, even when nested."""
    match value:
        case CodeType():
            return _behaviour_key(value)
        case tuple():
            return tuple(_constant_key(item) for item in value)
        case frozenset():
            # Sorted, because the order of a set differs between runs.
            return tuple(sorted(repr(item) for item in value))
        case _:
            return repr(value)


def _code_before_and_after(program: ReferenceModule, edit: ProgramEdit) -> tuple[str, str]:
    """Return the code before and after `edit`, with some context and dots for unchanged lines.

    Text that is inserted elsewhere, such as an import, comes first in the code after the edit.
    """
    owner_start, owner_end = program.span(program.owners(edit.anchor)[0])
    inner_changes = tuple(
        change for change in edit.changes if owner_start <= change[0] and change[1] <= owner_end
    )
    start, end, column = _region_to_show(program, edit, inner_changes)
    source = program.source[start:end]
    before = _dedent(source.decode(), column)
    after = _dedent(apply_changes(source, inner_changes, start).decode(), column)
    outer_texts = [change[2].strip() for change in edit.changes if change not in inner_changes]
    before_lines, after_lines = _elide_unchanged(before, after)
    return "\n".join(before_lines), "\n".join([*outer_texts, *after_lines])


def _region_to_show(
    program: ReferenceModule, edit: ProgramEdit, inner_changes: tuple[Change, ...]
) -> tuple[int, int, int]:
    """Return the start and end of the code to show for `edit`, and its indentation."""
    start, end = _phrase_span(program, edit.anchor)
    first_change = min([start, *(change[0] for change in inner_changes)])
    line_start = program.line_starts[bisect.bisect_right(program.line_starts, first_change) - 1]
    if first_change < start:
        start = (
            line_start
            + len(program.source[line_start:])
            - len(program.source[line_start:].lstrip(b" "))
        )
    return start, max([end, *(change[1] for change in inner_changes)]), start - line_start


def _elide_unchanged(before: list[str], after: list[str]) -> tuple[list[str], list[str]]:
    """Return the lines before and after a change, with dots for long runs of unchanged lines."""
    old_lines: list[str] = []
    new_lines: list[str] = []
    # With `autojunk`, difflib would ignore frequent lines of long texts.
    matcher = difflib.SequenceMatcher(a=before, b=after, autojunk=False)
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        if tag == "equal":
            is_short = end - start <= _MAX_UNCHANGED_LINES
            # A long run at the start keeps its first line, often the header of the function.
            shown_lines = (
                before[start:end] if is_short else [*(before[:1] if start == 0 else []), "…"]
            )
            old_lines += shown_lines
            new_lines += shown_lines
        else:
            old_lines += before[start:end]
            new_lines += after[new_start:new_end]
    return old_lines, new_lines


def _phrase_span(program: ReferenceModule, node: ast.AST) -> Span:
    """Return the span of the largest short expression or statement header around `node`.

    Short code has one line of at most `_MAX_PHRASE_CHARS` characters. Return the span of `node`
    if no code around it is short.
    """
    best = program.span(node)
    parent = None if isinstance(node, ast.stmt) else program.parents.get(node)
    while isinstance(parent, ast.expr | ast.keyword | ast.comprehension | ast.arguments | ast.stmt):
        span = _header_span(program, parent)
        if span is not None:
            text = program.source[span[0] : span[1]].decode()
            if len(text) > _MAX_PHRASE_CHARS or "\n" in text:
                break
            best = span
        if isinstance(parent, ast.stmt):
            break
        parent = program.parents.get(parent)
    return best


def _header_span(program: ReferenceModule, node: ast.AST) -> Span | None:
    """Return the span of an expression or simple statement, or of an `if`, `while` or `for` header.

    Return None for other compound statements and other nodes.
    """
    match node:
        case ast.If(test=last_part) | ast.While(test=last_part) | ast.For(iter=last_part):
            return program.span(node)[0], program.span(last_part)[1]
        case ast.stmt() if hasattr(node, "body"):
            return None
        case ast.expr() | ast.stmt():
            return program.span(node)
        case _:
            return None


def _dedent(text: str, column: int) -> list[str]:
    """Return the non-empty lines of `text`; all but the first lose up to `column` spaces."""
    lines = [line for line in text.strip().split("\n") if line.strip()]
    return [line[min(column, len(line) - len(line.lstrip())) :] for line in lines]


def _normalize_whitespace(text: str) -> str:
    """Return `text` with each run of whitespace replaced with one space."""
    return " ".join(text.split())


def _owner_key(module_name: str, owner: ast.stmt, classes: list[ast.stmt]) -> str:
    """Return a key for a mutant's owner, made of its module, name, enclosing classes and code."""
    names = [getattr(node, "name", "") for node in [owner, *classes]]
    return "\0".join([module_name, *names, _fingerprint(owner)])


def _fingerprint(node: object) -> str:
    """Return a syntax tree as text, without docstrings and version-dependent fields."""
    match node:
        case ast.AST():
            # Newer Python versions add fields that are empty for older syntax.
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
