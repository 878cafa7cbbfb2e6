"""Makes the sheet for an oral defence: one side of paper for staff, with space for notes.

The questions that the student's own failures raise come first, then whatever a person has to decide
on or has decided. Below these are findings by criterion: how readable the code is, how it is
structured, and how easily it could be changed. A criterion without findings is omitted. The
student's page has everything; the sheet is reduced in steps until it fits on its paper.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import unescape
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

from grader.judging.lateness import LATENESS
from grader.judging.record import Record, RuleResult, TableRow
from grader.reporting.decisions_view import decisions_in_brief
from grader.reporting.questions import questions
from grader.reporting.rendering import page
from grader.reporting.rules_view import advice_left_out, advice_views, rule_view
from grader.reporting.signs import signs
from grader.reporting.visibility import VisibleGroup, staff_groups
from grader.reporting.wording import Locale, lost_by_rules, score_text
from grader.values.foreign_text import one_line
from grader.verdict import RuleVerdict, Status

_MAX_REMARKS: Final = 2
_MAX_LOCATIONS: Final = 2
_MAX_LISTED: Final = 6
"""How many rules, or kinds of rules, are named on one line."""
_NAME_CHARS: Final = 40
_SENTENCE_END: Final = re.compile(r"(?<=[.?!]) ")

_ADAPTABILITY: Final = frozenset({"cost", "encapsulation"})
"""Kinds of rules (the first part of their ids) about how easily the code can be changed."""
_DISCUSSED: Final = _ADAPTABILITY | {"recursion"}
"""Kinds of rules whose evidence is worth discussing even if the rule is kept."""

_PAPER_LINES: Final = 62
"""The number of lines of text that fit on the paper."""
_LINE_CHARS: Final = 105
_BLOCK_ELEMENT: Final = re.compile(r"<(p|li|tr|h1|h2|dd|b)\b[^>]*>(.*?)</\1>", re.DOTALL)
"""Matches elements that start on a new line."""
_EXTRA_HEIGHT: Final = {"h1": 1.0, "h2": 1.1, "tr": 0.2}
"""The additional height of some elements, such as the space around them, in lines."""
_DEFAULT_EXTRA_HEIGHT: Final = 0.1
"""The additional height of all other elements, in lines."""
_FIRST_WIDE_CHAR: Final = "\u1100"
"""This character, and those after it, are about twice as wide as Latin letters."""


class _Limits(NamedTuple):
    """The maximum number of each kind of item on a sheet, and of characters in a sentence."""

    questions: int
    reviews: int
    rules: int
    """Rules of one criterion that are described one by one."""
    rows: int
    advice: int
    facts: int
    decisions: int
    groups: int
    sentence_chars: int


_LIMITS: Final = (
    # questions, reviews, rules, rows, advice, facts, decisions, groups, sentence_chars
    _Limits(3, 5, 4, 6, 6, 4, 5, 8, 190),
    _Limits(3, 3, 2, 3, 3, 3, 3, 6, 190),
    _Limits(3, 2, 1, 2, 2, 2, 2, 4, 100),
    _Limits(2, 1, 1, 0, 1, 1, 1, 2, 80),
)
"""Limits in the order in which they are tried; nearly everything fits with the last ones."""

_Context: TypeAlias = dict[str, object]
"""Variables for the template."""


def defence_sheet(record: Record) -> str:
    """Return the sheet about `record` as a self-contained page in the record's language."""
    for limits in _LIMITS:
        sheet = _Sheet(record, limits).page()
        if _height(sheet) <= _PAPER_LINES:
            break
    return sheet  # the last and shortest sheet is returned even if it does not fit


