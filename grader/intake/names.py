"""Compares names of people, files and columns, ignoring case and accents."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import filterfalse
from typing import Final

_LETTERS: Final = str.maketrans(
    dict(zip("ßæœøłđðþı", ("ss", "ae", "oe", "o", "l", "d", "d", "th", "i"), strict=True))
)
"""Letters that Unicode does not decompose into an ASCII letter and an accent."""
_WORD: Final = re.compile(r"[^\W_]+")
_MAX_WORDS: Final = 12
"""Limit on the words of a name: the cost of its rotations grows quadratically."""


def without_accents(text: str) -> str:
    """Return `text` in lower case without accents."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(filterfalse(unicodedata.combining, decomposed.translate(_LETTERS)))


def words(name: str) -> list[str]:
    """Return the first `_MAX_WORDS` words of a name, in lower case without accents."""
    return _WORD.findall(without_accents(name))[:_MAX_WORDS]


def accented_words(name: str) -> list[str]:
    """Return the first `_MAX_WORDS` words of a name in lower case.

    Accents are kept, because they can distinguish two people.
    """
    return _WORD.findall(unicodedata.normalize("NFC", name).casefold())[:_MAX_WORDS]


def squeeze(text: str) -> str:
    """Return only the letters and digits of `text`, in lower case without accents."""
    return "".join(_WORD.findall(without_accents(text)))


def name_rotations(name: str) -> Iterator[str]:
    """Yield the words of a name joined together, starting from each word in turn.

    This makes `Peeters, Jan` match `Jan Peeters`, and both match `peetersjan`, the spelling that
    some platforms use.
    """
    parts = words(name)
    for start in range(len(parts)):
        yield "".join([*parts[start:], *parts[:start]])
