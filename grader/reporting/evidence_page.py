"""Makes the staff page on detected attacks, and on work that might not be the student's own.

The page states facts, what each kind of fact means, what else could explain it, and how certain it
is, so that staff can ask about it fairly. The page is written only if there are facts to state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from grader.reporting.index_entry import IndexEntry
from grader.reporting.rendering import page_pieces
from grader.reporting.signs import SignKind
from grader.reporting.wording import Locale

EVIDENCE_NAME: Final = "evidence.html"
_MAX_STUDENTS: Final = 300
_RANKS: Final = {kind: rank for rank, kind in enumerate(SignKind)}  # in order of certainty
CERTAINTY_LEVELS: Final = ("certain", "likely", "open")
"""How certain it is that the code does what the page states."""
_CERTAINTY: Final = {
    SignKind.TAMPERED: "certain",
    SignKind.REFUSED: "certain",
    SignKind.COPIED: "likely",
    SignKind.FAKED: "likely",
}
"""The certainty of each kind of sign; all other kinds are `open`."""


def evidence_pieces(entries: Sequence[IndexEntry], language: str) -> Iterator[str] | None:
    """Return the page on those of `entries` that have signs, in pieces.

    Returns None if no entry has signs.
    """
    flagged = sorted((entry for entry in entries if entry.signs), key=_rank)
    if not flagged:
        return None
    locale = Locale.for_language(language)
    present_kinds = {sign.kind for entry in flagged for sign in entry.signs}
    kinds = [kind for kind in SignKind if kind in present_kinds]
    return page_pieces(
        "evidence.html",
        locale,
        count=len(flagged),
        kinds=[(kind.value, _count(kind, flagged)) for kind in kinds],
        levels=CERTAINTY_LEVELS,
        level_of={kind.value: _CERTAINTY.get(kind, "open") for kind in SignKind},
        students=flagged[:_MAX_STUDENTS],
        more=max(0, len(flagged) - _MAX_STUDENTS),
    )


def _count(kind: SignKind, entries: Sequence[IndexEntry]) -> int:
    return sum(any(sign.kind is kind for sign in entry.signs) for entry in entries)


def _rank(entry: IndexEntry) -> tuple[list[int], str]:
    """Return a sort key by which entries with the most certain signs come first, then by name."""
    return [_RANKS[sign.kind] for sign in entry.signs], entry.student
