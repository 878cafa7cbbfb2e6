"""The sheet for an oral defence: on paper, for staff, with room to write.

It puts what was found about a submission under what a teacher judges: how readable it is, how it is
built, and how easily it could be changed. What a person has to decide on comes first. Everything is
cut to a measure, so that with sentences of the usual length one side is enough, or else two; the
page of the student has the whole of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from grader.judging.lateness import LATENESS
from grader.judging.record import Record, RuleResult, TableRow
from grader.reporting.rendering import page
from grader.reporting.rules_view import advice_left_out, advice_views, rule_view
from grader.reporting.visibility import VisibleGroup, opened_groups
from grader.reporting.wording import Locale, lost_by_rules, score_text
from grader.values.foreign_text import one_line
from grader.verdict import RuleVerdict, Status

_MAX_REVIEWS: Final = 5
_MAX_RULES: Final = 4
"""Rules of one criterion that are told one by one."""
_MAX_ADVICE: Final = 6
_MAX_GROUPS: Final = 8
_MAX_REMARKS: Final = 2
_MAX_ROWS: Final = 6
_MAX_PLACES: Final = 2
_MAX_NAMED: Final = 6
"""Rules, or kinds of them, that are named in one line."""
_SENTENCE_CHARS: Final = 190
_NAME_CHARS: Final = 40
_SENTENCE_END: Final = re.compile(r"(?<=[.?!]) ")

_ADAPTABILITY: Final = frozenset({"cost", "encapsulation"})
"""Kinds of rules, as their ids begin, that are about changing the code later on."""
_TELLING: Final = _ADAPTABILITY | {"recursion"}
"""Kinds of which the evidence is worth talking about also when they are kept."""


_Context: TypeAlias = dict[str, object]
"""What the template reads of one thing."""


def defence_sheet(record: Record) -> str:
    """Return the sheet about `record`, one self-contained page in the record's language."""
    locale = Locale.of_record(record)
    reviews = _with(RuleVerdict.REVIEW, record.rules)
    failing = [group for group in opened_groups(record) if group.passed < len(group.cases)]
    return page(
        "sheet.html",
        locale,
        title=one_line(record.title, _NAME_CHARS),
        student=one_line(record.student, _NAME_CHARS),
        score=score_text(record, locale),
        lost=_lost(record, locale),
        remarks=tuple(_remarks(record, locale)),
        reviews=[_rule(rule, record, locale) for rule in reviews[:_MAX_REVIEWS]],
        reviews_more=_more(reviews, _MAX_REVIEWS, locale),
        criteria=(
            _readability(record, locale),
            _criterion(locale("sheet_structure"), _about(record, adapting=False), record, locale),
            _criterion(locale("sheet_adaptability"), _about(record, adapting=True), record, locale),
        ),
        failing=[_failing(group, locale) for group in failing[:_MAX_GROUPS]],
        failing_more=_more(failing, _MAX_GROUPS, locale),
    )


def _lost(record: Record, locale: Locale) -> str | None:
    lost = lost_by_rules(record)
    if lost <= 0 or record.status is Status.FAULT:
        return None
    return locale("sheet_lost", points=locale.number(lost), count=1 if lost == 1 else 2)


def _remarks(record: Record, locale: Locale) -> Iterator[str]:
    if record.status is not Status.GRADED:
        yield locale(f"notice_{record.status.value}")
    for rule in record.rules:
        if rule.id == LATENESS:
            yield _short(" ".join(map(locale.tell, rule.evidence)))
    for remark in record.remarks[:_MAX_REMARKS]:
        yield _short(locale.tell(remark))


def _about(record: Record, *, adapting: bool) -> list[RuleResult]:
    """Return the rules for one criterion; lateness says nothing about code."""
    rules = [rule for rule in record.rules if rule.id != LATENESS]
    return [rule for rule in rules if (_kind(rule) in _ADAPTABILITY) == adapting]


def _kind(rule: RuleResult) -> str:
    return rule.id.partition("/")[0]


