"""Finds the fenced code of a spec, its language, and the blocks of comments in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

_FENCE: Final = re.compile(r" {0,3}(?P<marks>`{3,}|~{3,}) *(?P<info>[^`]*)")
PYTHON: Final = frozenset({"python", "python3", "py", "pycon", "ipython", "ipython3"})
"""What a fence around Python names as its language."""
_COMMENT: Final = re.compile(r"(?P<indent>\s*)(?P<prefix>#|--|//)(?P<text>$|\s.*)")


@dataclass(frozen=True, slots=True)
class SpecLines:
    """Lines of the spec that stand together."""

    first: int
    """Line of the spec that the first of them is on, 1-based."""
    texts: tuple[str, ...]

    @property
    def after(self) -> int:
        """The line of the spec that follows them."""
        return self.first + len(self.texts)

    def __str__(self) -> str:
        return "\n".join(self.texts)


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """The code between two fences."""

    language: str
    """As the fence names it, in small letters; empty where it names none."""
    code: SpecLines


def code_blocks(lines: Sequence[str]) -> Iterator[CodeBlock]:
    """Yield the fenced code in `lines`, the whole spec; a fence may be left open at the end."""
    opening: re.Match[str] | None = None
    start = 0
    for index, line in enumerate([*lines, ""]):
        found = _FENCE.fullmatch(line)
        if opening is None:
            opening, start = found, index + 1
            continue
        is_end = found and not found["info"] and found["marks"].startswith(opening["marks"])
        if is_end or index == len(lines):
            language = re.split(r"[\s{,]", opening["info"].strip().lower())[0]
            yield CodeBlock(language, SpecLines(start + 1, tuple(lines[start:index])))
            opening = None


def comment_blocks(code_block: CodeBlock) -> Iterator[SpecLines]:
    """Yield the comments of `code_block` without their prefix, block by block.

    A block is what stands on consecutive lines behind one prefix at one indentation.
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
    """Return how many blanks `text` begins with."""
    return len(text) - len(text.lstrip())
