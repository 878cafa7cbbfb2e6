"""What `grader check` and `grader show` print about one record.

Everything is put together as `rich.text.Text`, which rich shows as it stands: no markup, no emoji
codes, no links. Colour only repeats what a glyph or a word says already, so that nothing is lost
without a terminal, and what a terminal cannot encode is written as an escape. A terminal may be the
log of a CI system, which reads commands: no line holds one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from io import StringIO
from itertools import zip_longest
from typing import Final, TypeAlias

from rich.console import Console, OverflowMethod
from rich.text import Text

from grader.judging.record import CaseResult, LineStatus, Record, RuleResult
from grader.reporting.case_view import CaseView, StepView, case_view, skips
from grader.reporting.comparison import Comparison, Line
from grader.reporting.rules_view import (
    HitView,
    RuleView,
    advice_left_out,
    advice_views,
    rule_view,
    rules_told,
    rules_view,
)
from grader.reporting.visibility import VisibleGroup, visible_groups
from grader.reporting.wording import (
    GLYPHS,
    Locale,
    Tone,
    VerdictView,
    gap_texts,
    level_text,
    score_share,
    score_text,
    sign,
)
from grader.values.display import for_log, one_line
from grader.verdict import Status, Verdict, Visibility

Part: TypeAlias = str | tuple[str, str]
"""A piece of a line, with its style if it has one."""

_STYLES: Final = {Tone.GOOD: "green", Tone.BAD: "red", Tone.IDLE: "dim", Tone.OURS: "yellow"}
_ASCII_SIGNS: Final = {
    "✓": "+",
    "✗": "x",
    "–": "-",  # noqa: RUF001 - the dash of `GLYPHS`
    "≠": "!",
    "•": "*",
    "█": "#",
    "░": ".",
    "…": "...",
    "−": "-",  # noqa: RUF001 - before points that are lost
    "’": "'",  # noqa: RUF001 - of Dutch plurals
    "·": ".",
    "⏎": " / ",
}
_BAR_WIDTH: Final = 30
_INDENT: Final = 4
_BETWEEN: Final = 6
"""Blanks between expected and got, where they are next to each other."""
_TEXT_WIDTH: Final = 80
_MAX_ADVICE: Final = 5
_WIDE: Final = 60
"""From this width on, the line of a group has room for its points."""


def print_record(record: Record, console: Console, notes: Sequence[str] = ()) -> None:
    """Print what the student should know about `record`, in the record's language, and `notes`."""
    printer = _Printer(console, Locale.of(record.language))
    printer.record(record)
    printer.bullets(notes)


def case_text(case: CaseResult, record: Record) -> str:
    """Return what the student may know about one `case` of `record`, as plain text."""
    return _plain_text(record, lambda printer: printer.case(case, record))


def rule_text(rule: RuleResult, record: Record) -> str:
    """Return what the student should know about one `rule` of `record`, as plain text."""
    return _plain_text(record, lambda printer: printer.rule(rule, record))


def _plain_text(record: Record, prints: Callable[[_Printer], None]) -> str:
    text = StringIO()
    console = Console(file=text, width=_TEXT_WIDTH, color_system=None, legacy_windows=False)
    prints(_Printer(console, Locale.of(record.language)))
    return text.getvalue().rstrip("\n")


