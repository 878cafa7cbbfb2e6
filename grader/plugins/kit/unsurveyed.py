"""What a kit has in the place of `grader.judging.surveyed`, as it looks into no source.

Rules, advice and traces of calls are for `grader check`.
"""

from __future__ import annotations

from grader.judging.record import Advice
from grader.judging.results import Results
from grader.suite.session import Session


class SurveyJudge:
    """Knows nothing of a submission but how its cases went."""

    given_lines: None = None

    def __init__(self, *_args: object) -> None:
        """Take what the real one is made of."""

    def rulings(self, **_settings: object) -> tuple[()]:
        """Return no ruling."""
        return ()

    def advice(self) -> tuple[Advice, ...]:
        """Return no advice."""
        return ()

    def why_too_deep(self, _session: Session, results: Results) -> Results:
        """Return `results` as they are."""
        return results

    def with_calls(self, _session: Session, results: Results) -> Results:
        """Return `results` as they are."""
        return results
