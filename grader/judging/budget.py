"""What a submission may waste before it is given up on."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from grader.sandbox.observation import Died, Observation
from grader.sandbox.sessions import SessionRun
from grader.suite.limits import Limits
from grader.verdict import Verdict

_MOST_LOOKS_DIED: Final = 3


@dataclass(slots=True)
class Budget:
    """Keeps count of what a submission wastes, so that one endless loop is not run forty times."""

    limits: Limits
    timeouts: Counter[str] = field(default_factory=Counter)
    looks_died: int = 0
    """How many sessions a look has brought to their end."""

    @property
    def observed(self) -> bool:
        """Whether steps are looked at; not where looks only take time."""
        return self.looks_died < _MOST_LOOKS_DIED

    def spent(self, group: str) -> bool:
        """Return whether `group` has timed out as often as is enough to know."""
        return (
            self.timeouts[group] >= self.limits.group_timeouts
            or self.timeouts.total() >= self.limits.timeouts
        )

    def count(self, group: str, run: SessionRun) -> None:
        """Take note of a run that was made for a case of `group`.

        Time on the clock is dearer than CPU time, and counts twice.
        """
        match run.observations[-1:]:
            case [Observation(outcome=Died(verdict=Verdict.TIMED_OUT) as died)]:
                self.timeouts[group] += 2 if died.on_the_clock else 1
