"""Decisions made by people: what can be decided on, and the list of what was decided in a run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum, unique
from typing import Any, NamedTuple

from grader.judging.deciding import (
    Applied,
    DecidedRecord,
    Decision,
    Subject,
    decided,
    in_force,
)
from grader.reporting.reading import record_of
from grader.reporting.results import decision_facts
from grader.store.runs import RunEntry, names_apart
from grader.store.store import Store
from grader.values.foreign_text import one_line

DECISIONS_SCHEMA = "grader/decisions/1"


@unique
class Standing(StrEnum):
    """Whether a decision still counts, or why it does not."""

    STANDS = "stands"
    IN_DOUBT = "in doubt"
    """It stands, but the finding has changed since, or its subject is gone."""
    OVERRULED = "overruled"
    """It is about a case whose group is decided on as a whole."""
    REPLACED = "replaced"
    """A later one has the same subject, or took it back."""
    UNDOES = "undoes"
    """It only takes back an earlier one."""
    NOBODY = "not in the run"
    """The student is not in the run, or was not graded."""


class DecisionLine(NamedTuple):
    """One line of the audit trail."""

    applied: Applied
    standing: Standing
    entry: RunEntry | None
    called: str
    """The name of its student, unique in the run."""

    def to_json(self) -> dict[str, Any]:
        """Return the line as plain data."""
        decision = self.applied.decision
        student = {"exercise": decision.exercise, "student": decision.student}
        if self.called != decision.student:
            student["name"] = self.called
        facts = decision_facts(self.applied)
        return {**student, **facts, "suite": decision.suite, "standing": self.standing.value}


def decision_trail(store: Store) -> Iterator[DecisionLine]:
    """Yield all decisions ever made, in order; raises `RecordError` for a damaged record."""
    entries = {each.name: each for each in store.run.entries}
    names = names_apart(store.run.entries)
    current: dict[str, Applied] = {}
    for key, decisions in store.decisions.by_entry().items():
        graded = store.graded(entries[key]) if key in entries else None
        if graded is not None:
            record = decided(record_of(store, entries[key], graded), decisions)
            standing_decisions = record.decisions if isinstance(record, DecidedRecord) else ()
            current.update((each.decision.uid, each) for each in standing_decisions)
            answers = (each for each in in_force(decisions) if each.about is Subject.QUESTION)
            current.update((each.uid, Applied(decision=each, finding=None)) for each in answers)
        else:
            entries.pop(key, None)  # not graded yet, so it counts as not in the run
    for decision in store.decisions:
        entry = entries.get((decision.exercise, decision.student))
        applied = current.get(decision.uid)
        yield DecisionLine(
            applied or Applied(decision=decision, finding=decision.finding),
            _standing(decision, applied, entry),
            entry,
            decision.student if entry is None else names[entry.name],
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


# What can be decided on in an exercise, for the form in the overview.


@dataclass(slots=True)
class Choices:
    """The cases, groups and rules of one exercise."""

    cases: dict[str, float] = field(default_factory=dict)
    """What each is worth, by id."""
    groups: dict[str, float] = field(default_factory=dict)
    rules: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, summary: bytes) -> Choices:
        """Return what an entry of `results.json` offers; raises `ValueError` if malformed."""
        entry = json.loads(summary)
        worth: dict[str, list[float]] = {}
        for case in entry["cases"]:
            worth.setdefault(case["group"], []).append(case["max_points"])
        return cls(
            cases={case["id"]: case["max_points"] for case in entry["cases"]},
            groups={group: round(sum(each), 4) for group, each in worth.items()},
            rules=[rule["id"] for rule in entry["rules"]],
        )

    @property
    def offered_cases(self) -> list[tuple[str, float]]:
        """Cases and what they are worth, if one line can show their id."""
        return _showable(self.cases)

    @property
    def offered_groups(self) -> list[tuple[str, float]]:
        """Groups and what they are worth, if one line can show their id."""
        return _showable(self.groups)


def _showable(worth: Mapping[str, float]) -> list[tuple[str, float]]:
    """Return the items of `worth`, except those whose names would change when shown on one line."""
    return [(name, points) for name, points in worth.items() if name == one_line(name, len(name))]
