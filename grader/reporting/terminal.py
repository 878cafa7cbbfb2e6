"""Prints one record in full, for `grader show` and for `grader check` with `--all`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from io import StringIO
from typing import Final

from rich.console import Console

from grader.judging.record import CaseResult, Record, RuleResult
from grader.reporting.case_view import CaseView, case_view, distinct_skips
from grader.reporting.lines import INDENT, STYLES, Lines, Part, badge
from grader.reporting.picture_view import text_below, text_sides
from grader.reporting.rules_view import (
    HitView,
    RuleView,
    advice_left_out,
    advice_views,
    rule_view,
    rules_effect,
    rules_view,
)
from grader.reporting.visibility import VisibleGroup, score_breakdown, visible_groups
from grader.reporting.wording import (
    GLYPHS,
    Locale,
    Tone,
    gap_texts,
    level_text,
    score_text,
    sign,
)
from grader.values.foreign_text import one_line
from grader.verdict import Status, Verdict, Visibility

_TEXT_WIDTH: Final = 80
_MAX_ADVICE: Final = 5
_MIN_WIDTH_FOR_POINTS: Final = 60
"""The minimum width of a console on which the line of a group also has its points."""


def print_record(
    record: Record,
    console: Console,
    notes: Sequence[str] = (),
    groups: Sequence[VisibleGroup] | None = None,
) -> None:
    """Print what the student is allowed to see of `record` to `console`, in its language.

    `notes` for staff are printed below the result. `groups` overrides which groups are shown, for
    readers who are allowed to see more than the student.
    """
    visible = visible_groups(record) if groups is None else groups
    _Printer(console, Locale.for_record(record)).record(record, notes, visible)


def case_text(case: CaseResult, record: Record) -> str:
    """Return what the student is allowed to see of one `case` of `record`, as plain text."""
    return _plain_text(record, lambda printer: printer.case(case, record))


def rule_text(rule: RuleResult, record: Record) -> str:
    """Return one `rule` of `record` as plain text for the student."""
    return _plain_text(record, lambda printer: printer.rule(rule, record))


def _plain_text(record: Record, print_lines: Callable[[_Printer], None]) -> str:
    """Return the text that `print_lines` prints with a printer in the language of `record`."""
    text = StringIO()
    # On an old Windows console, rich would make lines one column shorter.
    console = Console(file=text, width=_TEXT_WIDTH, color_system=None, legacy_windows=False)
    print_lines(_Printer(console, Locale.for_record(record)))
    return text.getvalue().rstrip("\n")


class _Printer(Lines):
    """Prints the parts of a record to one console, in one language."""

    def record(self, record: Record, notes: Sequence[str], groups: Sequence[VisibleGroup]) -> None:
        """Print all of `record`: its result, `notes`, `groups`, rules, advice and isolation."""
        self.line((one_line(record.title), "bold"), f"  {one_line(record.student)}")
        self._result(record, groups)
        self.bullets(notes)
        self.blank()
        for group in groups:
            self._group(group, record)
        self._rules(record)
        self._advice(record)
        self._isolation(record)

    def _isolation(self, record: Record) -> None:
        """Print the isolation level, and a line for each gap in the isolation."""
        self.blank()
        self.line((level_text(record.conditions.isolation, self.locale), "dim"))
        for gap in gap_texts(record.conditions.layers, self.locale):
            self.line((gap, "dim"), prefix=("• ",))

    def case(self, case: CaseResult, record: Record) -> None:
        """Print a public `case` in full, or only the verdict of any other case."""
        if case.visibility is not Visibility.PUBLIC:
            self.cut_line(*badge(sign(case.verdict, self.locale)))
            return
        self._case(case_view(case, record, self.locale))

    def rule(self, rule: RuleResult, record: Record) -> None:
        self._rule(rule_view(rule, record, self.locale))

    def _rules(self, record: Record) -> None:
        """Print the rules that need attention, how many are kept, and how many were skipped."""
        rules = rules_view(record, self.locale)
        if rules is None:
            return
        self.blank()
        self.cut_line(
            (f"{rules.sign.glyph} ", STYLES[rules.sign.tone]),
            (self.locale("rules"), "bold"),
            f"  {rules.tally}",
        )
        for number, rule in enumerate(rules.pressing):
            if number:
                self.blank()
            self._rule(rule)
        if rules.skipped:
            if rules.pressing:
                self.blank()
            text = self.locale("rules_skipped", count=len(rules.skipped))
            self.line((f"{rules.skipped[0].sign.glyph} {text}", "dim"), indent=2)

    def _rule(self, rule: RuleView) -> None:
        """Print one rule in full."""
        self.cut_line(*badge(rule.sign), f"  {rule.cost}" if rule.cost else "", indent=2)
        self.line((rule.demand, "bold"), indent=INDENT)
        for sentence in rule.evidence:
            self.line(sentence, indent=INDENT)
        if rule.note is not None:
            self.line((rule.note, "italic"), indent=INDENT)
        self._places(rule.hits, rule.more)
        if rule.spec is not None:
            self.line((rule.spec.text, "dim"), indent=INDENT)

    def _places(self, hits: Sequence[HitView], more: str | None) -> None:
        for hit in hits:
            self.cut_line((hit.short, "dim"), f"  {hit.code}", indent=INDENT)
        if more is not None:
            self.line((more, "dim"), indent=INDENT)

    def _advice(self, record: Record) -> None:
        """Print the best pieces of advice, and how many are omitted."""
        items = advice_views(record, self.locale, _MAX_ADVICE)
        if not items:
            return
        self.blank()
        self.line((self.locale("advice"), "bold"))
        self.line((self.locale("advice_why"), "dim"))
        for item in items:
            self.line(item.said, prefix=("• ",), indent=2)
            self._places(item.hits, item.more)
        more = advice_left_out(record, self.locale, _MAX_ADVICE)
        if more is not None:
            self.line((more, "dim"), indent=2)

    def _result(self, record: Record, groups: Sequence[VisibleGroup]) -> None:
        """Print the score and the remarks, or why there is no score."""
        locale = self.locale
        line: list[Part] = [(score_text(record, locale), "bold"), "  ", *self.bar(record)]
        if record.status is Status.GRADED:
            self.line(*line)
            if (breakdown := score_breakdown(record, groups, locale)) is not None:
                self.line((breakdown, "dim"))
            for sentence in rules_effect(record, self.locale):
                self.line(sentence)
            self.bullets(map(self.locale.sentence, record.remarks))
            return
        tone = Tone.BAD if record.status is Status.UNGRADABLE else Tone.OUR_FAULT
        self.line((locale(f"notice_{record.status.value}"), f"bold {STYLES[tone]}"))
        self.line(locale(f"notice_{record.status.value}_text"))
        if record.remarks:
            self.line(locale("notice_found"))
        self.bullets(map(self.locale.sentence, record.remarks))
        self.line(*line)

    def _group(self, group: VisibleGroup, record: Record) -> None:
        """Print the line of `group`, its cases unless all are right, and its provisos."""
        tone = group.tone
        points = self.locale.points(group.points, group.max_points)
        self.cut_line(
            (f"{GLYPHS[tone]} ", STYLES[tone]),
            (one_line(group.title), "bold" if tone is not Tone.GOOD else ""),
            f"  {group.short_tally(self.locale)}",
            (f"  {points}" if self.console.width >= _MIN_WIDTH_FOR_POINTS else "", "dim"),
        )
        # If nothing was run, cases have nothing to show.
        shows_cases = tone is not Tone.GOOD and record.status is Status.GRADED
        if shows_cases:
            self._cases(group, record)
        self._provisos(group, record)
        if shows_cases:
            self.blank()

    def _cases(self, group: VisibleGroup, record: Record) -> None:
        """Print the first failing case in full, and the other failing cases on one line each.

        Also prints why cases were not tried, and how many hidden cases passed.
        """
        failing = [
            case_view(case, record, self.locale)
            for case in group.cases
            if case.verdict is not Verdict.PASSED
        ]
        first = next((case for case in failing if not case.is_brief), None)
        if first is not None:
            self._case(first)
            if len(failing) > 1 or group.hidden or any(_provisos(group)):
                self.blank()
        for skip in distinct_skips(failing):
            for sentence in skip.explanation:
                self.line((sentence, "dim"), indent=2)
            if skip.unnamed_cause is not None:
                self.block(skip.unnamed_cause.split("\n"))
        for case in failing:
            if case is not first:
                self.cut_line(*badge(case.sign), f"  {one_line(case.code)}", indent=2)
        self._hidden(group)

    def _provisos(self, group: VisibleGroup, record: Record) -> None:
        """Print each case of `group` that passed but has an explanation, with its provisos."""
        for case in _provisos(group):
            view = case_view(case, record, self.locale)
            self.cut_line(*badge(view.sign), f"  {one_line(view.code)}", indent=2)
            for sentence in view.proviso:
                self.line((sentence, "dim"), indent=INDENT)

    def _case(self, case: CaseView) -> None:
        """Print one case in full."""
        title = (f"  {case.title}", "dim") if case.title else ""
        self.cut_line(*badge(case.sign), title, indent=2)
        self.block(case.code.split("\n"), "bold")
        self.blank()
        for sentence in case.explanation:
            self.line(sentence, indent=INDENT)
        if case.unnamed_cause is not None:
            self.label(self.locale("cause"))
            self.block(case.unnamed_cause.split("\n"), indent=INDENT + 2)
        sides = text_sides(case.pictures) or case.sides
        if sides is not None:
            self.blank()
            self.sides(sides)
        for label, lines in text_below(case.pictures, self.locale):
            self.label(label)
            self.block(lines, indent=INDENT + 2)
        if case.transcript:
            self.label(self.locale("session"))
            for step in case.transcript:
                self.step(step)
        if case.source is not None:
            self.label(case.source)
            self.block(case.source_text.split("\n"), indent=INDENT + 2)
        if case.spec is not None:
            self.label(case.spec.text)

    def _hidden(self, group: VisibleGroup) -> None:
        if group.hidden is not None:
            self.line((self.locale.hidden(group.hidden), "dim"), indent=2)


def _provisos(group: VisibleGroup) -> Iterator[CaseResult]:
    """Yield the cases of `group` that passed but have an explanation."""
    return (case for case in group.cases if case.verdict is Verdict.PASSED and case.explanation)
