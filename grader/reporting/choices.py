"""What can be decided on in an exercise, as the form in the overview offers it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from grader.store.graded import Unpassed
from grader.values.foreign_text import one_line


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

    @property
    def told_cases(self) -> list[tuple[str, float]]:
        """Cases with what they are worth, as one line can say it."""
        return _told(self.cases)

    @property
    def told_groups(self) -> list[tuple[str, float]]:
        """Groups with what they are worth, as one line can say it."""
        return _told(self.groups)

    def add(self, unpassed: Iterable[Unpassed]) -> None:
        """Add cases that somebody did not pass."""
        for case in unpassed:
            self.cases.setdefault(case.case_id, case.max_points)


def _told(worth: Mapping[str, float]) -> list[tuple[str, float]]:
    """Return what is in `worth`, but for names that would be two of them."""
    return [(name, most) for name, most in worth.items() if name == one_line(name, len(name))]
