"""Finds signs in a record: facts that a teacher might have to ask the student about.

Signs are not verdicts, and do not prove any intention. Only staff see them, on the page made by
`grader.reporting.evidence_page`.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum, unique
from typing import Final, NamedTuple

from grader.judging.record import CaseResult, Record
from grader.messages import Message
from grader.reporting.wording import Locale
from grader.values.foreign_text import one_line
from grader.verdict import RuleVerdict, Status, Verdict


@unique
class SignKind(StrEnum):
    """The kinds of signs about a submission, most certain first."""

    TAMPERED = "tampered"
    """It sent replies that the grader never requests."""
    REFUSED = "refused"
    """It made system calls that the sandbox forbids, bypassing Python."""
    COPIED = "copied"
    """Its code contains the answers of examples, and other inputs give wrong answers."""
    FAKED = "faked"
    """Its recursion does not seem to do the work."""
    SWITCHED = "switched"
    """It runs, but not with another seed or date."""
    BLINDED = "blinded"
    """It does not end when its objects are inspected."""
    CAPABLE = "capable"
    """Names in its code could deceive the instruments that measure it."""
    SLEPT = "slept"
    """It waited instead of computing."""
    PRINTED = "printed"
    """It printed text that the exercise does not ask for."""


class Sign(NamedTuple):
    """The facts of one kind about a submission, in sentences."""

    kind: SignKind
    facts: tuple[str, ...]


MAX_FACTS: Final = 6
"""The maximum number of facts per kind, because a record can contain hundreds."""
_KIND_BY_REMARK: Final = {
    "staff.hard_coded": SignKind.COPIED,
    "staff.table_driven": SignKind.COPIED,
    "staff.unrepeatable": SignKind.SWITCHED,
    "staff.looks": SignKind.BLINDED,
    "staff.slept": SignKind.SLEPT,
    "staff.printed": SignKind.PRINTED,
}
_KIND_BY_DOUBT: Final = {
    **dict.fromkeys(
        ("beforehand", "constant", "decoration", "idle", "ignores_input", "loop"),
        SignKind.FAKED,
    ),
    "suspicious": SignKind.CAPABLE,
}
"""The kinds of signs, keyed by the evidence of a rule on recursion."""


def signs(record: Record, locale: Locale) -> tuple[Sign, ...]:
    """Return the signs in `record`, one per kind, most certain first."""
    facts: dict[SignKind, dict[str, None]] = {}
    for kind, fact in (*_case_signs(record, locale), *_message_signs(record, locale)):
        # The dict is an ordered set, so that each fact is listed once.
        facts.setdefault(kind, {})[fact] = None
    return tuple(
        Sign(kind, _first_facts([*facts[kind]], locale)) for kind in SignKind if kind in facts
    )


def _first_facts(facts: list[str], locale: Locale) -> tuple[str, ...]:
    more = len(facts) - MAX_FACTS
    note = [locale("more", count=more)] if more > 0 else []
    return (*facts[:MAX_FACTS], *note)


def _case_signs(record: Record, locale: Locale) -> Iterator[tuple[SignKind, str]]:
    """Yield the signs in cases with staff evidence; all cases with the same fact share one sign."""
    cases_by_fact: dict[tuple[SignKind, str], list[CaseResult]] = {}
    for case in [case for case in record.cases if case.staff_evidence is not None]:
        kind = _kind_of_case(case, record)
        if kind is not None:
            fact = one_line((case.staff_evidence or "").strip().rpartition("\n")[2], 200)
            cases_by_fact.setdefault((kind, fact), []).append(case)
    for (kind, fact), cases in cases_by_fact.items():
        if record.status is Status.UNGRADABLE:
            yield kind, locale("evidence_loading", fact=fact)
        else:
            code = one_line(cases[0].code, 100)
            yield kind, locale("evidence_case", fact=fact, code=code, count=len(cases))


def _kind_of_case(case: CaseResult, record: Record) -> SignKind | None:
    """Return the kind of sign that the staff evidence of `case` is, or None if it is not a sign."""
    if case.verdict is Verdict.TAMPERED:
        return SignKind.TAMPERED
    if case.verdict is Verdict.FORBIDDEN:
        return SignKind.REFUSED
    # A submission that tampers while it is loaded has no verdicts of its own, only this remark.
    if record.status is Status.UNGRADABLE and any(
        remark.key == "loading.tampered" for remark in record.remarks
    ):
        return SignKind.TAMPERED
    return None


def _message_signs(record: Record, locale: Locale) -> Iterator[tuple[SignKind, str]]:
    """Yield the signs in remarks for staff, and in doubts about recursion.

    Only broken rules, and rules that a person has to look at, count as doubtful.
    """
    for remark in record.staff_remarks:
        if remark.key in _KIND_BY_REMARK:
            yield _KIND_BY_REMARK[remark.key], locale.sentence(remark)
    for rule in record.rules:
        if rule.verdict in {RuleVerdict.REVIEW, RuleVerdict.BROKEN}:
            for message in rule.evidence:
                if (kind := _kind_of_doubt(message)) is not None:
                    yield kind, locale.sentence(message)


def _kind_of_doubt(message: Message) -> SignKind | None:
    subject, _, doubt = message.key.partition(".")
    return _KIND_BY_DOUBT.get(doubt) if subject == "recursion" else None
