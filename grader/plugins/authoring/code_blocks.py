"""Finds the fenced code of a spec, its language, and the blocks of comments in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

# As in CommonMark: four blanks indent code, and a backtick in the info makes it inline code.
_FENCE: Final = re.compile(r" {0,3}(?P<marks>`{3,}|~{3,}) *(?P<info>[^`]*)")
PYTHON: Final = frozenset({"python", "python3", "py", "pycon", "ipython", "ipython3"})
"""The languages that a fence around Python code may name."""
# Of other languages too, as a fence need not name its own.
_COMMENT: Final = re.compile(r"(?P<indent>\s*)(?P<prefix>#|--|//)(?P<text>$|\s.*)")


@dataclass(frozen=True, slots=True)
class SpecLines:
    """Consecutive lines of the spec."""

    first: int
    """The number of the first line, 1-based."""
    texts: tuple[str, ...]

    @property
    def after(self) -> int:
        """The number of the line after them."""
        return self.first + len(self.texts)

    def __str__(self) -> str:
        return "\n".join(self.texts)


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """The code between two fences."""

    language: str
    """The language that the fence names, in small letters, or an empty string."""
    code: SpecLines


def code_blocks(lines: Sequence[str]) -> Iterator[CodeBlock]:
    """Yield the fenced code in `lines`, the whole spec; the last fence need not be closed."""
    opening: re.Match[str] | None = None
    start = 0
    for index, line in enumerate([*lines, ""]):  # one more line ends a fence that is never closed
        found = _FENCE.fullmatch(line)
        if opening is None:
            opening, start = found, index + 1
            continue
        # CommonMark: a fence inside may be shorter, or name a language.
        is_end = found and not found["info"] and found["marks"].startswith(opening["marks"])
        if is_end or index == len(lines):
            # the info may go on: `python {1,3}`, `python,linenos`
            language = re.split(r"[\s{,]", opening["info"].strip().lower())[0]
            yield CodeBlock(language, SpecLines(start + 1, tuple(lines[start:index])))
            opening = None


def comment_blocks(code_block: CodeBlock) -> Iterator[SpecLines]:
    """Yield the comments of `code_block` without their prefix, block by block.

    A block is a run of lines with the same prefix and indentation.
    """
    numbered = [
        (_COMMENT.fullmatch(text), line)
        for line, text in enumerate(code_block.code.texts, start=code_block.code.first)
    ]
    for prefix, block in groupby(numbered, key=lambda one: one[0] and one[0].group(1, 2)):
        if prefix is not None:
            comments = [(comment["text"], line) for comment, line in block if comment]
            yield SpecLines(comments[0][1], tuple(text for text, _ in comments))


def indentation(text: str) -> int:
    """Return the number of blanks at the start of `text`."""
    return len(text) - len(text.lstrip())
