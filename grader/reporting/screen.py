"""What `grader check` prints without `--all`: one screen, whatever was handed in.

The result, one failure with its session, a line for each part that fails, and what to do next. Each
has a limit on its lines, so that no board and no text of a submission displaces the others. Omitted
lines are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from rich.console import Console
from rich.text import Text

from grader.judging.record import CaseResult, Record
from grader.messages import Message
from grader.reporting.case_view import CaseView, StepView, case_view, needed_steps
from grader.reporting.lines import INDENT, STYLES, Lines, badge
from grader.reporting.mending import first_to_mend
from grader.reporting.picture_view import text_below, text_sides
from grader.reporting.rules_view import rules_effect, rules_view
from grader.reporting.visibility import VisibleGroup, score_breakdown, visible_groups
from grader.reporting.wording import GLYPHS, Locale, Tone, score_text
from grader.suite.texts import COMMAND
from grader.values.foreign_text import on_one_line, one_line
from grader.verdict import RuleVerdict, Status, Verdict

SCREEN_LINES: Final = 30
_HEAD: Final = 6
_WHOLE_HEAD: Final = 10
"""Lines for the head if there is nothing to mend."""
_SESSION: Final = 10
_DIALOGUE: Final = 10
_STEPS: Final = 4
_STEP: Final = 2
_EXPLANATION: Final = (3, 10)
"""Minimum and maximum lines for the explanation."""
_SIDES: Final = (5, 15)
"""Minimum and maximum lines for expected and got."""
_MIN_DRAWING: Final = 5
"""With fewer lines left, nothing is drawn except expected and got."""
_GROUPS: Final = 6
"""Lines reserved for groups, if they need them."""
_ALWAYS_SHOWN: Final = 2
"""Sentences that are always shown: the first and the last."""
_RULES: Final = 2
_RULES_ALONE: Final = 6
_NO_LIMIT: Final = 10_000
_REMARKS: Final = 6
_SYNTAX: Final = "ungradable.syntax"


def print_screen(
    record: Record,
    console: Console,
    *,
    only_first: bool = False,
    every_case: bool = False,
) -> None:
    """Print the most helpful facts about `record` in its language, on at most `SCREEN_LINES` lines.

    With `only_first`, print only the first failure. With `every_case`, each case has a line, and
    the limit does not hold.
    """
    screen = _Screen(console, Locale.of_record(record))
    for line in screen.lines_of(record, only_first=only_first, every_case=every_case):
        console.print(line, soft_wrap=True)


class _Screen(Lines):
    """Collects lines before they are printed, so that they can be counted."""

    def __init__(self, console: Console, locale: Locale) -> None:
        super().__init__(console, locale)
        self._lines: list[Text] = []
        self._gutters: list[list[Text]] = []

    def put(self, text: Text) -> None:
        self._lines.append(text)

    def lines_of(self, record: Record, *, only_first: bool, every_case: bool) -> list[Text]:
        """Return all lines about `record`."""
        if record.status is not Status.GRADED:
            return self._block(lambda: self._not_graded(record), SCREEN_LINES)
        groups = visible_groups(record)
        first = first_to_mend(record, groups)
        max_head = _HEAD if first else _WHOLE_HEAD
        head = self._block(lambda: self._head(record, groups, is_cut=first is not None), max_head)
        foot = [] if only_first else self._block(lambda: self._foot(record, groups), SCREEN_LINES)
        foot += self._block(lambda: self._advice_on_next(record, groups), 1)
        if every_case:
            body = self._block(lambda: self._every_case(groups, record), _NO_LIMIT)
            return [*head, Text(), *body, Text(), *foot]
        case = None if first is None else first.shown
        view = None if case is None else case_view(case, record, self.locale)
        rows = [] if only_first else self._rows_of(_failing(groups, record), record, case)
        left = SCREEN_LINES - len(head) - len(foot) - 2
        reserved = min(sum(len(row) for _, row in rows), _GROUPS)
        shown = self._first_block(first.group, view, left - reserved) if first else []
        cut_rows = self._cut_rows(rows, left - len(shown))
        return [*head, Text(), *shown, *([Text()] if shown and cut_rows else []), *cut_rows, *foot]

    def _block(self, prints: Callable[[], None], max_lines: int) -> list[Text]:
        """Return the lines that `prints` prints, cut to `max_lines`."""
        # Into a separate list, because blocks nest.
        outer_lines, self._lines = self._lines, []
        prints()
        block, self._lines = self._lines, outer_lines
        if len(block) <= max_lines:
            return block
        return [*block[: max_lines - 1], self._left_out(len(block) - max_lines + 1)]

    def _left_out(self, count: int) -> Text:
        lines = self._block(lambda: self.cut_line((f"… (+{count})", "dim"), indent=INDENT), 1)
        return lines[0]

    def _head(self, record: Record, groups: Sequence[VisibleGroup], *, is_cut: bool) -> None:
        """Print title, score, its breakdown and remarks; with `is_cut` each remark has one line."""
        self.cut_line((one_line(record.title), "bold"), f"  {one_line(record.student)}")
        self.cut_line((score_text(record, self.locale), "bold"), "  ", *self.bar(record))
        if (breakdown := score_breakdown(record, groups, self.locale)) is not None:
            self.line((breakdown, "dim"))
        remarks = *rules_effect(record, self.locale), *map(self.locale.tell, record.remarks)
        if not is_cut:
            self.bullets(map(one_line, remarks))
            return
        for remark in remarks:
            self.cut_line("• ", one_line(remark))

    def _not_graded(self, record: Record) -> None:
        """Print why `record` was not graded."""
        tone = Tone.BAD if record.status is Status.UNGRADABLE else Tone.OURS
        syntax = [each for each in record.remarks if each.key == _SYNTAX]
        if syntax:
            self._syntax_error(syntax[0], record)
            return
        self.cut_line((one_line(record.title), "bold"), f"  {one_line(record.student)}")
        self.line((self.locale(f"notice_{record.status.value}"), f"bold {STYLES[tone]}"))
        self.line(self.locale(f"notice_{record.status.value}_text"))
        for remark in record.remarks:
            bullet = partial(self.bullets, [self.locale.tell(remark)])
            self._lines += self._block(bullet, _REMARKS)

    def _syntax_error(self, message: Message, record: Record) -> None:
        """Print only the lines around a syntax error, with a mark below it."""
        parameters = {key: str(value) for key, value in message.parameters}
        sentence = self.locale("screen_syntax", **dict(message.parameters))
        self.line((sentence, f"bold {STYLES[Tone.BAD]}"))
        number, column = int(parameters["line"]), int(parameters.get("column", 0))
        texts = [each.text for each in record.sources if one_line(each.name) == parameters["file"]]
        lines = texts[0].split("\n") if texts else []
        if 0 < number <= len(lines):
            self.lines_around(lines, number, column)
        else:
            self.lines_around([parameters["text"]], 1, column, before=number - 1)
        self.line(self.locale("screen_python", message=parameters["message"]), indent=2)

    def _first_block(
        self, group: VisibleGroup, view: CaseView | None, max_lines: int
    ) -> list[Text]:
        """Return what to mend first, in `group`: its session, result and place in the code."""
        title = one_line(group.title)
        shown = self._block(lambda: self.cut_line((f"{self.locale('first')}: {title}", "bold")), 1)
        if view is None:
            return shown
        shown += self._block(lambda: self._session(view), _SESSION + 1)
        shown += self._block(lambda: self._dialogue(view), _DIALOGUE)
        place = self._block(lambda: self._place(view), 1)
        (min_why, max_why), (min_sides, max_sides) = _EXPLANATION, _SIDES
        left = max_lines - len(shown) - len(place)
        why = self._block(
            lambda: self._explanation(view),
            max(min_why, min(max_why, left - min_sides)),
        )
        left = max(min_sides, min(max_sides, left - len(why)))
        sides = self._sides_block(view, left)
        return [*shown, *why, *sides, *self._drawn(view, left - len(sides)), *place]

    def _session(self, view: CaseView) -> None:
        """Print the failing step and the steps that it needs; say that the others are elsewhere."""
        steps = view.transcript or (StepView(prompts=((">>> ", view.code),), output=(), longest=0),)
        marked, shown_steps = needed_steps(steps, _STEPS)
        shown = self._block(lambda: self._steps(steps, shown_steps, _NO_LIMIT), _NO_LIMIT)
        is_cut = len(shown) > _SESSION
        if is_cut:
            shown = self._block(lambda: self._steps(steps, shown_steps, 1), _SESSION)
        self._lines += shown
        if is_cut or len(shown_steps) < len(steps):
            count = len(steps) - len(shown_steps)
            text = self.locale("screen_steps", count=count) if count else self.locale("screen_cut")
            self.line((text, "dim"), indent=INDENT)
        output = steps[marked].output
        is_shown = view.sides is not None and view.sides.got
        if output and not is_shown and not _is_program(steps[marked]):
            self.cut_line(output[-1], indent=INDENT + 2)

    def _dialogue(self, view: CaseView) -> None:
        """Print the screen of a program that fails, including what was typed."""
        for step in view.transcript:
            if step.is_marked and _is_program(step):
                for line in step.output:
                    self.cut_line(line, indent=INDENT)

    def _steps(self, steps: Sequence[StepView], shown: Sequence[int], max_lines: int) -> None:
        """Print the `shown` steps, each on at most `max_lines`, but the last on two or more."""
        for number in shown:
            limit = max(_STEP, max_lines) if number == shown[-1] else max_lines
            self._lines += self._block(partial(self._code_of, steps[number], limit), limit)

    def _code_of(self, step: StepView, max_lines: int) -> None:
        """Print the code of `step`, each line wrapped or cut off."""
        glyph = f"{GLYPHS[Tone.BAD]} " if step.is_marked else "  "
        for number, (prompt, code) in enumerate(step.prompts):
            prefix = (glyph if number == 0 else "  ", "red"), (prompt, "dim")
            note = f"  # {step.note}" if step.note and number == len(step.prompts) - 1 else ""
            if max_lines > 1:
                self.line(code, (note, "dim"), prefix=prefix, indent=2)
            else:
                self.cut_line(*prefix, code, (note, "dim"), indent=2)
        if not step.prompts:
            self.block(step.output)

    def _explanation(self, view: CaseView) -> None:
        for sentence in view.explanation:
            self.line(one_line(sentence), indent=INDENT)

    def _place(self, view: CaseView) -> None:
        if view.place is not None:
            file, line = view.place
            code = one_line(view.source_text.strip())
            self.cut_line((f"{one_line(file)}:{line}", "dim"), f"  {code}", indent=INDENT)

    def _sides_block(self, view: CaseView, max_lines: int) -> list[Text]:
        """Return expected and got in `max_lines`, from a line before the first difference."""
        blocks: list[list[Text]] = []
        self._gutters = blocks
        sides = text_sides(view.pictures) or view.sides
        if sides is not None:
            self.sides(sides)
        share = max_lines // max(1, len(blocks))
        return [line for block in blocks for line in self._cut_block(block, share)]

    def _drawn(self, view: CaseView, max_lines: int) -> list[Text]:
        """Return other drawings as text in `max_lines`, none if these are too few."""
        drawn = text_below(view.pictures, self.locale)
        lines = [line for label, rows in drawn for line in (label, *rows)]
        if not lines or max_lines < _MIN_DRAWING:
            return []
        return self._block(lambda: self.block(lines, "dim"), max_lines)

    def gutter(self, lines: list[Text], differing: list[bool]) -> None:
        self._gutters.append(
            self._block(lambda: super(_Screen, self).gutter(lines, differing), _NO_LIMIT)
        )

    def _cut_block(self, block: list[Text], max_lines: int) -> list[Text]:
        """Return `block`, a label and its rows, cut to `max_lines` with the first difference."""
        if len(block) <= max_lines:
            return block
        label, *rows = block
        max_lines -= 2  # for the label, and for the line that counts omitted ones
        # `!` stands for ≠ on a console that cannot encode it.
        marked = (i for i, row in enumerate(rows) if row.plain.lstrip().startswith(("≠", "!")))
        start = max(0, min(next(marked, 0) - 1, len(rows) - max_lines))
        return [label, *rows[start : start + max_lines], self._left_out(len(rows) - max_lines)]

    def _rows_of(
        self, groups: Sequence[VisibleGroup], record: Record, above: CaseResult | None
    ) -> list[tuple[bool, list[Text]]]:
        """Return a row of lines for each of the failing `groups`; untried ones share it by reason.

        The reason of the case `above` is not repeated. Each row has a flag: whether it is shared.
        """
        by_reason: dict[tuple[str, str], list[VisibleGroup]] = {}
        for group in groups:
            is_alike = group.tone is Tone.IDLE and group.cases
            by_reason.setdefault(
                (_reason(_first_failed(group)), "" if is_alike else group.id), []
            ).append(group)
        reason_above = _reason(above)
        return [
            (
                not group_id,
                self._block(
                    partial(self._row, alike, record, is_repeated=reason == reason_above),
                    _NO_LIMIT,
                ),
            )
            for (reason, group_id), alike in by_reason.items()
        ]

    def _row(self, alike: Sequence[VisibleGroup], record: Record, *, is_repeated: bool) -> None:
        """Print the row of `alike` groups, whose reason is omitted if it `is_repeated`."""
        case = _first_failed(alike[0])
        explanation = () if case is None else case_view(case, record, self.locale).explanation
        short = _shortened(explanation, 3 * self.console.width)
        if len(alike) == 1:
            self._group(alike[0], "" if is_repeated else short)
            return
        glyph = (f"{GLYPHS[alike[0].tone]} ", STYLES[alike[0].tone])
        count = self.locale("screen_parts", count=len(alike))
        self.line((count, "bold"), (f"  {short}", "dim"), prefix=(glyph,))
        self.cut_line(", ".join(one_line(each.title) for each in alike), indent=2)

    def _cut_rows(self, rows: Sequence[tuple[bool, list[Text]]], max_lines: int) -> list[Text]:
        """Return `rows` cut to `max_lines`, with at least one line each.

        Shared rows are kept whole first, then the shortest ones.
        """
        left = max_lines - len(rows)
        for _, row in sorted(rows, key=lambda each: (not each[0], len(each[1]))):
            if len(row) - 1 <= left:
                left -= len(row) - 1
                continue
            row[0].truncate(max(1, self.console.width - 4))
            row[:] = [row[0] + self._text((" …",))]
        return self._block(
            lambda: self._lines.extend(line for _, row in rows for line in row), max_lines
        )

    def _group(self, group: VisibleGroup, explanation: str) -> None:
        title = (one_line(group.title), "bold")
        tally = f"  {group.short_tally(self.locale)}"
        glyph = (f"{GLYPHS[group.tone]} ", STYLES[group.tone])
        self.line(title, tally, (explanation and f"  {explanation}", "dim"), prefix=(glyph,))

    def _every_case(self, groups: Sequence[VisibleGroup], record: Record) -> None:
        for group in groups:
            self._group(group, "")
            for case in group.cases:
                view = case_view(case, record, self.locale)
                self.cut_line(*badge(view.sign), f"  {one_line(view.code)}", indent=2)

    def _foot(self, record: Record, groups: Sequence[VisibleGroup]) -> None:
        """Print counts of what is right, optional and hidden, then rules and advice."""
        if good := sum(group.tone is Tone.GOOD for group in groups):
            text = self.locale("screen_right", count=good)
            self.cut_line((f"{GLYPHS[Tone.GOOD]} ", STYLES[Tone.GOOD]), text)
        if count := sum(each.demands - each.met for each in groups if _is_optional(each, record)):
            text = self.locale("screen_optional", count=count)
            self.cut_line((f"{GLYPHS[Tone.IDLE]} ", STYLES[Tone.IDLE]), text)
        hidden = [group.hidden for group in groups if group.hidden is not None]
        if hidden:
            count, met = sum(each.demands for each in hidden), sum(each.met for each in hidden)
            self.cut_line(self.locale("hidden", met=self.locale.number(met), count=count))
        max_rules = _RULES if _failing(groups, record) else _RULES_ALONE
        self._lines += self._block(lambda: self._rules(record), max_rules)
        if record.advice:
            self.cut_line((self.locale("screen_advice", count=len(record.advice)), "dim"))

    def _rules(self, record: Record) -> None:
        """Print the rules that are broken or need review, each with its first place in the code."""
        rules = rules_view(record, self.locale)
        for rule in rules.pressing if rules else ():
            place = f"  {rule.hits[0].short}" if rule.hits else ""
            style = STYLES[rule.sign.tone]
            self.cut_line((f"{rule.sign.glyph} ", style), one_line(rule.demand), (place, "dim"))
            if not rule.hits and rule.is_penalty:  # there is no line of code to point to
                self.line(*(one_line(message) for message in rule.evidence[:1]), indent=2)

    def _advice_on_next(self, record: Record, groups: Sequence[VisibleGroup]) -> None:
        broken = any(rule.verdict is RuleVerdict.BROKEN for rule in record.rules)
        is_right = not broken and not _failing(groups, record)
        self.cut_line(self.locale("screen_done") if is_right else self.locale("screen_next"))


def _failing(groups: Sequence[VisibleGroup], record: Record) -> list[VisibleGroup]:
    """Return the `groups` that lose points, or that fail if nothing has points."""
    failing = (group for group in groups if group.tone is not Tone.GOOD)
    return [group for group in failing if not _is_optional(group, record)]


def _is_optional(group: VisibleGroup, record: Record) -> bool:
    return record.max_score > 0 and not group.max_points


def _first_failed(group: VisibleGroup) -> CaseResult | None:
    return next((case for case in group.cases if case.verdict is not Verdict.PASSED), None)


def _reason(case: CaseResult | None) -> str:
    """Return why `case` failed as a key, without the depth of calls, which varies."""
    if case is None:
        return ""
    facts = [
        (each.key, *((name, value) for name, value in each.parameters if name != "depth"))
        for each in case.explanation
    ]
    return repr(facts or case.verdict)


def _shortened(sentences: Sequence[str], max_chars: int) -> str:
    """Return the first and last of `sentences`, and others while all fit in `max_chars`."""
    shown: set[int] = set()
    left = max_chars
    for index in dict.fromkeys((0, len(sentences) - 1, *range(len(sentences)))):
        if sentences and (len(shown) < _ALWAYS_SHOWN or len(sentences[index]) < left):
            shown.add(index)
            left -= len(sentences[index]) + 1
    return on_one_line(" ".join(sentences[index] for index in sorted(shown)))


def _is_program(step: StepView) -> bool:
    return bool(step.prompts) and step.prompts[0][1].startswith(COMMAND)
