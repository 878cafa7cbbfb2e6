"""Rules and advice in words and cut to size, ready to be laid out.

Pages, terminal and JUnit show the same, in the same order: broken rules that cost points, broken
rules that cost none, rules that a person has to look at, and then the others. Lines of code and
names of files and functions come from the submission: they are shown in a window around the place
that matters, made harmless, and limited in number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from grader.judging.record import Advice, Record, RuleHit, RuleResult, TableRow
from grader.reporting.case_view import SpecLine, anchor, spec_place
from grader.reporting.wording import GLYPHS, Locale, Tone, VerdictView, lost_by_rules
from grader.values.foreign_text import one_line
from grader.verdict import RuleVerdict

MAX_HITS: Final = 5
"""Places shown per rule."""
MAX_ADVICE: Final = 12
"""Pieces of advice shown on a page: nobody acts on more."""
MAX_ADVICE_HITS: Final = 3
_MAX_TABLE_ROWS: Final = 60
_LINE_CHARS: Final = 120
_LEAD_CHARS: Final = 60
"""Characters shown of a line of code in all, and before the place."""
_NAME_CHARS: Final = 80
# Bounded repeats, because the line comes from a student.
_MARKED_TEXT: Final = re.compile(r"\w{1,60}(?:\.\w{1,60}){0,4}|\S")
"""The text marked at a place: a name or a keyword, or else a single character."""

_SIGNS: Final = {
    RuleVerdict.PASSED: (Tone.GOOD, GLYPHS[Tone.GOOD]),
    RuleVerdict.BROKEN: (Tone.BAD, GLYPHS[Tone.BAD]),
    # Like our own failures it asks nothing of the student, but nothing went wrong either.
    RuleVerdict.REVIEW: (Tone.OURS, "?"),
    RuleVerdict.SKIPPED: (Tone.IDLE, GLYPHS[Tone.IDLE]),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HitView:
    """A place in the submission, with its line of code in three parts."""

    where: str
    """In words."""
    short: str
    """As editors write it: `Board.py:41:5`."""
    place: tuple[str, int]
    """File and line, as the record has them."""
    what: str | None
    before: str
    marked: str
    after: str

    @property
    def code(self) -> str:
        """The line of code."""
        return f"{self.before}{self.marked}{self.after}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleView:
    """One rule."""

    anchor: str
    sign: VerdictView
    demand: str
    evidence: tuple[str, ...]
    cost: str | None
    is_penalty: bool
    """Whether the cost is a loss of points."""
    note: str | None
    """What the student should know about the verdict itself."""
    is_kept: bool
    """Whether the rule is kept, and there is nothing more to say."""
    hits: tuple[HitView, ...]
    more: str | None
    """How many places are omitted, in words."""
    table: tuple[TableRow, ...]
    more_rows: str | None
    spec: SpecLine | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesView:
    """All rules of a record."""

    pressing: tuple[RuleView, ...]
    """Broken rules, and those that a person has to look at."""
    kept: tuple[RuleView, ...]
    skipped: tuple[RuleView, ...]
    tally: str
    short_tally: str
    sign: VerdictView
    """The gravest of all signs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceView:
    """One piece of advice."""

    anchor: str
    said: str
    hits: tuple[HitView, ...]
    more: str | None


def rule_sign(verdict: RuleVerdict, locale: Locale) -> VerdictView:
    """Return the sign that shows `verdict`."""
    tone, glyph = _SIGNS[verdict]
    return VerdictView(tone, glyph, locale(f"rule_{verdict.value}"))


def rules_view(record: Record, locale: Locale) -> RulesView | None:
    """Return the rules of `record`, None if it has none."""
    if not record.rules:
        return None
    views = [(rule.verdict, rule_view(rule, record, locale)) for rule in urgent(record.rules)]
    kept = tuple(view for verdict, view in views if verdict is RuleVerdict.PASSED)
    listed_separately = {RuleVerdict.PASSED, RuleVerdict.SKIPPED}
    return RulesView(
        pressing=tuple(view for verdict, view in views if verdict not in listed_separately),
        kept=kept,
        skipped=tuple(view for verdict, view in views if verdict is RuleVerdict.SKIPPED),
        tally=locale("rules_tally", kept=len(kept), count=len(views)),
        short_tally=f"{len(kept)}/{len(views)}",
        # Sorted by urgency: the first is the gravest.
        sign=views[0][1].sign,
    )


def urgent(rules: Iterable[RuleResult]) -> list[RuleResult]:
    """Return `rules` in the order in which they are shown, most urgent first."""
    return sorted(rules, key=_urgency)


def _urgency(rule: RuleResult) -> int:
    if rule.verdict is RuleVerdict.BROKEN:
        return 0 if rule.penalty > 0 else 1 if rule.costs else 2
    return (RuleVerdict.REVIEW, RuleVerdict.SKIPPED, RuleVerdict.PASSED).index(rule.verdict) + 3


