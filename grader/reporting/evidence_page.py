"""The page on what was seen of attacks and of work that may not be one's own; for staff alone.

It tells facts, what each kind of them means, what else can explain it, and how sure it is: enough
to ask about it fairly. It is made where there is something to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from grader.reporting.index_entry import IndexEntry
from grader.reporting.rendering import page_pieces
from grader.reporting.signs import SignKind
from grader.reporting.wording import Locale

EVIDENCE_NAME: Final = "evidence.html"
_MOST_STUDENTS: Final = 300
_RANKS: Final = {kind: rank for rank, kind in enumerate(SignKind)}
SURENESS: Final = ("certain", "likely", "open")
"""How sure it is that the code does what is said."""
_SURE: Final = {
    SignKind.TAMPERED: "certain",
    SignKind.REFUSED: "certain",
    SignKind.COPIED: "likely",
    SignKind.FAKED: "likely",
}
"""Of other kinds it is open."""


def evidence_pieces(entries: Sequence[IndexEntry], language: str) -> Iterator[str] | None:
    """Return the pieces of the page on `entries`, None where nothing was seen."""
    seen = sorted((each for each in entries if each.signs), key=_rank)
    if not seen:
        return None
    locale = Locale.of(language)
    kinds = [kind for kind in SignKind if any(kind is sign.kind for e in seen for sign in e.signs)]
    return page_pieces(
        "evidence.html",
        locale,
        count=len(seen),
        kinds=[(kind.value, _count(kind, seen)) for kind in kinds],
        levels=SURENESS,
        level_of={kind.value: _SURE.get(kind, "open") for kind in SignKind},
        students=seen[:_MOST_STUDENTS],
        more=max(0, len(seen) - _MOST_STUDENTS),
    )


def _count(kind: SignKind, seen: Sequence[IndexEntry]) -> int:
    return sum(any(sign.kind is kind for sign in each.signs) for each in seen)


def _rank(entry: IndexEntry) -> tuple[list[int], str]:
    """Return what puts those first of whom the surest is known."""
    return [_RANKS[sign.kind] for sign in entry.signs], entry.student
