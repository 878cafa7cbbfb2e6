"""Edits that make a function more like a similar one in the same program."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Final

from grader.plugins.authoring.mutating.edits import ProgramEdit
from grader.plugins.authoring.mutating.parsed_module import FunctionNode, ReferenceModule

_WORD_PART: Final = re.compile(r"[^\W_]+")
_MIN_SIMILARITY: Final = 0.5
"""The lowest similarity of their lines, after renaming, at which two functions are twins."""
_MAX_LINES: Final = 12
"""Longer differences are not copied."""


def twin(program: ReferenceModule) -> Iterator[ProgramEdit]:
    """Yield edits that copy lines of a twin, a function that differs mostly in names.

    The renaming is guessed from the most common differences between the two functions.
    """
    texts = {function: _lines(program, function) for function in program.defs()}
    for function, lines in texts.items():
        for other, other_lines in texts.items():
            if other is not function:
                counterparts = _renamings([other.name, *other_lines], [function.name, *lines])
                renamed = [
                    _WORD_PART.sub(lambda part: counterparts.get(part[0], part[0]), line)  # noqa: B023 - used at once
                    for line in other_lines
                ]
                yield from _edits_from_twin(program, function, lines, renamed)


def _edits_from_twin(
    program: ReferenceModule, function: FunctionNode, lines: list[str], twin_lines: list[str]
) -> Iterator[ProgramEdit]:
    """Yield edits that replace differing `lines` of `function` with those of its twin."""
    # By default, difflib ignores lines that are frequent in a long text.
    matcher = SequenceMatcher(a=lines, b=twin_lines, autojunk=False)
    if matcher.ratio() < _MIN_SIMILARITY:
        return
    body_line = function.body[0].lineno
    for tag, low, high, start, end in matcher.get_opcodes():
        if tag == "equal" or max(high - low, end - start) > _MAX_LINES:
            continue
        surplus = max(0, (end - start) - (high - low)) if tag == "replace" else 0
        parts = [(low, high, start, end)]
        if surplus:  # the old lines might be right, with lines missing before or after them
            parts += [(low, low, start, start + surplus), (high, high, end - surplus, end)]
        for line_start, line_end, twin_start, twin_end in parts:
            span = (
                program.line_starts[body_line - 1 + line_start],
                program.line_starts[body_line - 1 + line_end],
            )
            anchor = _statement_at(function, body_line + line_start)
            text = "".join(twin_lines[twin_start:twin_end])
            yield ProgramEdit(anchor=anchor, changes=((*span, text),))


def _lines(program: ReferenceModule, function: FunctionNode) -> list[str]:
    """Return the lines of the body of `function`, including their line endings."""
    first, last = function.body[0].lineno, function.end_lineno or function.lineno
    start, end = program.line_starts[first - 1], program.line_starts[last]
    text = program.source[start:end].decode()
    return (text if text.endswith("\n") else f"{text}\n").splitlines(keepends=True)


def _renamings(twin_lines: list[str], lines: list[str]) -> dict[str, str]:
    """Return the counterparts in `lines` of word parts in `twin_lines`, keyed by these parts.

    Numbers, and parts that also match themselves, are omitted.
    """
    twin_words, words = (_WORD_PART.findall("\n".join(text)) for text in (twin_lines, lines))
    pairs, unchanged = Counter[tuple[str, str]](), set[str]()
    # By default, difflib would ignore frequent words.
    matcher = SequenceMatcher(a=twin_words, b=words, autojunk=False)
    for tag, low, high, start, end in matcher.get_opcodes():
        # Only in runs of equal length does each word have a clear counterpart.
        if tag == "replace" and high - low == end - start:
            pairs.update(zip(twin_words[low:high], words[start:end], strict=True))
        elif tag == "equal":
            unchanged.update(twin_words[low:high])
    counterparts: dict[str, str] = {}
    for (twin_word, word), _ in pairs.most_common():
        if twin_word not in unchanged and not twin_word.isdecimal():
            counterparts.setdefault(twin_word, word)
    return counterparts


def _statement_at(function: FunctionNode, line: int) -> ast.stmt:
    """Return the statement of `function` at `line`, or the last one before it.

    Return the first statement if there is none before.
    """
    statements = (node for node in ast.walk(function) if isinstance(node, ast.stmt))
    before = (node for node in statements if node is not function and node.lineno <= line)
    return max(before, key=lambda node: node.lineno, default=function.body[0])
