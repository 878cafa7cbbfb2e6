"""How pieces of advice are kept short: a few places each, and a few names in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from grader.values.display import one_line

MAX_ITEMS: Final = 8
"""Nobody mends more than a few things at a time."""
MAX_PLACES: Final = 3
"""Places of one kind that are shown."""

NAME_CHARS: Final = 40


def listed(names: Sequence[str]) -> str:
    """Return the first of `names`, each once, as code in a sentence; the names are foreign text."""
    distinct = list(dict.fromkeys(names))
    shown = [_as_code(name) for name in distinct[:MAX_PLACES]]
    return ", ".join([*shown, "…"] if len(distinct) > MAX_PLACES else shown)


def _as_code(name: str) -> str:
    shown = one_line(name, NAME_CHARS).replace("`", "'")
    return f"`{shown}`"
