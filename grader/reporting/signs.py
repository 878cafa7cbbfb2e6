"""What a record shows that a teacher may have to ask a student about: facts, and how sure they are.

None of it is a verdict, and none says what anybody intended. Students never see it; see
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
    """What was seen; kinds that leave the least doubt come first."""

    TAMPERED = "tampered"
    """It answered in a way that the grader never asks for."""
    REFUSED = "refused"
    """It made system calls that the walls forbid, past Python."""
    COPIED = "copied"
    """Its code has the answers of examples in it, and gets other inputs wrong."""
    FAKED = "faked"
    """Its recursion does not seem to do the work."""
    SWITCHED = "switched"
    """It runs, but not with another seed or date."""
    BLINDED = "blinded"
    """It does not end when its objects are looked at."""
    CAPABLE = "capable"
    """Names in its code can deceive the instruments that look into it."""
    SLEPT = "slept"
    """It waited instead of computing."""
    PRINTED = "printed"
    """It printed what nobody asked for."""


class Sign(NamedTuple):
    """What was seen of one kind in one submission, in sentences."""

    kind: SignKind
    facts: tuple[str, ...]


MAX_FACTS: Final = 6
"""Per kind; a record can hold hundreds."""
_OF_REMARKS: Final = {
    "staff.hard_coded": SignKind.COPIED,
    "staff.table_driven": SignKind.COPIED,
    "staff.unrepeatable": SignKind.SWITCHED,
    "staff.looks": SignKind.BLINDED,
    "staff.slept": SignKind.SLEPT,
    "staff.printed": SignKind.PRINTED,
}
_OF_RULES: Final = {
    **dict.fromkeys(
        ("beforehand", "constant", "decoration", "idle", "loop"),
        SignKind.FAKED,
    ),
    "suspicious": SignKind.CAPABLE,
}
"""By the evidence of a rule on recursion."""


def signs(record: Record, locale: Locale) -> tuple[Sign, ...]:
    """Return all that `record` shows, one sign per kind."""
    facts: dict[SignKind, dict[str, None]] = {}
    for kind, fact in (*_of_cases(record, locale), *_of_messages(record, locale)):
        # A dict as an ordered set: each fact is listed once, in order.
        facts.setdefault(kind, {})[fact] = None
    return tuple(Sign(kind, _few([*facts[kind]], locale)) for kind in SignKind if kind in facts)


def _few(facts: list[str], locale: Locale) -> tuple[str, ...]:
    more = len(facts) - MAX_FACTS
    rest = [locale("more", count=more)] if more > 0 else []
    return (*facts[:MAX_FACTS], *rest)


def _of_cases(record: Record, locale: Locale) -> Iterator[tuple[SignKind, str]]:
    """Yield what cases show, once for cases with the same facts."""
    found: dict[tuple[SignKind, str], list[CaseResult]] = {}
    for case in [each for each in record.cases if each.staff_evidence is not None]:
        kind = _kind_of(case, record)
        if kind is not None:
            fact = one_line((case.staff_evidence or "").strip().rpartition("\n")[2], 200)
            found.setdefault((kind, fact), []).append(case)
    for (kind, fact), cases in found.items():
        if record.status is Status.UNGRADABLE:
            yield kind, locale("evidence_loading", fact=fact)
        else:
            shown = one_line(cases[0].code, 100)
            yield kind, locale("evidence_case", fact=fact, code=shown, count=len(cases))


def _kind_of(case: CaseResult, record: Record) -> SignKind | None:
    if case.verdict is Verdict.TAMPERED:
        return SignKind.TAMPERED
    if case.verdict is Verdict.FORBIDDEN:
        return SignKind.REFUSED
    if record.status is Status.UNGRADABLE and any(
        each.key == "loading.tampered" for each in record.remarks
    ):
        return SignKind.TAMPERED
    return None


def _of_messages(record: Record, locale: Locale) -> Iterator[tuple[SignKind, str]]:
    """Yield what remarks for staff, and doubts about recursion, say."""
    for remark in record.staff_remarks:
        if remark.key in _OF_REMARKS:
            yield _OF_REMARKS[remark.key], locale.tell(remark)
    for rule in record.rules:
        if rule.verdict in {RuleVerdict.REVIEW, RuleVerdict.BROKEN}:
            for said in rule.evidence:
                if (kind := _kind_of_doubt(said)) is not None:
                    yield kind, locale.tell(said)


def _kind_of_doubt(said: Message) -> SignKind | None:
    subject, _, what = said.key.partition(".")
    return _OF_RULES.get(what) if subject == "recursion" else None
