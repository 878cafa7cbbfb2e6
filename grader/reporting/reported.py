"""Adds to a record what reports also say: who handed it in, and what persons decided.

A record follows from the hand-in and the suite alone, so that the same always give the same. What a
platform knows of a person, and what a teacher decides, is kept beside it and comes in here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from grader.judging.deciding import Applied, DecidedRecord, Decision, Subject, decided
from grader.judging.record import CaseResult, Record, RuleResult
from grader.messages import Message, message
from grader.reporting.wording import Locale
from grader.store.runs import RunEntry
from grader.values.foreign_text import one_line
from grader.verdict import Verdict

_Reasons = Mapping[tuple[Subject, str], Applied]


def as_reported(record: Record, entry: RunEntry, decisions: Iterable[Decision] = ()) -> Record:
    """Return `record` as reports show it: with all `decisions`, and the name that people know."""
    made = replace(decided(record, decisions), student=entry.called)
    return _with_reasons(made) if isinstance(made, DecidedRecord) else made


def _with_reasons(record: DecidedRecord) -> DecidedRecord:
    """Return `record` with each decision and its reason in the text of its case or rule."""
    made = {(each.decision.about, each.decision.subject): each for each in record.decisions}
    locale = Locale.of_record(record)
    return replace(
        record,
        groups=tuple(
            replace(group, cases=tuple(_case(case, made, locale) for case in group.cases))
            for group in record.groups
        ),
        rules=tuple(_rule(rule, made, locale) for rule in record.rules),
    )


def _case(case: CaseResult, made: _Reasons, locale: Locale) -> CaseResult:
    applied = made.get((Subject.CASE, case.id))
    if applied is None or applied.finding is None or applied.is_overruled:
        return case
    said = message(
        "decided.points",
        by=one_line(applied.decision.by),
        points=locale.number(case.points),
        before=locale.number(applied.finding.points),
        because=applied.decision.because,
    )
    # Without an explanation a report gives the meaning of the verdict: that must not get lost.
    return replace(case, explanation=(said, *(case.explanation or _meaning(case.verdict))))


def _meaning(verdict: Verdict) -> tuple[Message, ...]:
    return () if verdict is Verdict.PASSED else (message(f"report.meaning_{verdict.value}"),)


def _rule(rule: RuleResult, made: _Reasons, locale: Locale) -> RuleResult:
    applied = made.get((Subject.RULE, rule.id))
    if applied is None or applied.finding is None:
        return rule
    said = message(
        f"decided.rule_{applied.finding.verdict}",
        by=one_line(applied.decision.by),
        before=locale.number(applied.finding.points),
        because=applied.decision.because,
    )
    return replace(rule, evidence=(said, *rule.evidence))
