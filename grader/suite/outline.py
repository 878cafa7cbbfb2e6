"""What a suite asks, session by session, by hashes: enough to tell which sessions have changed.

A run keeps the outline of each suite that it was graded on. A later run compares it with that of
its own suite: what a session asks is the same where its hash is, and what all have in common.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Final

from pydantic import TypeAdapter

from grader.suite.hidden import layout
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.verdict import Visibility

_MOST_KEPT: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseOutline:
    """A case of a session."""

    id: str
    group: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOutline:
    """One session of a suite."""

    id: str
    asks: str
    """Hash of what it asks; none where nobody can tell."""
    pool: str | None
    visibility: Visibility
    modules: tuple[str, ...]
    stand_ins: tuple[str, ...]
    step_count: int
    cases: tuple[CaseOutline, ...]

    @classmethod
    def of(cls, session: Session) -> SessionOutline:
        """Return what is kept of `session`."""
        return cls(
            id=session.id,
            asks=session.asks,
            pool=session.pool,
            visibility=session.visibility,
            modules=session.modules,
            stand_ins=session.stand_ins,
            step_count=session.step_count,
            cases=tuple(CaseOutline(id=case.id, group=case.group) for case in session.cases),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteOutline:
    """A suite as a whole, or with the sessions that were drawn for one student."""

    common: str
    """Hash of what its sessions have in common; none where nobody can tell."""
    is_generated: bool
    sessions: tuple[SessionOutline, ...]

    @classmethod
    def of(cls, suite: Suite) -> SuiteOutline:
        """Return what is kept of `suite`."""
        common = hashlib.sha256(ascii((suite.common, suite.overridden)).encode()).hexdigest()
        return cls(
            common=common if suite.common else "",
            is_generated=suite.generated is not None,
            sessions=tuple(map(SessionOutline.of, suite.sessions)),
        )

    @staticmethod
    @lru_cache(_MOST_KEPT)
    def from_json(data: bytes) -> SuiteOutline:
        """Return the outline that `to_json` made `data` of; raises `ValueError` if damaged."""
        return _adapter().validate_json(data)

    def to_json(self) -> bytes:
        """Return the outline as it is kept: the same bytes each time."""
        return _adapter().dump_json(self)

    def drawn(self, ids: Collection[str]) -> SuiteOutline:
        """Return the outline with the sessions `ids` of its pools only."""
        sessions = (each for each in self.sessions if each.pool is None or each.id in ids)
        return replace(self, sessions=tuple(sessions))

    def lots(self, least: int) -> Sequence[tuple[SessionOutline, ...]]:
        """Return which sessions run together, in `least` lots: see `grader.suite.hidden.layout`."""
        return layout(self.sessions, least=least, is_generated=self.is_generated)

    def turns(self, seeds: int) -> dict[str, tuple[bool, int]]:
        """Return which of so many `seeds` has its turn with each session, by its id.

        And whether there are turns at all: see `grader.judging.flakes`.
        """
        lots = self.lots(seeds)
        takes_turns = len(lots) >= seeds
        return {
            each.id: (takes_turns, turn % seeds) for turn, lot in enumerate(lots) for each in lot
        }


@cache
def _adapter() -> TypeAdapter[SuiteOutline]:
    return TypeAdapter(SuiteOutline)
