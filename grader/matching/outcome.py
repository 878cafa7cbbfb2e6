"""What matching an observation against an expectation comes to."""

from __future__ import annotations

from dataclasses import dataclass

from grader.messages import Message
from grader.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A verdict, and why: the first message says it in a sentence, the others add detail."""

    verdict: Verdict
    explanation: tuple[Message, ...] = ()
    expected: str | None = None
    got: str | None = None

    @property
    def passed(self) -> bool:
        """Whether everything was as expected."""
        return self.verdict is Verdict.PASSED


PASSED = Outcome(verdict=Verdict.PASSED)
