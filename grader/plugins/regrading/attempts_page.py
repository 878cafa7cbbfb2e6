"""The page about the attempts of one student: what broke, was fixed or still fails in each.

Cases with the same cause are grouped. The page shows only what is on the student's own pages, so
the student is allowed to see it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum, unique
from itertools import pairwise
from typing import Final, TypeAlias

from grader.judging.record import CaseResult, HiddenTally, Record
from grader.reporting.case_view import case_view
from grader.reporting.failure_reasons import Reasons
from grader.reporting.reading import load_record
from grader.reporting.rendering import page
from grader.reporting.reported_record import as_reported
from grader.reporting.visibility import VisibleGroup, staff_groups, visible_groups
from grader.reporting.wording import Locale, VerdictView, score_text
from grader.store.store import Store
from grader.values.foreign_text import one_line
from grader.verdict import Verdict

_MAX_PAIRS: Final = 30
"""The number of cases shown per cause."""
_MAX_SENTENCE_CHARS: Final = 300
_STUDENT_FAILURES: Final = frozenset(Verdict) - {Verdict.PASSED, Verdict.FAULT, Verdict.NOT_RUN}
"""Verdicts of failures that students cause and can fix."""


@unique
class _Outcome(StrEnum):
    """The change of a case from one attempt to the next."""

    BROKE = "broke"
    MENDED = "mended"
    STILL = "still"
    SAME = "same"
    """The case passes and did not fail before."""


def find_attempt(store: Store, identity: tuple[str, str]) -> Record | None:
    """Return the record of the entry with this `identity` in a run, with decisions applied.

    Return None if the run has not graded the entry. Raises `RecordError` if the record cannot be
    read.
    """
    entry = next((entry for entry in store.run.entries if entry.identity == identity), None)
    graded = None if entry is None else store.graded(entry)
    if entry is None or graded is None:
        return None
    return as_reported(
        load_record(store, entry, graded), entry, store.decisions.for_submission(*identity)
    )


def count_fixed_and_broken(old: Record, new: Record) -> tuple[int, int]:
    """Return how many cases were fixed and how many broke, including hidden ones, for staff."""
    pairs = _case_pairs(staff_groups(old), staff_groups(new))
    outcomes = Counter(_outcome(*pair) for pair in pairs)
    return outcomes[_Outcome.MENDED], outcomes[_Outcome.BROKE]


def attempts_page(*attempts: Record) -> str:
    """Return the page about `attempts`, oldest first, in the language of the last one."""
    latest = attempts[-1]
    locale = Locale.for_record(latest)
    labels = [*_earlier_labels(len(attempts), locale), locale("attempts_now")]
    steps = [
        {"labels": pair, **_step_context(*records, locale)}
        for pair, records in zip(pairwise(labels), pairwise(attempts), strict=True)
    ]
    return page(
        "attempts.html",
        locale,
        student=one_line(latest.student),
        title=one_line(latest.title),
        attempts=[
            (label, score_text(record, locale))
            for label, record in zip(labels, attempts, strict=True)
        ],
        steps=steps[::-1],  # the latest first
    )


def _earlier_labels(count: int, locale: Locale) -> Iterator[str]:
    """Yield the labels of all attempts except the last."""
    if count == 2:
        yield locale("attempts_before")
    else:
        yield from (locale("attempts_number", number=number) for number in range(1, count))


def _step_context(old: Record, new: Record, locale: Locale) -> dict[str, object]:
    """Return the template context for the changes from one attempt to the next."""
    before, groups = visible_groups(old), visible_groups(new)
    pairs = list(_case_pairs(before, groups))
    kinds = {kind: [pair for pair in pairs if _outcome(*pair) is kind] for kind in _Outcome}
    return {
        "kinds": [
            {
                "id": kind.value,
                "title": locale(f"attempts_{kind.value}", count=len(kinds[kind])),
                "causes": [
                    _cause_context(group, (old, new), groups, locale)
                    for group in _group_by_cause(kinds[kind], before, groups)
                ],
            }
            for kind in (_Outcome.BROKE, _Outcome.MENDED, _Outcome.STILL)
            if kinds[kind]
        ],
        "same": len(kinds[_Outcome.SAME]),
        "hidden": list(_hidden_changes(before, groups, locale)),
    }


_Pair: TypeAlias = tuple[CaseResult | None, CaseResult]
"""The results of a case in the earlier attempt, or None if missing, and in the later one."""


def _case_pairs(old: Sequence[VisibleGroup], new: Sequence[VisibleGroup]) -> Iterator[_Pair]:
    """Yield the two results of each case in the later attempt."""
    # The code is part of the key, because in a changed suite an id can belong to another line.
    before = {(case.id, case.code): case for group in old for case in group.cases}
    yield from ((before.get((case.id, case.code)), case) for group in new for case in group.cases)


def _outcome(before: CaseResult | None, after: CaseResult) -> _Outcome:
    """Return how the result of a case has changed.

    A case that the earlier attempt lacks is `SAME` if it passes now, or else `STILL`.
    """
    earlier_verdict = None if before is None else before.verdict
    if after.verdict is Verdict.PASSED:
        return _Outcome.MENDED if earlier_verdict in _STUDENT_FAILURES else _Outcome.SAME
    return (
        _Outcome.BROKE
        if earlier_verdict is Verdict.PASSED and after.verdict in _STUDENT_FAILURES
        else _Outcome.STILL
    )


def _group_by_cause(
    pairs: Sequence[_Pair], old: Sequence[VisibleGroup], new: Sequence[VisibleGroup]
) -> list[list[_Pair]]:
    """Return `pairs` grouped by the reason for their failure, with the largest groups first."""
    old_reasons, new_reasons = (
        Reasons([(group.id, case) for group in groups for case in group.cases if _has_failed(case)])
        for groups in (old, new)
    )
    causes: dict[tuple[str, ...], list[_Pair]] = {}
    for before, after in pairs:
        case = _failing_result(before, after)
        reason = (old_reasons if case is before else new_reasons).reason_for(case.group, case)
        causes.setdefault(reason, []).append((before, after))
    return sorted(causes.values(), key=lambda pairs: -len(pairs))


def _has_failed(case: CaseResult) -> bool:
    return case.verdict in _STUDENT_FAILURES


def _failing_result(before: CaseResult | None, after: CaseResult) -> CaseResult:
    """Return the result that shows the failure: `before` if the case was fixed, or else `after`."""
    return before if before is not None and after.verdict is Verdict.PASSED else after


def _cause_context(
    pairs: Sequence[_Pair],
    records: tuple[Record, Record],
    groups: Sequence[VisibleGroup],
    locale: Locale,
) -> Mapping[str, object]:
    """Return the template context for `pairs` with the same cause: a summary, and the first few."""
    shown_pairs = [_pair_context(*pair, records, locale) for pair in pairs[:_MAX_PAIRS]]
    failing_cases = [_failing_result(*pair) for pair in pairs]
    # Views of all pairs, not only the listed ones: a sentence is shown only if all pairs share it.
    views = [
        # A fixed case is explained by its earlier failure.
        case_view(case, records[1 if case is after else 0], locale)
        for case, (_, after) in zip(failing_cases, pairs, strict=True)
    ]
    sentences = {one_line(" ".join(view.explanation[:1]), _MAX_SENTENCE_CHARS) for view in views}
    locations = {view.source for view in views}
    titles = [
        visible_group.title
        for visible_group in groups
        if visible_group.id in {case.group for case in failing_cases}
    ]
    return {
        "sign": views[0].sign,
        "said": sentences.pop() if len(sentences) == 1 else "",
        "title": one_line(titles[0]) if len(titles) == 1 else "",
        "place": locations.pop() if len(locations) == 1 else None,
        "count": locale("class_late_cases", count=len(pairs)),
        "pairs": shown_pairs,
        "more": max(0, len(pairs) - _MAX_PAIRS),
    }


def _pair_context(
    before: CaseResult | None, after: CaseResult, records: tuple[Record, Record], locale: Locale
) -> Mapping[str, object]:
    """Return the template context for one case in two attempts."""
    view = case_view(after, records[1], locale)
    sides = [
        _sign_and_explanation(before, records[0], locale),
        _sign_and_explanation(after, records[1], locale),
    ]
    return {"code": view.code, "title": view.title, "sides": sides}


def _sign_and_explanation(
    case: CaseResult | None, record: Record, locale: Locale
) -> tuple[VerdictView | None, str]:
    """Return the sign and the explanation of a case in one attempt, which might lack the case."""
    if case is None:
        return None, locale("changes_absent")
    view = case_view(case, record, locale)
    return view.sign, one_line(" ".join(view.explanation[:1]), _MAX_SENTENCE_CHARS)


def _hidden_changes(
    old: Sequence[VisibleGroup], new: Sequence[VisibleGroup], locale: Locale
) -> Iterator[tuple[str, str, str]]:
    """Yield the title of each group whose hidden cases have changed, with its old and new tally."""
    before = {group.id: group.hidden for group in old}
    for group in new:
        earlier = before.get(group.id)
        if group.hidden is not None and group.hidden != earlier:
            earlier_tally = (
                locale("changes_absent") if earlier is None else _tally_text(earlier, locale)
            )
            yield one_line(group.title), earlier_tally, _tally_text(group.hidden, locale)


def _tally_text(tally: HiddenTally, locale: Locale) -> str:
    return locale("class_of", number=locale.number(tally.met), count=tally.demands)
