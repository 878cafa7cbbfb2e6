"""Adds the student's name and the decisions made by people to a record, for reports.

A record depends only on the hand-in and the suite, so that equal hand-ins always get an equal
record. Data from a platform about a person, and decisions by teachers, are stored separately and
added here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from grader.judging.deciding import (
    AppliedDecision,
    DecidedRecord,
    Decision,
    Subject,
    apply_decisions,
)
from grader.judging.record import CaseResult, Record, RuleResult
from grader.messages import Message, message
from grader.reporting.wording import Locale
from grader.store.runs import RunEntry
from grader.values.foreign_text import one_line
from grader.verdict import Verdict

_DecisionMap = Mapping[tuple[Subject, str], AppliedDecision]


def as_reported(record: Record, entry: RunEntry, decisions: Iterable[Decision] = ()) -> Record:
    """Return `record` as reports show it: with `decisions` and the student's display name."""
    with_decisions = replace(apply_decisions(record, decisions), student=entry.display_name)
    return (
        _with_explanations(with_decisions)
        if isinstance(with_decisions, DecidedRecord)
        else with_decisions
    )


def _with_explanations(record: DecidedRecord) -> DecidedRecord:
    """Return `record` with each decision and its reason in the explanation of its case or rule."""
    decisions = {
        (applied.decision.about, applied.decision.subject): applied for applied in record.decisions
    }
    locale = Locale.for_record(record)
    return replace(
        record,
        groups=tuple(
            replace(
                group, cases=tuple(_decided_case(case, decisions, locale) for case in group.cases)
            )
            for group in record.groups
        ),
        rules=tuple(_decided_rule(rule, decisions, locale) for rule in record.rules),
    )


def _decided_case(case: CaseResult, decisions: _DecisionMap, locale: Locale) -> CaseResult:
    """Return `case`, with the decision on it in its explanation if there is one that counts."""
    applied = decisions.get((Subject.CASE, case.id))
    if applied is None or applied.finding is None or applied.is_overruled:
        return case
    explanation = message(
        "decided.points",
        by=one_line(applied.decision.by),
        points=locale.number(case.points),
        before=locale.number(applied.finding.points),
        because=applied.decision.because,
    )
    # Without an explanation, reports give the meaning of the verdict, which must not be lost.
    return replace(
        case, explanation=(explanation, *(case.explanation or _meaning_of(case.verdict)))
    )


def _meaning_of(verdict: Verdict) -> tuple[Message, ...]:
    return () if verdict is Verdict.PASSED else (message(f"report.meaning_{verdict.value}"),)


def _decided_rule(rule: RuleResult, decisions: _DecisionMap, locale: Locale) -> RuleResult:
    """Return `rule`, with the decision on it in its evidence if there is one."""
    applied = decisions.get((Subject.RULE, rule.id))
    # Unlike a decision on a case, a decision on a rule is never overruled.
    if applied is None or applied.finding is None:
        return rule
    explanation = message(
        f"decided.rule_{applied.finding.verdict}",
        by=one_line(applied.decision.by),
        before=locale.number(applied.finding.points),
        because=applied.decision.because,
    )
    return replace(rule, evidence=(explanation, *rule.evidence))