def _height(sheet: str) -> float:
    """Return the estimated height of `sheet`, in lines on its paper."""
    body = sheet.partition("<body>")[2]  # the style sheet takes no space on paper
    return sum(
        _EXTRA_HEIGHT.get(kind, _DEFAULT_EXTRA_HEIGHT)
        + max(1, -(-_width(text) // _LINE_CHARS))  # rounded up
        for kind, text in _BLOCK_ELEMENT.findall(body)
    )


def _width(markup: str) -> int:
    text = unescape(re.sub(r"<[^>]*>", " ", markup)).strip()
    return sum(2 if char >= _FIRST_WIDE_CHAR else 1 for char in text)


class _Sheet:
    """Builds the sheet about one record, within given limits."""

    def __init__(self, record: Record, limits: _Limits) -> None:
        self._record: Final = record
        self._limits: Final = limits
        self._locale: Final = Locale.for_record(record)

    def page(self) -> str:
        """Return the sheet as a page."""
        record, locale, limits = self._record, self._locale, self._limits
        reviews = _with_verdict(RuleVerdict.REVIEW, record.rules)
        criteria = (
            self._readability(),
            self._criterion("structure", _rules_about(record, is_adaptability=False)),
            self._criterion("adaptability", _rules_about(record, is_adaptability=True)),
        )
        failing = [group for group in staff_groups(record) if group.passed < len(group.cases)]
        is_run = record.status is not Status.UNGRADABLE
        return page(
            "sheet.html",
            locale,
            title=one_line(record.title, _NAME_CHARS),
            student=one_line(record.student, _NAME_CHARS),
            score=score_text(record, locale),
            lost=_loss(record, locale),
            remarks=tuple(self._remarks()),
            questions=questions(record, locale, limits.questions),
            short=self._short,
            reviews=[self._rule(rule) for rule in reviews[: limits.reviews]],
            reviews_more=self._more_text(reviews, limits.reviews),
            facts=self._facts(),
            decisions=tuple(self._decisions()),
            criteria=[criterion for criterion in criteria if criterion is not None],
            failing=[_failing_text(group, locale) for group in failing[: limits.groups]]
            if is_run
            else [],
            failing_more=self._more_text(failing, limits.groups),
        )

    def _remarks(self) -> Iterator[str]:
        """Yield the remarks for the head: the status, lateness, and the record's first remarks."""
        record, locale = self._record, self._locale
        if record.status is not Status.GRADED:
            yield locale(f"notice_{record.status.value}")
        for rule in record.rules:
            if rule.id == LATENESS:
                yield self._short(" ".join(map(locale.sentence, rule.evidence)))
        if record.status is not Status.UNGRADABLE:  # otherwise the questions are about the remarks
            for remark in record.remarks[:_MAX_REMARKS]:
                yield self._short(locale.sentence(remark))

    def _facts(self) -> list[tuple[str, list[str]]]:
        """Return kinds of signs with their first facts, except facts that are a rule's evidence."""
        rule_evidence = {
            self._locale.sentence(message)
            for rule in self._record.rules
            for message in rule.evidence
        }
        facts_by_sign = (
            (sign.kind.value, [fact for fact in sign.facts if fact not in rule_evidence])
            for sign in signs(self._record, self._locale)
        )
        shortened = (
            (kind, list(map(self._short, facts[:2]))) for kind, facts in facts_by_sign if facts
        )
        return list(islice(shortened, self._limits.facts))

    def _decisions(self) -> Iterator[str]:
        lines = list(decisions_in_brief(self._record, self._locale))
        yield from map(self._short, lines[: self._limits.decisions])
        if (more := self._more_text(lines, self._limits.decisions)) is not None:
            yield more

    def _readability(self) -> _Context | None:
        """Return the readability criterion with the best advice, or None if there is no advice."""
        record, locale, max_items = self._record, self._locale, self._limits.advice
        tips = tuple(
            (
                # The first sentence names the problem; staff know what to do about it.
                self._short(_SENTENCE_END.split(view.said, 1)[0]),
                _locations_text([hit.short for hit in view.hits], item.count, locale),
            )
            # There can be fewer views than pieces of advice, because views are limited.
            for item, view in zip(
                record.advice, advice_views(record, locale, max_items), strict=False
            )
        )
        more = advice_left_out(record, locale, max_items)
        notes = () if more is None else (more,)
        return _context("readability", locale, tips=tips, notes=notes) if tips else None

    def _criterion(self, name: str, rules: Sequence[RuleResult]) -> _Context | None:
        """Return a criterion with its broken rules, and with kept rules that are worth discussing.

        The first few of these rules are described one by one, and the others are named in notes.
        Rules that a person has to decide on are listed elsewhere on the sheet. Returns None if no
        rule is described and no rule is about a single function.
        """
        broken = sorted(_with_verdict(RuleVerdict.BROKEN, rules), key=lambda rule: -rule.penalty)
        kept = _with_verdict(RuleVerdict.PASSED, rules)
        discussed = [rule for rule in kept if _kind(rule) in _DISCUSSED]
        described = [*broken, *discussed][: self._limits.rules]
        omitted = [rule for rule in rules if rule not in described]
        notes = [self._short(note) for note in _notes(omitted, self._locale)]
        if not described and all(rule.function is None for rule in rules):
            return None  # general rules with nothing to discuss need no heading
        views = [self._rule(rule) for rule in described]
        if broken:
            views[0]["asked"] = self._locale("sheet_ask_rule")
        return _context(name, self._locale, rules=tuple(_with_one_table(views)), notes=notes)

    def _rule(self, rule: RuleResult) -> _Context:
        """Return the template variables for `rule`."""
        view = rule_view(rule, self._record, self._locale)
        # A person who has to decide on a rule also needs the details.
        sentences = 2 if rule.verdict is RuleVerdict.REVIEW else 1
        return {
            "sign": view.sign,
            "demand": self._short(view.demand),
            "evidence": [self._short(sentence) for sentence in view.evidence[:sentences]],
            "places": _locations_text(
                [hit.short for hit in view.hits], len(rule.hits), self._locale
            ),
            "cost": view.cost,
            "rows": _rows(view.table, self._limits.rows),
            "asked": None,
        }

    def _more_text(self, items: Sequence[object], max_items: int) -> str | None:
        return (
            self._locale("more", count=len(items) - max_items) if len(items) > max_items else None
        )

    def _short(self, sentence: str) -> str:
        return one_line(sentence, self._limits.sentence_chars)


def _loss(record: Record, locale: Locale) -> str | None:
    lost = lost_by_rules(record)
    if lost <= 0 or record.status is Status.FAULT:
        return None
    return locale.with_points("sheet_lost", lost)


def _context(
    name: str,
    locale: Locale,
    *,
    tips: Sequence[tuple[str, str]] = (),
    rules: Sequence[_Context] = (),
    notes: Sequence[str],
) -> _Context:
    """Return the template variables for one criterion."""
    title = locale(f"sheet_{name}")
    return {"name": name, "title": title, "tips": tips, "rules": rules, "notes": notes}


def _rules_about(record: Record, *, is_adaptability: bool) -> list[RuleResult]:
    """Return the rules about adaptability or, if `is_adaptability` is not set, about structure.

    Lateness is not among them, because it is not about code.
    """
    rules = [rule for rule in record.rules if rule.id != LATENESS]
    return [rule for rule in rules if (_kind(rule) in _ADAPTABILITY) == is_adaptability]


def _kind(rule: RuleResult) -> str:
    return rule.id.partition("/")[0]


def _with_one_table(rules: Iterable[_Context]) -> Iterator[_Context]:
    """Yield `rules` with only the first of their tables, and without rows in the others."""
    has_table = False
    for rule in rules:
        yield {**rule, "rows": ()} if has_table else rule
        has_table = has_table or bool(rule["rows"])


def _notes(rules: Sequence[RuleResult], locale: Locale) -> Iterator[str]:
    """Yield one line each about broken, kept and skipped rules, if there are any among `rules`.

    Only broken rules are named; the others are counted.
    """
    if broken := _with_verdict(RuleVerdict.BROKEN, rules):
        yield locale("sheet_broken", rules=_join_names([rule.id for rule in broken]))
    if kept := _with_verdict(RuleVerdict.PASSED, rules):
        yield locale("sheet_kept", rules=_count_by_kind(kept))
    if skipped := _with_verdict(RuleVerdict.SKIPPED, rules):
        yield locale("sheet_skipped", rules=_count_by_kind(skipped))


def _with_verdict(verdict: RuleVerdict, rules: Sequence[RuleResult]) -> list[RuleResult]:
    return [rule for rule in rules if rule.verdict is verdict]


def _count_by_kind(rules: Sequence[RuleResult]) -> str:
    """Return the number of `rules` of each kind, in words."""
    kinds = Counter(map(_kind, rules))
    return _join_names([f"{kind} ({count})" for kind, count in kinds.items()])


def _join_names(names: Sequence[str]) -> str:
    first = [one_line(name, _NAME_CHARS) for name in names[:_MAX_LISTED]]
    return ", ".join([*first, "…"] if len(names) > _MAX_LISTED else first)


def _rows(table: Iterable[TableRow], max_rows: int) -> tuple[TableRow, ...]:
    """Return the first `max_rows` rows about code that knows the representation.

    Rows about code that must not know it come first.
    """
    return tuple(
        sorted((row for row in table if row.knows), key=lambda row: row.may_know)[:max_rows]
    )


def _failing_text(group: VisibleGroup, locale: Locale) -> str:
    return f"{one_line(group.title, _NAME_CHARS)}: {group.tally(locale)}"


def _locations_text(locations: Sequence[str], count: int, locale: Locale) -> str:
    """Return the first of `locations` on one line, and how many are omitted.

    `count` is the number of all locations, of which `locations` might have only the first few.
    """
    first = [one_line(location, _NAME_CHARS) for location in locations[:_MAX_LOCATIONS]]
    omitted = max(count, len(locations)) - len(first)
    return ", ".join([*first, locale("more", count=omitted)] if omitted else first)
