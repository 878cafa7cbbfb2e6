"""Prepares rules and advice for display: in words, and limited in size.

Pages, terminal and JUnit XML show the same rules in the same order: broken rules that cost points,
broken rules that cost none, rules that a person has to look at, and then all others. Lines of code,
and names of files and functions, come from the submission. So lines are cut to a window around the
relevant column, all text is made safe, and the number of locations is limited.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from grader.judging.record import Advice, Record, RuleHit, RuleResult, TableRow
from grader.reporting.case_view import SpecLine, anchor, spec_reference
from grader.reporting.wording import GLYPHS, Locale, Tone, VerdictView, lost_by_rules
from grader.values.foreign_text import one_line
from grader.verdict import RuleVerdict

MAX_HITS: Final = 5
"""How many locations are shown per rule."""
MAX_ADVICE: Final = 12
"""How many pieces of advice a page shows; nobody acts on more."""
_MAX_ADVICE_HITS: Final = 3
_MAX_TABLE_ROWS: Final = 60
_LINE_CHARS: Final = 120
"""The maximum number of characters shown of a line of code."""
_LEAD_CHARS: Final = 60
"""The maximum number of characters shown before the relevant column."""
_NAME_CHARS: Final = 80
# Repeats are bounded, because the line is from a student, who could make matching very slow.
_MARKED_TEXT: Final = re.compile(r"\w{1,60}(?:\.\w{1,60}){0,4}|\S")
"""Matches the text to mark: a name or a keyword, or else a single character."""

_SIGNS: Final = {
    RuleVerdict.PASSED: (Tone.GOOD, GLYPHS[Tone.GOOD]),
    RuleVerdict.BROKEN: (Tone.BAD, GLYPHS[Tone.BAD]),
    # As for failures of ours, the student need not do anything, but nothing went wrong either.
    RuleVerdict.REVIEW: (Tone.OUR_FAULT, "?"),
    RuleVerdict.SKIPPED: (Tone.IDLE, GLYPHS[Tone.IDLE]),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HitView:
    """A location in the submission, with its line of code in three parts."""

    where: str
    """The location in words."""
    short: str
    """The location as in editors, such as `Board.py:41:5`."""
    place: tuple[str, int]
    """The file and the line, as in the record."""
    what: str | None
    """A name for the code at this location, or None."""
    before: str
    marked: str
    after: str

    @property
    def code(self) -> str:
        """The line of code."""
        return f"{self.before}{self.marked}{self.after}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleView:
    """A rule, ready for display."""

    anchor: str
    sign: VerdictView
    demand: str
    evidence: tuple[str, ...]
    cost: str | None
    is_penalty: bool
    """Whether the cost is a loss of points."""
    note: str | None
    """A sentence about the verdict for the student, if one is needed."""
    is_kept: bool
    """Whether the rule is kept, and no person decided that."""
    hits: tuple[HitView, ...]
    more: str | None
    """How many locations are omitted, in words, or None."""
    table: tuple[TableRow, ...]
    more_rows: str | None
    """How many rows of the table are omitted, in words, or None."""
    spec: SpecLine | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesView:
    """All rules of a record, ready for display."""

    pressing: tuple[RuleView, ...]
    """Broken rules, and rules that a person has to look at."""
    kept: tuple[RuleView, ...]
    skipped: tuple[RuleView, ...]
    tally: str
    short_tally: str
    sign: VerdictView
    """The most serious sign of any rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceView:
    """A piece of advice, ready for display."""

    anchor: str
    said: str
    hits: tuple[HitView, ...]
    more: str | None
    """How many locations are omitted, in words, or None."""


def rule_sign(verdict: RuleVerdict, locale: Locale) -> VerdictView:
    """Return the sign that shows `verdict`."""
    tone, glyph = _SIGNS[verdict]
    return VerdictView(tone, glyph, locale(f"rule_{verdict.value}"))


def rules_view(record: Record, locale: Locale) -> RulesView | None:
    """Return the view of the rules of `record`, or None if there are none."""
    if not record.rules:
        return None
    views = [
        (rule.verdict, rule_view(rule, record, locale)) for rule in sort_by_urgency(record.rules)
    ]
    kept = tuple(view for verdict, view in views if verdict is RuleVerdict.PASSED)
    listed_separately = {RuleVerdict.PASSED, RuleVerdict.SKIPPED}
    return RulesView(
        pressing=tuple(view for verdict, view in views if verdict not in listed_separately),
        kept=kept,
        skipped=tuple(view for verdict, view in views if verdict is RuleVerdict.SKIPPED),
        tally=locale("rules_tally", kept=len(kept), count=len(views)),
        short_tally=f"{len(kept)}/{len(views)}",
        # They are sorted by urgency, so the first sign is the most serious.
        sign=views[0][1].sign,
    )


def sort_by_urgency(rules: Iterable[RuleResult]) -> list[RuleResult]:
    """Return `rules` in the order in which they are shown, most urgent first."""
    return sorted(rules, key=_urgency)


