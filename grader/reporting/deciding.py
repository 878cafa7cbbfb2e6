"""Lists the decisions that people made in a run, and the subjects that they can decide on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum, unique
from typing import Any, NamedTuple

from grader.judging.deciding import (
    AppliedDecision,
    DecidedRecord,
    Decision,
    Subject,
    apply_decisions,
    in_force,
)
from grader.reporting.reading import load_record
from grader.reporting.results import decision_facts
from grader.store.runs import RunEntry, distinct_names
from grader.store.store import Store
from grader.values.foreign_text import one_line

DECISIONS_SCHEMA = "grader/decisions/1"


@unique
class Standing(StrEnum):
    """Whether a decision is in force, or why not."""

    STANDS = "stands"
    IN_DOUBT = "in doubt"
    """It is in force, but the finding has changed since, or the subject is gone."""
    OVERRULED = "overruled"
    """A decision on the whole group, or on the total, takes precedence."""
    REPLACED = "replaced"
    """A later decision has the same subject, or withdrew this one."""
    UNDOES = "undoes"
    """It only withdraws an earlier decision."""
    NOBODY = "not in the run"
    """The student is not in the run, or is not graded yet."""


class DecisionLine(NamedTuple):
    """A decision in the audit trail of a run."""

    applied: AppliedDecision
    standing: Standing
    entry: RunEntry | None
    """The entry of its student, or None if the run has none that is graded."""
    display_name: str
    """The display name of its student, which is unique in the run."""

    def to_json(self) -> dict[str, Any]:
        """Return the decision as JSON data, with its student and whether it is in force."""
        decision = self.applied.decision
        student = {"exercise": decision.exercise, "student": decision.student}
        if self.display_name != decision.student:
            student["name"] = self.display_name
        facts = decision_facts(self.applied)
        return {**student, **facts, "suite": decision.suite, "standing": self.standing.value}


def decision_trail(store: Store) -> Iterator[DecisionLine]:
    """Yield all decisions ever made in the run of `store`, oldest first.

    Raises `RecordError` if the record of a student with decisions is damaged.
    """
    entries = {entry.identity: entry for entry in store.run.entries}
    names = distinct_names(store.run.entries)
    current: dict[str, AppliedDecision] = {}
    for key, decisions in store.decisions.by_entry().items():
        graded = store.graded(entries[key]) if key in entries else None
        if graded is not None:
            # Only the record shows whether the finding of a decision has changed since.
            record = apply_decisions(load_record(store, entries[key], graded), decisions)
            applied_decisions = record.decisions if isinstance(record, DecidedRecord) else ()
            current.update((applied.decision.uid, applied) for applied in applied_decisions)
            # Answers in an oral defence are decisions too, but they are not part of a record.
            answers = (
                decision for decision in in_force(decisions) if decision.about is Subject.QUESTION
            )
            current.update(
                (answer.uid, AppliedDecision(decision=answer, finding=None)) for answer in answers
            )
        else:
            entries.pop(key, None)  # an entry that is not graded yet counts as not in the run
    for decision in store.decisions:
        entry = entries.get((decision.exercise, decision.student))
        current_applied = current.get(decision.uid)
        yield DecisionLine(
            current_applied or AppliedDecision(decision=decision, finding=decision.finding),
            _standing(decision, current_applied, entry),
            entry,
            decision.student if entry is None else names[entry.identity],
        )


def _standing(
    decision: Decision, applied: AppliedDecision | None, entry: RunEntry | None
) -> Standing:
    """Return whether `decision` is in force, or why not.

    `applied` is None if the record lacks the decision.
    """
    if decision.is_undone:
        return Standing.UNDOES
    if entry is None:
        return Standing.NOBODY
    if applied is None:
        return Standing.REPLACED
    if applied.is_overruled:
        return Standing.OVERRULED
    return Standing.IN_DOUBT if applied.is_in_doubt else Standing.STANDS


# The subjects of decisions in an exercise, which the form in the overview offers.


@dataclass(slots=True)
class Choices:
    """The cases, groups and rules of an exercise, on which a person can decide."""

    cases: dict[str, float] = field(default_factory=dict)
    """The points of each case, keyed by id."""
    groups: dict[str, float] = field(default_factory=dict)
    """The points of each group, keyed by id."""
    rules: list[str] = field(default_factory=list)

    @classmethod
    def from_summary(cls, summary: bytes) -> Choices:
        """Return the choices in `summary`, an entry of `results.json`.

        Raises `ValueError` if it is malformed.
        """
        entry = json.loads(summary)
        points_by_group: dict[str, list[float]] = {}
        try:
            for case in entry["cases"]:
                points_by_group.setdefault(case["group"], []).append(case["max_points"])
            return cls(
                cases={case["id"]: case["max_points"] for case in entry["cases"]},
                groups={group: round(sum(points), 4) for group, points in points_by_group.items()},
                rules=[rule["id"] for rule in entry["rules"]],
            )
        except (KeyError, TypeError) as error:
            raise ValueError("its part of the results is malformed") from error

    @property
    def offered_cases(self) -> list[tuple[str, float]]:
        """The id and points of each case whose id can be shown unchanged on one line."""
        return _showable(self.cases)

    @property
    def offered_groups(self) -> list[tuple[str, float]]:
        """The id and points of each group whose id can be shown unchanged on one line."""
        return _showable(self.groups)


def _showable(points_by_id: Mapping[str, float]) -> list[tuple[str, float]]:
    """Return the items of `points_by_id`, except ids that change when shown on one line."""
    return [(id_, points) for id_, points in points_by_id.items() if id_ == one_line(id_, len(id_))]