def _is_decided(rule: RuleResult) -> bool:
    """Return whether a person has decided on `rule`."""
    return any(message.key.startswith("decided.") for message in rule.evidence)


def rule_view(rule: RuleResult, record: Record, locale: Locale) -> RuleView:
    """Return the view of one `rule` of `record`."""
    hits, more = _hit_views(rule.hits, len(rule.hits), MAX_HITS, locale)
    left_out = len(rule.table) - _MAX_TABLE_ROWS
    return RuleView(
        anchor=anchor(f"rule {rule.id}"),
        sign=rule_sign(rule.verdict, locale),
        demand=locale.tell(rule.demand),
        evidence=tuple(map(locale.tell, rule.evidence)),
        cost=_cost(rule, locale),
        is_penalty=rule.penalty > 0,
        is_kept=rule.verdict is RuleVerdict.PASSED and not _is_decided(rule),
        note=locale("rule_review") if rule.verdict is RuleVerdict.REVIEW else None,
        hits=hits,
        more=more,
        table=rule.table[:_MAX_TABLE_ROWS],
        more_rows=locale("more", count=left_out) if left_out > 0 else None,
        spec=spec_place(rule.spec_line, record, locale),
    )


def rules_effect(record: Record, locale: Locale) -> Iterator[str]:
    """Yield the effect of the rules on the result in words, if there is any."""
    broken = sum(rule.verdict is RuleVerdict.BROKEN for rule in record.rules)
    reviews = sum(rule.verdict is RuleVerdict.REVIEW for rule in record.rules)
    lost = lost_by_rules(record)
    if lost > 0:
        yield locale.with_points("result_rules_cost", lost)
    elif broken:
        yield locale("result_rules_broken", count=broken)
    if reviews:
        yield locale("result_rules_review", count=reviews)


def advice_views(
    record: Record, locale: Locale, max_items: int = MAX_ADVICE
) -> tuple[AdviceView, ...]:
    """Return the best pieces of advice of `record`, best first."""
    return tuple(
        _advice(index, item, locale) for index, item in enumerate(record.advice[:max_items])
    )


def advice_anchor(index: int) -> str:
    """Return the HTML id of a piece of advice, counted from 0."""
    return f"advice-{index + 1}"


def advice_left_out(record: Record, locale: Locale, max_items: int = MAX_ADVICE) -> str | None:
    """Return in words how much advice is omitted after `max_items` pieces, None if none is."""
    left_out = len(record.advice) - max_items
    return locale("advice_more", count=left_out) if left_out > 0 else None


def _advice(index: int, item: Advice, locale: Locale) -> AdviceView:
    hits, more = _hit_views(item.hits, item.count, MAX_ADVICE_HITS, locale)
    return AdviceView(
        anchor=advice_anchor(index), said=locale.tell(item.said), hits=hits, more=more
    )


def _cost(rule: RuleResult, locale: Locale) -> str | None:
    if rule.verdict is not RuleVerdict.BROKEN:
        return None
    if rule.penalty <= 0:
        return locale("rule_free")
    return locale.with_points("rule_penalty", rule.penalty)


def _hit_views(
    hits: tuple[RuleHit, ...], count: int, max_hits: int, locale: Locale
) -> tuple[tuple[HitView, ...], str | None]:
    """Return the first `max_hits` places, and in words how many more there are."""
    shown = tuple(_hit_view(hit, locale) for hit in hits[:max_hits])
    left_out = max(count, len(hits)) - len(shown)
    return shown, locale("more", count=left_out) if left_out > 0 else None


def _hit_view(hit: RuleHit, locale: Locale) -> HitView:
    """Return `hit` with its line of code, cut to a window around the place."""
    file = one_line(hit.file, _NAME_CHARS)
    place = min(max(hit.column - 1, 0), len(hit.text))
    margin = len(hit.text) - len(hit.text.lstrip())
    first = max(min(margin, place), place - _LEAD_CHARS)
    match = _MARKED_TEXT.match(hit.text, place)
    marked_end = place if match is None else match.end()
    end = max(marked_end, first + _LINE_CHARS)
    return HitView(
        where=locale("rule_place", file=file, line=hit.line, column=hit.column),
        short=f"{file}:{hit.line}:{hit.column}",
        place=(hit.file, hit.line),
        what=one_line(hit.what, _NAME_CHARS) if hit.what else None,
        before=("…" if first > margin else "") + one_line(hit.text[first:place]),
        marked=one_line(hit.text[place:marked_end], _LINE_CHARS * 4),
        after=one_line(hit.text[marked_end:end].rstrip()) + ("…" if hit.text[end:].strip() else ""),
    )
