"""Computes the penalty for a late hand-in, which its record lists like a rule.

The penalty is applied last, to the points that are left after the rules of the suite.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from fractions import Fraction
from typing import Final

from grader.intake.lateness import Lateness, LateTerms, LateUnit, format_percent
from grader.judging.record import RuleResult
from grader.judging.results import round_points
from grader.messages import Message, message
from grader.verdict import RuleVerdict

LATENESS: Final = "lateness"
"""The id of the deduction among the rules. No clash is possible: the id of a suite's rule consists
of a kind and a name."""
_HUNDRED_PERCENT: Final = 100


def late_result(
    lateness: Lateness, points_left: Fraction, max_score: Fraction
) -> tuple[Fraction, RuleResult]:
    """Return the exact deduction from `points_left`, and the result for the record.

    If it is unknown how late the hand-in was, nothing is deducted, and a person has to decide.
    """
    terms, late_s, cost = lateness.terms, lateness.late_s, Fraction(0)
    how_late = message("late.unknown")
    if late_s is not None:
        how_late = message("late.by", late=_duration(late_s))
        cost = Fraction(0) if terms is None else terms.deduction(late_s, points_left, max_score)
    deadline = message("late.deadline", deadline=lateness.deadline)
    return cost, RuleResult(
        id=LATENESS,
        verdict=RuleVerdict.REVIEW if late_s is None else RuleVerdict.BROKEN,
        demand=message("late.demand"),
        evidence=(how_late, deadline, *_terms_evidence(terms)),
        penalty=round_points(cost),
        costs=terms is not None,
    )


def _duration(late_s: int) -> str:
    """Return a number of seconds as text such as `1 d 2 h`, without words to translate."""
    late = timedelta(seconds=late_s)
    hours, seconds = divmod(late.seconds, 3_600)
    minutes, seconds = divmod(seconds, 60)
    parts = [(late.days, "d"), (hours, "h"), (minutes, "min")]
    text = " ".join(f"{count} {unit}" for count, unit in parts if count)
    return text or f"{seconds} s"


def _terms_evidence(terms: LateTerms | None) -> Iterator[Message]:
    """Yield messages that describe the course's terms for late hand-ins."""
    if terms is None:
        return
    if terms.refuses:
        yield message("late.refuse")
    elif terms.cap is not None:
        yield message("late.cap", percent=format_percent(terms.cap))
    else:
        yield message(_RATES[terms.unit], percent=format_percent(terms.percent))
        if terms.most != _HUNDRED_PERCENT:
            yield message("late.at_most", percent=format_percent(terms.most))
        if terms.is_of_maximum:
            yield message("late.of_maximum")


_RATES: Final = {
    LateUnit.ONCE: "late.once",
    LateUnit.HOUR: "late.per_hour",
    LateUnit.DAY: "late.per_day",
    LateUnit.WEEK: "late.per_week",
}