class _Printer:
    """Prints to one console, in one language."""

    def __init__(self, console: Console, locale: Locale) -> None:
        self._console = console
        self._locale = locale

    def record(self, record: Record) -> None:
        self._line((one_line(record.title), "bold"), f"  {one_line(record.student)}")
        self._result(record)
        self._console.print()
        for group in visible_groups(record):
            self._group(group, record)
        self._rules(record)
        self._advice(record)
        self._isolation(record)

    def _isolation(self, record: Record) -> None:
        """Tell what stood around the submission, and, line by line, what did not."""
        self._console.print()
        self._line((level_text(record.conditions.isolation, self._locale), "dim"))
        for gap in gap_texts(record.conditions.layers, self._locale):
            self._line((gap, "dim"), prefix=("• ",))

    def case(self, case: CaseResult, record: Record) -> None:
        if case.visibility is not Visibility.PUBLIC:
            self._one_line(*_badge(sign(case.verdict, self._locale)))
            return
        self._case(case_view(case, record, self._locale))

    def rule(self, rule: RuleResult, record: Record) -> None:
        self._rule(rule_view(rule, record, self._locale))

    def _rules(self, record: Record) -> None:
        """Print the rules that ask for something; the others are only counted."""
        rules = rules_view(record, self._locale)
        if rules is None:
            return
        self._console.print()
        self._one_line(
            (f"{rules.sign.glyph} ", _STYLES[rules.sign.tone]),
            (self._locale("rules"), "bold"),
            f"  {rules.tally}",
        )
        for number, rule in enumerate(rules.pressing):
            if number:
                self._console.print()
            self._rule(rule)
        if rules.skipped:
            if rules.pressing:
                self._console.print()
            told = self._locale("rules_skipped", count=len(rules.skipped))
            self._line((f"{rules.skipped[0].sign.glyph} {told}", "dim"), indent=2)

    def _rule(self, rule: RuleView) -> None:
        self._one_line(*_badge(rule.sign), f"  {rule.cost}" if rule.cost else "", indent=2)
        self._line((rule.demand, "bold"), indent=_INDENT)
        for sentence in rule.evidence:
            self._line(sentence, indent=_INDENT)
        if rule.note is not None:
            self._line((rule.note, "italic"), indent=_INDENT)
        self._places(rule.hits, rule.more)
        if rule.spec is not None:
            self._line((rule.spec.text, "dim"), indent=_INDENT)

    def _places(self, hits: Sequence[HitView], more: str | None) -> None:
        for hit in hits:
            self._one_line((hit.short, "dim"), f"  {hit.code}", indent=_INDENT)
        if more is not None:
            self._line((more, "dim"), indent=_INDENT)

    def _advice(self, record: Record) -> None:
        """Print the best pieces of advice; the page has more."""
        items = advice_views(record, self._locale, _MAX_ADVICE)
        if not items:
            return
        self._console.print()
        self._line((self._locale("advice"), "bold"))
        self._line((self._locale("advice_why"), "dim"))
        for item in items:
            self._line(item.said, prefix=("• ",), indent=2)
            self._places(item.hits, item.more)
        more = advice_left_out(record, self._locale, _MAX_ADVICE)
        if more is not None:
            self._line((more, "dim"), indent=2)

    def _result(self, record: Record) -> None:
        locale = self._locale
        line: list[Part] = [(score_text(record, locale), "bold"), "  ", *self._bar(record)]
        if record.status is Status.GRADED:
            self._line(*line)
            for sentence in rules_told(record, self._locale):
                self._line(sentence)
            self.bullets(map(self._locale.tell, record.remarks))
            return
        tone = Tone.BAD if record.status is Status.UNGRADABLE else Tone.OURS
        self._line((locale(f"notice_{record.status.value}"), f"bold {_STYLES[tone]}"))
        self._line(locale(f"notice_{record.status.value}_text"))
        if record.remarks:
            self._line(locale("notice_found"))
        self.bullets(map(self._locale.tell, record.remarks))
        self._line(*line)

    def bullets(self, sentences: Iterable[str]) -> None:
        for sentence in sentences:
            self._line(sentence, prefix=("• ",))

    def _bar(self, record: Record) -> Iterator[Part]:
        if (share := score_share(record)) is None:
            return
        width = min(_BAR_WIDTH, self._console.width // 3)
        full = int(share * width)
        yield "█" * full, _STYLES[Tone.GOOD]
        yield "░" * (width - full), "dim"

    def _group(self, group: VisibleGroup, record: Record) -> None:
        tone = group.tone
        points = self._locale.points(group.points, group.max_points)
        self._one_line(
            (f"{GLYPHS[tone]} ", _STYLES[tone]),
            (one_line(group.title), "bold" if tone is not Tone.GOOD else ""),
            f"  {group.met}/{group.demands}",
            (f"  {points}" if self._console.width >= _WIDE else "", "dim"),
        )
        # Of a submission that did not run at all, no case has anything to tell.
        if tone is not Tone.GOOD and record.status is Status.GRADED:
            self._cases(group, record)
            self._console.print()
        self._provisos(group, record)

    def _cases(self, group: VisibleGroup, record: Record) -> None:
        failing = [
            case_view(case, record, self._locale)
            for case in group.cases
            if case.verdict is not Verdict.PASSED
        ]
        first = next((case for case in failing if not case.is_brief), None)
        if first is not None:
            self._case(first)
            if len(failing) > 1 or group.hidden:
                self._console.print()
        for skip in skips(failing):
            for sentence in skip.explanation:
                self._line((sentence, "dim"), indent=2)
            if skip.unnamed_cause is not None:
                self._block(skip.unnamed_cause.split("\n"))
        for case in failing:
            if case is not first:
                self._one_line(*_badge(case.sign), f"  {one_line(case.code)}", indent=2)
        self._hidden(group)

    def _provisos(self, group: VisibleGroup, record: Record) -> None:
        """Print the cases that passed and of which there is something to say all the same."""
        for case in group.cases:
            if case.verdict is Verdict.PASSED and case.explanation:
                view = case_view(case, record, self._locale)
                self._one_line(*_badge(view.sign), f"  {one_line(view.code)}", indent=2)
                for sentence in view.proviso:
                    self._line((sentence, "dim"), indent=_INDENT)

    def _case(self, case: CaseView) -> None:
        title = (f"  {case.title}", "dim") if case.title else ""
        self._one_line(*_badge(case.sign), title, indent=2)
        self._block(case.code.split("\n"), "bold")
        self._console.print()
        for sentence in case.explanation:
            self._line(sentence, indent=_INDENT)
        if case.unnamed_cause is not None:
            self._label(self._locale("cause"))
            self._block(case.unnamed_cause.split("\n"), indent=_INDENT + 2)
        if case.sides is not None:
            self._console.print()
            self._sides(case.sides)
        if case.transcript:
            self._label(self._locale("session"))
            for step in case.transcript:
                self._step(step)
        if case.source is not None:
            self._label(case.source)
            self._block(case.source_text.split("\n"), indent=_INDENT + 2)
        if case.spec is not None:
            self._label(case.spec.text)

    def _hidden(self, group: VisibleGroup) -> None:
        if group.hidden is not None:
            self._line((self._locale.hidden(group.hidden), "dim"), indent=2)

    def _sides(self, sides: Comparison) -> None:
        """Print both sides next to each other where they fit, and else below each other."""
        left, right = self._side(sides.expected, "expected"), self._side(sides.got, "got")
        pairs = list(zip_longest(sides.expected, sides.got))
        differing = [sides.is_multiline and _pair_differs(pair) for pair in pairs]
        width = max((line.cell_len for line in left), default=0)
        together = width + max((line.cell_len for line in right), default=0)
        if left and right and together + _INDENT + _BETWEEN <= self._console.width:
            for line in left:
                line.pad_right(width - line.cell_len + _BETWEEN)
            both = [first + second for first, second in zip(left, right, strict=True)]
            self._gutter(both, differing)
            return
        self._gutter(left, differing)
        self._gutter(right, differing)

    def _side(self, lines: tuple[Line, ...], key: str) -> list[Text]:
        """Return the lines of one side, below its name."""
        if not lines:
            return []
        label = self._text(((self._locale(key), "dim"),))
        if len(lines) == 1 and not any(piece.text for piece in lines[0].pieces):
            return [label, self._text(((self._locale("nothing"), "italic dim"),))]
        style = f"underline {_STYLES[Tone.GOOD if key == 'expected' else Tone.BAD]}"
        return [
            label,
            *(
                self._text(tuple((p.text, style if p.differs else "") for p in line.pieces))
                for line in lines
            ),
        ]

    def _gutter(self, lines: list[Text], differing: list[bool]) -> None:
        """Print a label and the lines below it, with a sign before those that differ."""
        for text, differs in zip(lines, (False, *differing), strict=False):
            self._wrapped(text, self._text((("≠ " if differs else "  ", "red"),)), _INDENT - 2)

    def _step(self, step: StepView) -> None:
        marked = step.state in {LineStatus.FAILED, LineStatus.CAUSE}
        style = "dim italic" if step.state is LineStatus.NOT_REACHED else ""
        for number, (prompt, code) in enumerate(step.prompts):
            is_last = number == len(step.prompts) - 1
            note = f"  # {step.note}" if step.note and is_last else ""
            label = f"  ({step.label})" if step.label and not marked and is_last else ""
            gutter = (f"{GLYPHS[Tone.BAD]} " if marked and number == 0 else "  ", "red")
            rest = (code, style), (note + label, "dim")
            self._line(*rest, prefix=(gutter, (prompt, "dim")), indent=_INDENT)
        self._block(step.output, style, indent=_INDENT + 2)

    def _block(self, lines: Sequence[str], style: str = "", *, indent: int = _INDENT) -> None:
        for text in lines:
            self._line((text, style), indent=indent)

    def _label(self, text: str) -> None:
        self._console.print()
        self._line((text, "dim"), indent=_INDENT)

    def _one_line(self, *parts: Part, indent: int = 0) -> None:
        """Print `parts` on one line, cut off where the console ends."""
        text = self._text(parts)
        cut: OverflowMethod = "ellipsis" if self._encodable("…") == "…" else "crop"
        text.truncate(max(1, self._console.width - indent), overflow=cut)
        self._print(text, indent)

    def _line(self, *parts: Part, prefix: tuple[Part, ...] = (), indent: int = 0) -> None:
        """Print `parts` after `prefix`; what does not fit goes on below them."""
        self._wrapped(self._text(parts), self._text(prefix), indent)

    def _wrapped(self, text: Text, prefix: Text, indent: int) -> None:
        width = max(1, self._console.width - indent - prefix.cell_len)
        for number, line in enumerate(text.wrap(self._console, width, overflow="fold") or [Text()]):
            if number:
                self._print(line, indent + prefix.cell_len)
            else:
                self._print(prefix + line, indent)

    def _print(self, line: Text, indent: int) -> None:
        whole = Text(" " * indent) + line
        whole.rstrip()
        # Not in its parts: a whole line tells what it begins with, and what they make together.
        whole.plain = for_log(whole.plain)
        self._console.print(whole, soft_wrap=True)

    def _text(self, parts: tuple[Part, ...]) -> Text:
        text = Text()
        for part in parts:
            content, style = (part, "") if isinstance(part, str) else part
            text.append(self._encodable(content.expandtabs(4)), style or None)
        return text

    def _encodable(self, text: str) -> str:
        """Return `text` with whatever this console cannot write put in ASCII."""
        if self._can_write(text):
            return text
        return "".join(each if self._can_write(each) else _in_ascii(each) for each in text)

    def _can_write(self, text: str) -> bool:
        try:
            text.encode(self._console.encoding)
        except (UnicodeEncodeError, LookupError):
            return False
        return True


def _in_ascii(character: str) -> str:
    escaped = character.encode("ascii", "backslashreplace").decode("ascii")
    return _ASCII_SIGNS.get(character, escaped)


def _badge(shown: VerdictView) -> tuple[Part, ...]:
    style = _STYLES[shown.tone]
    return (f"{shown.glyph} ", style), (shown.word, style)


def _pair_differs(pair: tuple[Line | None, Line | None]) -> bool:
    return any(line is None or line.differs for line in pair)
