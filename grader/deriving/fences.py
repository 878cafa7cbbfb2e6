"""Finds the fenced code of a spec, its language, and the blocks of comments in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, unique
from itertools import groupby
from typing import Final

_FENCE: Final = re.compile(r" {0,3}(?P<marks>`{3,}|~{3,}) *(?P<info>[^`]*)")
_COMMENT: Final = re.compile(r"(?P<indent>\s*)(?P<prefix>#|--|//)(?P<text>$|\s.*)")
_HASKELL_SIGN: Final = re.compile(
    r"λ>|^\s*[\w']+ ::|\sshouldBe\s|\s`shouldBe`(\s|$)|^\s*where\b|\swhere$", re.MULTILINE
)


@unique
class Language(Enum):
    """What fenced code is written in, as far as it matters here."""

    PYTHON = "python"
    HASKELL = "haskell"
    OTHER = "other"


_LANGUAGES: Final = {
    **dict.fromkeys(("python", "python3", "py", "pycon"), Language.PYTHON),
    **dict.fromkeys(("haskell", "hs"), Language.HASKELL),
}


@dataclass(frozen=True, slots=True)
class Lines:
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
class Fence:
    """The code between two fences."""

    language: Language
    code: Lines


def fences(lines: Sequence[str]) -> Iterator[Fence]:
    """Yield the fenced code in `lines`, the whole spec; a fence may be left open at the end."""
    opening: re.Match[str] | None = None
    start = 0
    for index, line in enumerate([*lines, ""]):
        found = _FENCE.fullmatch(line)
        if opening is None:
            opening, start = found, index + 1
        elif index == len(lines) or (found and _closes(found, opening)):
            code = Lines(start + 1, tuple(lines[start:index]))
            yield Fence(_language(opening["info"], str(code)), code)
            opening = None


def _closes(mark: re.Match[str], opening: re.Match[str]) -> bool:
    return not mark["info"] and mark["marks"].startswith(opening["marks"])


def _language(info: str, code: str) -> Language:
    """Return the language that the fence names; one that names none is told by its signs."""
    (named, *_) = [*re.split(r"[\s{,]", info.strip().lower()), ""]
    if not named:
        return Language.HASKELL if _HASKELL_SIGN.search(code) else Language.PYTHON
    return _LANGUAGES.get(named, Language.OTHER)


def comment_blocks(fence: Fence) -> Iterator[Lines]:
    """Yield the comments of `fence` without their prefix, block by block.

    A block is what stands on consecutive lines behind one prefix at one indentation.
    """
    numbered = [
        (_COMMENT.fullmatch(text), line)
        for line, text in enumerate(fence.code.texts, start=fence.code.first)
    ]
    for prefix, block in groupby(numbered, key=lambda one: one[0] and one[0].group(1, 2)):
        if prefix is not None:
            comments = [(comment["text"], line) for comment, line in block if comment]
            yield Lines(comments[0][1], tuple(text for text, _ in comments))


def indentation(text: str) -> int:
    """Return how many blanks `text` begins with."""
    return len(text) - len(text.lstrip())
