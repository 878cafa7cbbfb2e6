"""Decisions of persons as a list: the audit trail of a run, and what is in doubt of it."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum, unique
from typing import Any, NamedTuple

from grader.judging.deciding import Applied, DecidedRecord, Decision, decided
from grader.reporting.reading import record_of
from grader.reporting.results import decision_facts
from grader.store.runs import RunEntry, names_apart
from grader.store.store import Store

DECISIONS_SCHEMA = "grader/decisions/1"


@unique
class Standing(StrEnum):
    """What became of a decision."""

    STANDS = "stands"
    IN_DOUBT = "in doubt"
    """It stands, and something else is found there now, or it is about what is gone."""
    OVERRULED = "overruled"
    """It is on a case, and the group of that is decided on as a whole."""
    REPLACED = "replaced"
    """A later one is about the same, or took it back."""
    UNDOES = "undoes"
    """It only takes an earlier one back."""
    NOBODY = "not in the run"
    """The student is not, or was not graded."""


class DecisionLine(NamedTuple):
    """One line of the audit trail."""

    applied: Applied
    standing: Standing
    entry: RunEntry | None
    called: str
    """What its student is called, so that nobody else in the run is."""

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        decision = self.applied.decision
        told = {"exercise": decision.exercise, "student": decision.student}
        if self.called != decision.student:
            told["name"] = self.called
        facts = decision_facts(self.applied)
        return {**told, **facts, "suite": decision.suite, "standing": self.standing.value}


def decision_trail(store: Store) -> Iterator[DecisionLine]:
    """Yield all that was ever decided, in that order; raises `RecordError` for a damaged record."""
    entries = {each.name: each for each in store.run.entries}
    called = names_apart(store.run.entries)
    stands: dict[str, Applied] = {}
    for key, decisions in store.decisions.by_entry().items():
        graded = store.graded(entries[key]) if key in entries else None
        if graded is not None:
            record = decided(record_of(store, entries[key], graded), decisions)
            made = record.decisions if isinstance(record, DecidedRecord) else ()
            stands.update((each.decision.uid, each) for each in made)
        else:
            entries.pop(key, None)
    for decision in store.decisions:
        entry = entries.get((decision.exercise, decision.student))
        applied = stands.get(decision.uid)
        yield DecisionLine(
            applied or Applied(decision=decision, finding=decision.finding),
            _standing(decision, applied, entry),
            entry,
            decision.student if entry is None else called[entry.name],
        )


def _standing(decision: Decision, applied: Applied | None, entry: RunEntry | None) -> Standing:
    if decision.is_undone:
        return Standing.UNDOES
    if entry is None:
        return Standing.NOBODY
    if applied is None:
        return Standing.REPLACED
    if applied.is_overruled:
        return Standing.OVERRULED
    return Standing.IN_DOUBT if applied.is_in_doubt else Standing.STANDS
