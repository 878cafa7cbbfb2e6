"""Reports where modules stopped. Such a module is graded on what it had defined until then.

The suite sets the cost: nothing, a share of the points, or a review by a person.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Final

from grader.intake.submission import SourceFile, Submission
from grader.judging.load_errors import SYNTAX_ERRORS, place_in
from grader.judging.printing import unexpected_exception_result
from grader.judging.record import RuleResult
from grader.judging.results import round_points
from grader.judging.source_hints import line_of
from grader.messages import Message, message
from grader.sandbox.observation import Stop
from grader.suite.texts import STOPS_ARE_FOR_REVIEW, STOPS_COST_NOTHING
from grader.values.foreign_text import one_line
from grader.verdict import RuleVerdict, Verdict

STOPPED: Final = "stopped"
"""The id of the deduction among the rules. No clash is possible: the id of a suite's rule consists
of a kind and a name."""
_SHOWN_CHARS: Final = 120


def stop_messages(submission: Submission, stops: Iterable[Stop]) -> Iterator[Message]:
    """Yield a message about each stop in a module of `submission`, sorted by file and line."""
    sources = {file.name: file for file in submission.modules.values()}
    for stop in sorted(stops, key=lambda stop: (stop.file, stop.line)):
        if stop.file in sources:
            yield _stop_message(sources[stop.file], stop)


def _stop_message(source: SourceFile, stop: Stop) -> Message:
    """Return the message about where and why the module with `source` stopped."""
    raised, verdict = stop.raised, stop.limit
    if raised is not None:
        verdict = unexpected_exception_result(raised, None).verdict
    key = f"left_out.{(verdict or Verdict.ERROR).value.lower()}"
    if raised is not None and raised.type_names[0] == "EOFError":
        key = "left_out.input"
    elif raised is not None and raised.type_names[0] in SYNTAX_ERRORS:
        key = "left_out.syntax"
    return message(
        key,
        **place_in(source, stop.line),
        type=one_line(raised.type_names[0]) if raised else "",
        message=one_line(raised.message) if raised else "",
        text=one_line(line_of(source.text, stop.line).strip(), _SHOWN_CHARS),
    )


def stop_result(
    cost: str, points_left: Fraction, evidence: Sequence[Message]
) -> tuple[Fraction, RuleResult | None]:
    """Return the exact deduction for stops from `points_left`, and the result for the record.

    `cost` is the suite's setting. The result is None if stops cost nothing, or if `evidence` is
    empty.
    """
    if cost == STOPS_COST_NOTHING or not evidence:
        return Fraction(0), None
    is_review = cost == STOPS_ARE_FOR_REVIEW
    deduction = Fraction(0) if is_review else points_left * Fraction(cost.removesuffix("%")) / 100
    return deduction, RuleResult(
        id=STOPPED,
        verdict=RuleVerdict.REVIEW if is_review else RuleVerdict.BROKEN,
        demand=message("left_out.demand"),
        evidence=tuple(evidence),
        penalty=round_points(deduction),
        costs=not is_review,
    )
