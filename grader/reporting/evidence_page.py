"""The staff page on attacks that were detected, and on work that may not be the student's own.

It states facts, what each kind of fact means, what else can explain it, and how sure it is: enough
to ask about it fairly. It is written only if there is something to say.
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
SURENESS: Final = ("certain", "likely", "open")
"""How sure it is that the code does what the page says."""
_CERTAINTY: Final = {
    SignKind.TAMPERED: "certain",
    SignKind.REFUSED: "certain",
    SignKind.COPIED: "likely",
    SignKind.FAKED: "likely",
}
"""All other kinds are `open`."""


def evidence_pieces(entries: Sequence[IndexEntry], language: str) -> Iterator[str] | None:
    """Return the pieces of the page on `entries`, None if no entry has a sign."""
    flagged = sorted((each for each in entries if each.signs), key=_rank)
    if not flagged:
        return None
    locale = Locale.of(language)
    found_kinds = {sign.kind for entry in flagged for sign in entry.signs}
    kinds = [kind for kind in SignKind if kind in found_kinds]
    return page_pieces(
        "evidence.html",
        locale,
        count=len(flagged),
        kinds=[(kind.value, _count(kind, flagged)) for kind in kinds],
        levels=SURENESS,
        level_of={kind.value: _CERTAINTY.get(kind, "open") for kind in SignKind},
        students=flagged[:_MAX_STUDENTS],
        more=max(0, len(flagged) - _MAX_STUDENTS),
    )


def _count(kind: SignKind, entries: Sequence[IndexEntry]) -> int:
    return sum(any(sign.kind is kind for sign in each.signs) for each in entries)


def _rank(entry: IndexEntry) -> tuple[list[int], str]:
    """Return a sort key: entries with the surest signs come first."""
    return [_RANKS[sign.kind] for sign in entry.signs], entry.student