def _readability(record: Record, locale: Locale) -> _Context:
    tips = tuple(
        (
            # The first sentence says what it is; what to do about it, staff know.
            _short(_SENTENCE_END.split(view.said, 1)[0]),
            _places([hit.short for hit in view.hits], item.count, locale),
        )
        for item, view in zip(
            record.advice, advice_views(record, locale, _MAX_ADVICE), strict=False
        )
    )
    more = advice_left_out(record, locale, _MAX_ADVICE)
    notes = (locale("sheet_no_tips"),) if not tips else () if more is None else (more,)
    return {"title": locale("sheet_readability"), "tips": tips, "rules": (), "notes": notes}


def _criterion(title: str, rules: Sequence[RuleResult], record: Record, locale: Locale) -> _Context:
    """Return a criterion with its broken rules, and those kept that are worth talking about.

    Those that wait for a person stand elsewhere.
    """
    broken = sorted(_with(RuleVerdict.BROKEN, rules), key=lambda rule: -rule.penalty)
    kept = _with(RuleVerdict.PASSED, rules)
    telling = [rule for rule in kept if _kind(rule) in _TELLING]
    told = [*broken, *telling][:_MAX_RULES]
    return {
        "title": title,
        "tips": (),
        "rules": list(_with_one_table(_rule(rule, record, locale) for rule in told)),
        "notes": list(_notes([rule for rule in rules if rule not in told], locale))
        if rules
        else [locale("sheet_no_rules")],
    }


def _with_one_table(rules: Iterable[_Context]) -> Iterator[_Context]:
    """Yield `rules`, with a table for the first one that has any."""
    has_table = False
    for rule in rules:
        yield {**rule, "rows": ()} if has_table else rule
        has_table = has_table or bool(rule["rows"])


def _notes(rules: Sequence[RuleResult], locale: Locale) -> Iterator[str]:
    """Yield a line for each verdict that some of `rules` have."""
    if broken := _with(RuleVerdict.BROKEN, rules):
        yield locale("sheet_broken", rules=_listed([rule.id for rule in broken]))
    if kept := _with(RuleVerdict.PASSED, rules):
        yield locale("sheet_kept", rules=_counted(kept))
    if skipped := _with(RuleVerdict.SKIPPED, rules):
        yield locale("sheet_skipped", rules=_counted(skipped))


def _with(verdict: RuleVerdict, rules: Sequence[RuleResult]) -> list[RuleResult]:
    return [rule for rule in rules if rule.verdict is verdict]


def _counted(rules: Sequence[RuleResult]) -> str:
    """Return how many there are of each kind of rule."""
    kinds = Counter(map(_kind, rules))
    return _listed([f"{kind} ({count})" for kind, count in kinds.items()])


def _listed(names: Sequence[str]) -> str:
    shown = [one_line(name, _NAME_CHARS) for name in names[:_MAX_NAMED]]
    return ", ".join([*shown, "…"] if len(names) > _MAX_NAMED else shown)


def _rule(rule: RuleResult, record: Record, locale: Locale) -> _Context:
    view = rule_view(rule, record, locale)
    # Who has to decide on a rule needs the detail too.
    sentences = 2 if rule.verdict is RuleVerdict.REVIEW else 1
    return {
        "sign": view.sign,
        "demand": _short(view.demand),
        "evidence": [_short(sentence) for sentence in view.evidence[:sentences]],
        "places": _places([hit.short for hit in view.hits], len(rule.hits), locale),
        "cost": view.cost,
        "rows": _rows(view.table),
    }


def _rows(table: Iterable[TableRow]) -> tuple[TableRow, ...]:
    """Return the rows of those that know the representation, those that should not first."""
    return tuple(
        sorted((row for row in table if row.knows), key=lambda row: row.may_know)[:_MAX_ROWS]
    )


def _failing(group: VisibleGroup, locale: Locale) -> str:
    return f"{one_line(group.title, _NAME_CHARS)}: {group.tally(locale)}"


def _places(shown: Sequence[str], count: int, locale: Locale) -> str:
    """Return the first places on one line, and how many there are besides."""
    first = [one_line(place, _NAME_CHARS) for place in shown[:_MAX_PLACES]]
    left_out = max(count, len(shown)) - len(first)
    return ", ".join([*first, locale("more", count=left_out)] if left_out else first)


def _more(items: Sequence[object], most: int, locale: Locale) -> str | None:
    return locale("more", count=len(items) - most) if len(items) > most else None


def _short(sentence: str) -> str:
    return one_line(sentence, _SENTENCE_CHARS)
