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

_WORD_PART: Final = re.compile(r"[^\W_]+")
_MIN_SIMILARITY: Final = 0.5
"""The lowest similarity of their lines, after renaming, at which two functions are twins."""
_MAX_LINES: Final = 12


def twin(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that copy lines of a twin, a function that differs mostly in names.

    The renaming is guessed from the most common differences between the two functions.
    """
    texts = {function: _lines(program, function) for function in program.defs()}
    for function, lines in texts.items():
        for other, other_lines in texts.items():
            if other is not function:
                names = _renamings([other.name, *other_lines], [function.name, *lines])
                renamed = [
                    _WORD_PART.sub(lambda part: names.get(part[0], part[0]), line)  # noqa: B023 - used at once
                    for line in other_lines
                ]
                yield from _edits_from_twin(program, function, lines, renamed)


def _edits_from_twin(
    program: ReferenceModule, function: Def, lines: list[str], twin_lines: list[str]
) -> Iterator[ProgramEdit]:
    """Yield edits that replace differing `lines` of `function` with those of its twin."""
    # By default, difflib ignores frequent lines of long texts.
    matcher = SequenceMatcher(a=lines, b=twin_lines, autojunk=False)
    if matcher.ratio() < _MIN_SIMILARITY:
        return
    first = function.body[0].lineno
    for tag, low, high, start, end in matcher.get_opcodes():
        if tag == "equal" or max(high - low, end - start) > _MAX_LINES:
            continue
        surplus = max(0, (end - start) - (high - low)) if tag == "replace" else 0
        parts = [(low, high, start, end)]
        if surplus:  # the old lines might be right, with lines missing before or after them
            parts += [(low, low, start, start + surplus), (high, high, end - surplus, end)]
        for first_line, last_line, twin_start, twin_end in parts:
            span = program.starts[first - 1 + first_line], program.starts[first - 1 + last_line]
            anchor = _statement_at(function, first + first_line)
            text = "".join(twin_lines[twin_start:twin_end])
            yield ProgramEdit(anchor=anchor, changes=((*span, text),))


def _lines(program: ReferenceModule, function: Def) -> list[str]:
    """Return the lines of the body of `function`, including their line endings."""
    first, last = function.body[0].lineno, function.end_lineno or function.lineno
    start, end = program.starts[first - 1], program.starts[last]
    text = program.source[start:end].decode()
    return (text if text.endswith("\n") else f"{text}\n").splitlines(keepends=True)


def _renamings(twin_lines: list[str], lines: list[str]) -> dict[str, str]:
    """Return a dict from the parts of words in `twin_lines` to their counterparts in `lines`.

    Numbers, and parts that are also matched with themselves, are omitted.
    """
    twin_words, words = (_WORD_PART.findall("\n".join(text)) for text in (twin_lines, lines))
    pairs, unchanged = Counter[tuple[str, str]](), set[str]()
    # By default, difflib would ignore frequent words.
    matcher = SequenceMatcher(a=twin_words, b=words, autojunk=False)
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag == "replace" and j - i == m - k:
            pairs.update(zip(twin_words[i:j], words[k:m], strict=True))
        elif tag == "equal":
            unchanged.update(twin_words[i:j])
    names: dict[str, str] = {}
    for (twin_word, word), _ in pairs.most_common():
        if twin_word not in unchanged and not twin_word.isdecimal():
            names.setdefault(twin_word, word)
    return names


def _statement_at(function: Def, line: int) -> ast.stmt:
    """Return the statement of `function` at `line`, or the last one before `line`."""
    statements = (node for node in ast.walk(function) if isinstance(node, ast.stmt))
    before = (node for node in statements if node is not function and node.lineno <= line)
    return max(before, key=lambda node: node.lineno, default=function.body[0])
