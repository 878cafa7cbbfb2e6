"""Edits that make a function more like a similar one of the same program."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Final

from grader.plugins.authoring.mutating.edits import ProgramEdit
from grader.plugins.authoring.mutating.parsed_module import Def, ReferenceModule

_PART: Final = re.compile(r"[^\W_]+")
_ALIKE: Final = 0.5
"""The least similarity of the lines of twins, after renaming."""
_MAX_LINES: Final = 12


def twin(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """It is otherwise in a function that is nearly the same, but for some names.

    The renaming is guessed from the most common differences between the two.
    """
    texts = {function: _lines(program, function) for function in program.defs()}
    for function, own in texts.items():
        for other, lines in texts.items():
            if other is not function:
                meant = _renamings([other.name, *lines], [function.name, *own])
                twin = [_PART.sub(lambda part: meant.get(part[0], part[0]), each) for each in lines]  # noqa: B023 - used at once
                yield from _as_in_twin(program, function, own, twin)


def _as_in_twin(
    program: ReferenceModule, function: Def, own: list[str], twin: list[str]
) -> Iterator[ProgramEdit]:
    # By default, difflib ignores frequent lines of long texts.
    matcher = SequenceMatcher(a=own, b=twin, autojunk=False)
    if matcher.ratio() < _ALIKE:
        return
    first = function.body[0].lineno
    for tag, low, high, start, end in matcher.get_opcodes():
        if tag == "equal" or max(high - low, end - start) > _MAX_LINES:
            continue
        more = max(0, (end - start) - (high - low)) if tag == "replace" else 0
        parts = [(low, high, start, end)]
        if more:  # the lines may be right, with others missing before or after them
            parts += [(low, low, start, start + more), (high, high, end - more, end)]
        for here, there, begin, stop in parts:
            at = program.starts[first - 1 + here], program.starts[first - 1 + there]
            anchor = _statement_at(function, first + here)
            yield ProgramEdit(anchor=anchor, changes=((*at, "".join(twin[begin:stop])),))


def _lines(program: ReferenceModule, function: Def) -> list[str]:
    """Return the lines of the body of `function`, with line ends."""
    first, last = function.body[0].lineno, function.end_lineno or function.lineno
    start, end = program.starts[first - 1], program.starts[last]
    text = program.source[start:end].decode()
    return (text if text.endswith("\n") else f"{text}\n").splitlines(keepends=True)


def _renamings(lines: list[str], own: list[str]) -> dict[str, str]:
    """Return the parts of words in `lines` that `own` replaces, with their replacements."""
    words, others = (_PART.findall("\n".join(each)) for each in (lines, own))
    pairs, same = Counter[tuple[str, str]](), set[str]()
    # Here it would ignore frequent words.
    matcher = SequenceMatcher(a=words, b=others, autojunk=False)
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag == "replace" and j - i == m - k:
            pairs.update(zip(words[i:j], others[k:m], strict=True))
        elif tag == "equal":
            same.update(words[i:j])
    meant: dict[str, str] = {}
    for (word, other), _ in pairs.most_common():
        if word not in same and not word.isdecimal():
            meant.setdefault(word, other)
    return meant


def _statement_at(function: Def, line: int) -> ast.stmt:
    """Return the statement of `function` at `line`, or the last one before it."""
    nodes = (each for each in ast.walk(function) if isinstance(each, ast.stmt))
    before = (each for each in nodes if each is not function and each.lineno <= line)
    return max(before, key=lambda each: each.lineno, default=function.body[0])
