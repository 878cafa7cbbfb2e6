"""What can be decided on in an exercise, as the form in the overview offers it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from grader.store.graded import Unpassed


@dataclass(slots=True)
class Choices:
    """The cases, groups and rules of one exercise.

    Who got other sessions from a pool has other cases: of these, those that somebody did not pass
    are known.
    """

    cases: dict[str, float] = field(default_factory=dict)
    """By its id, what each is worth."""
    groups: dict[str, float] = field(default_factory=dict)
    rules: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, summary: bytes) -> Choices:
        """Return what there is in an entry of `results.json`; raises `ValueError`."""
        entry = json.loads(summary)
        worth: dict[str, list[float]] = {}
        for case in entry["cases"]:
            worth.setdefault(case["group"], []).append(case["max_points"])
        return cls(
            cases={case["id"]: case["max_points"] for case in entry["cases"]},
            groups={group: round(sum(each), 4) for group, each in worth.items()},
            rules=[rule["id"] for rule in entry["rules"]],
        )

    def add(self, unpassed: Iterable[Unpassed]) -> None:
        """Add cases that somebody did not pass."""
        for case in unpassed:
            self.cases.setdefault(case.case_id, case.max_points)
