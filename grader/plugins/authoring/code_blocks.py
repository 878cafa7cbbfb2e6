"""Finds the fenced code blocks of a spec, with their languages and comments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

# As in CommonMark: four spaces make indented code, and a backtick in the info string makes
# inline code.
_FENCE: Final = re.compile(r" {0,3}(?P<marks>`{3,}|~{3,}) *(?P<info>[^`]*)")
PYTHON: Final = frozenset({"python", "python3", "py", "pycon", "ipython", "ipython3"})
"""The info strings that mark a fenced block as Python."""
# Comments of other languages match too, because a fence need not name its language.
_COMMENT: Final = re.compile(r"(?P<indent>\s*)(?P<prefix>#|--|//)(?P<text>$|\s.*)")


@dataclass(frozen=True, slots=True)
class SpecLines:
    """Consecutive lines of the spec."""

    first_line: int
    """The number of the first line in the spec, 1-based."""
    texts: tuple[str, ...]

    @property
    def line_after(self) -> int:
        """The number of the line after the last one."""
        return self.first_line + len(self.texts)

    def __str__(self) -> str:
        return "\n".join(self.texts)


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """The code between two fences."""

    language: str
    """The language that the fence names, in lower case, or an empty string."""
    code: SpecLines


def code_blocks(lines: Sequence[str]) -> Iterator[CodeBlock]:
    """Yield the fenced code blocks of a spec, given as `lines`.

    The last block need not be closed: it then extends to the end of the spec.
    """
    opening: re.Match[str] | None = None
    start = 0
    for index, line in enumerate([*lines, ""]):  # the extra line ends an unclosed fence
        fence = _FENCE.fullmatch(line)
        if opening is None:
            opening, start = fence, index + 1
            continue
        # In CommonMark, a closing fence is at least as long as the opening one and has no info.
        is_end = fence and not fence["info"] and fence["marks"].startswith(opening["marks"])
        if is_end or index == len(lines):
            # The info string can have more: `python {1,3}`, `python,linenos`.
            language = re.split(r"[\s{,]", opening["info"].strip().lower())[0]
            yield CodeBlock(language, SpecLines(start + 1, tuple(lines[start:index])))
            opening = None


def comment_blocks(code_block: CodeBlock) -> Iterator[SpecLines]:
    """Yield the comment blocks of `code_block`, without the comment prefixes.

    A block is a run of comment lines with the same prefix and indentation.
    """
    numbered_matches = [
        (_COMMENT.fullmatch(text), line)
        for line, text in enumerate(code_block.code.texts, start=code_block.code.first_line)
    ]
    for indent_and_prefix, block in groupby(
        numbered_matches, key=lambda pair: pair[0] and pair[0].group("indent", "prefix")
    ):
        if indent_and_prefix is not None:
            comments = [(comment["text"], line) for comment, line in block if comment]
            yield SpecLines(comments[0][1], tuple(text for text, _ in comments))


def indentation(text: str) -> int:
    """Return the number of whitespace characters at the start of `text`."""
    return len(text) - len(text.lstrip())
