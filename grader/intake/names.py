"""How names of people, files and columns are compared, whatever case and accents they have."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import filterfalse
from typing import Final

_LETTERS: Final = str.maketrans(
    dict(zip("ßæœøłđðþı", ("ss", "ae", "oe", "o", "l", "d", "d", "th", "i"), strict=True))
)
"""Letters that Unicode does not take apart into an ASCII letter and an accent."""
_WORD: Final = re.compile(r"[^\W_]+")
_MAX_WORDS: Final = 12
"""Of a name: the ways to write it grow with their square."""


def without_accents(text: str) -> str:
    """Return `text` in small letters without accents."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(filterfalse(unicodedata.combining, decomposed.translate(_LETTERS)))


def words(name: str) -> list[str]:
    """Return the words of a name, in small letters without accents."""
    return _WORD.findall(without_accents(name))[:_MAX_WORDS]


def accented_words(name: str) -> list[str]:
    """Return the words of a name in small letters, where accents tell two people apart."""
    return _WORD.findall(unicodedata.normalize("NFC", name).casefold())[:_MAX_WORDS]


def squeezed(text: str) -> str:
    """Return the letters and digits of `text`, small and without accents."""
    return "".join(_WORD.findall(without_accents(text)))


def forms(name: str) -> Iterator[str]:
    """Yield the letters of a name, beginning with each of its words.

    So `Peeters, Jan` is `Jan Peeters`, and `peetersjan`, as some platforms have it, is both.
    """
    parts = words(name)
    for at in range(len(parts)):
        yield "".join([*parts[at:], *parts[:at]])
