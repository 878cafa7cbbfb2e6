"""Replaces `grader.judging.survey_judge` in a kit, which does not analyse the source.

Only `grader check` reports rules, advice and traces of calls.
"""

from __future__ import annotations

from grader.judging.record import Advice
from grader.judging.results import Results
from grader.suite.session import Session


class SurveyJudge:
    """Returns no rulings, advice or traces."""

    given_lines: None = None

    def __init__(self, *_args: object) -> None:
        """Accept the arguments of the real `SurveyJudge`."""

    def rulings(self, **_settings: object) -> tuple[()]:
        """Return no rulings."""
        return ()

    def advice(self) -> tuple[Advice, ...]:
        """Return no advice."""
        return ()

    def explain_deep_recursion(self, _session: Session, results: Results) -> Results:
        """Return `results` unchanged."""
        return results

    def add_calls(self, _session: Session, results: Results) -> Results:
        """Return `results` unchanged."""
        return results