def _urgency(rule: RuleResult) -> int:
    if rule.verdict is RuleVerdict.BROKEN:
        return 0 if rule.penalty > 0 else 1 if rule.costs else 2
    return (RuleVerdict.REVIEW, RuleVerdict.SKIPPED, RuleVerdict.PASSED).index(rule.verdict) + 3


def _is_decided(rule: RuleResult) -> bool:
    """Return whether a person has decided on `rule`."""
    # `grader.reporting.reported_record` adds decisions to the evidence.
    return any(message.key.startswith("decided.") for message in rule.evidence)


def rule_view(rule: RuleResult, record: Record, locale: Locale) -> RuleView:
    """Return the view of one `rule` of `record`."""
    hits, more = _hit_views(rule.hits, len(rule.hits), MAX_HITS, locale)
    omitted_rows = len(rule.table) - _MAX_TABLE_ROWS
    return RuleView(
        anchor=anchor(f"rule {rule.id}"),
        sign=rule_sign(rule.verdict, locale),
        demand=locale.sentence(rule.demand),
        evidence=tuple(map(locale.sentence, rule.evidence)),
        cost=_cost_text(rule, locale),
        is_penalty=rule.penalty > 0,
        is_kept=rule.verdict is RuleVerdict.PASSED and not _is_decided(rule),
        note=locale("rule_review") if rule.verdict is RuleVerdict.REVIEW else None,
        hits=hits,
        more=more,
        table=rule.table[:_MAX_TABLE_ROWS],
        more_rows=locale("more", count=omitted_rows) if omitted_rows > 0 else None,
        spec=spec_reference(rule.spec_line, record, locale),
    )


def rules_effect(record: Record, locale: Locale) -> Iterator[str]:
    """Yield sentences about how the rules affect the result, or nothing if they do not."""
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
    """Return the views of the first `max_items` pieces of advice of `record`, best first."""
    return tuple(
        _advice_view(index, item, locale) for index, item in enumerate(record.advice[:max_items])
    )


def advice_anchor(index: int) -> str:
    """Return the HTML id of the piece of advice with this `index`."""
    return f"advice-{index + 1}"


def advice_left_out(record: Record, locale: Locale, max_items: int = MAX_ADVICE) -> str | None:
    """Return how many pieces of advice beyond `max_items` are omitted, in words, or None."""
    omitted = len(record.advice) - max_items
    return locale("advice_more", count=omitted) if omitted > 0 else None


def _advice_view(index: int, item: Advice, locale: Locale) -> AdviceView:
    hits, more = _hit_views(item.hits, item.count, _MAX_ADVICE_HITS, locale)
    return AdviceView(
        anchor=advice_anchor(index), said=locale.sentence(item.said), hits=hits, more=more
    )


def _cost_text(rule: RuleResult, locale: Locale) -> str | None:
    """Return the cost of `rule` in words, or None if it is not broken."""
    if rule.verdict is not RuleVerdict.BROKEN:
        return None
    if rule.penalty <= 0:
        return locale("rule_free")
    return locale.with_points("rule_penalty", rule.penalty)


def _hit_views(
    hits: tuple[RuleHit, ...], count: int, max_hits: int, locale: Locale
) -> tuple[tuple[HitView, ...], str | None]:
    """Return the views of the first `max_hits` of `hits`, and how many are omitted, in words.

    `count` is the number of all hits, of which a record has only the first few.
    """
    views = tuple(_hit_view(hit, locale) for hit in hits[:max_hits])
    omitted = max(count, len(hits)) - len(views)
    return views, locale("more", count=omitted) if omitted > 0 else None


def _hit_view(hit: RuleHit, locale: Locale) -> HitView:
    """Return the view of `hit`, with its line of code cut to a window around its column."""
    file = one_line(hit.file, _NAME_CHARS)
    marked_start = min(max(hit.column - 1, 0), len(hit.text))
    margin = len(hit.text) - len(hit.text.lstrip())
    # Indentation is omitted, unless the column is within it.
    start = max(min(margin, marked_start), marked_start - _LEAD_CHARS)
    match = _MARKED_TEXT.match(hit.text, marked_start)
    marked_end = marked_start if match is None else match.end()
    end = max(marked_end, start + _LINE_CHARS)
    return HitView(
        where=locale("rule_place", file=file, line=hit.line, column=hit.column),
        short=f"{file}:{hit.line}:{hit.column}",
        place=(hit.file, hit.line),
        what=one_line(hit.what, _NAME_CHARS) if hit.what else None,
        before=("…" if start > margin else "") + one_line(hit.text[start:marked_start]),
        # The limit is higher here, because a dotted name should be marked as a whole.
        marked=one_line(hit.text[marked_start:marked_end], _LINE_CHARS * 4),
        after=one_line(hit.text[marked_end:end].rstrip()) + ("…" if hit.text[end:].strip() else ""),
    )
