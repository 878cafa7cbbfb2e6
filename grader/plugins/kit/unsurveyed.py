"""Replaces `grader.judging.surveyed` in a kit, which does not analyse the source.

Rules, advice and traces of calls are left to `grader check`.
"""

from __future__ import annotations

from grader.judging.record import Advice
from grader.judging.results import Results
from grader.suite.session import Session


class SurveyJudge:
    """Returns no rulings, advice or traces."""

    given_lines: None = None

    def __init__(self, *_args: object) -> None:
        """Accept the arguments of the real one."""

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
