"""Finds what somebody may have meant."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from difflib import get_close_matches
from itertools import islice
from typing import Final

from grader.display import clip, one_line

_LONGEST_WORD: Final = 60
"""Comparing takes time that grows with the square of the length; no word of ours is longer."""
_MOST_CANDIDATES: Final = 200
_SHOWN_CHARS: Final = 80
_MOST_WORDS: Final = 20


def quoted(text: str) -> str:
    """Return foreign `text` on one line, short and in quotes, for use in a message."""
    return f"'{one_line(clip(text, _SHOWN_CHARS))}'"


def listed(words: Collection[str]) -> str:
    """Return the first of the foreign `words` on one line, and how many more there are."""
    first = [one_line(word, _SHOWN_CHARS) for word in islice(words, _MOST_WORDS)]
    more = f" and {len(words) - _MOST_WORDS} more" if len(words) > _MOST_WORDS else ""
    return (", ".join(first) or "nothing") + more


def closest(word: str, words: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the one of `words` that looks most like `word`, None when none comes near.

    Capitals are of no account; `cutoff` is how alike the two must be, from 0 to 1. Of very many
    words only the first are compared.
    """
    if len(word) > _LONGEST_WORD:
        return None
    by_lower = {known.lower(): known for known in islice(words, _MOST_CANDIDATES)}
    found = get_close_matches(word.lower(), by_lower, n=1, cutoff=cutoff)
    return by_lower[found[0]] if found else None


def did_you_mean(word: str, words: Iterable[str], cutoff: float = 0.6) -> str:
    """Return ` (did you mean 'stdout'?)` for `stdot`, and nothing when no word comes near."""
    found = closest(word, words, cutoff)
    return f" (did you mean {quoted(found)}?)" if found else ""
