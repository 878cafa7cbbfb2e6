"""What `grader check` prints unless all is asked for: one screen, whatever was handed in.

The result, one failure with its session, a line for each part that fails, and what to do next. Each
has room of its own, so that no board and no text of a submission pushes out the others. What is
left out is counted.
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
"""Lines for the head if nothing has to be mended."""
_SESSION: Final = 10
_DIALOGUE: Final = 10
_STEPS: Final = 4
_STEP: Final = 2
_EXPLANATION: Final = (3, 10)
"""Lines for the explanation: at least, and at most if there is room."""
_SIDES: Final = (5, 15)
"""Lines for expected and got: at least, and at most."""
_LEAST_BELOW: Final = 5
"""With less room, nothing is drawn besides expected and got."""
_GROUPS: Final = 6
"""Lines kept for groups, if they need them."""
_ENDS: Final = 2
"""Sentences that are always shown: the first and the last."""
_RULES: Final = 2
_RULES_ALONE: Final = 6
_TOO_MANY: Final = 10_000
_REMARKS: Final = 6
_SYNTAX: Final = "ungradable.syntax"


def print_screen(
    record: Record,
    console: Console,
    *,
    only_first: bool = False,
    every_case: bool = False,
) -> None:
    """Print what helps most about `record` in its language, on at most `SCREEN_LINES` lines.

    With `only_first` that is the first failure alone. With `every_case` each case has a line, and
    there may be more lines.
    """
    screen = _Screen(console, Locale.of_record(record))
    for line in screen.lines_of(record, only_first=only_first, every_case=every_case):
        console.print(line, soft_wrap=True)


class _Screen(Lines):
    """Collects lines before they are printed, so that they can be counted."""

    def __init__(self, console: Console, locale: Locale) -> None:
        super().__init__(console, locale)
        self._kept: list[Text] = []
        self._gutters: list[list[Text]] = []

    def put(self, whole: Text) -> None:
        self._kept.append(whole)

    def lines_of(self, record: Record, *, only_first: bool, every_case: bool) -> list[Text]:
        """Return all lines about `record`."""
        if record.status is not Status.GRADED:
            return self._part(lambda: self._not_graded(record), SCREEN_LINES)
        groups = visible_groups(record)
        first = first_to_mend(record, groups)
        most = _HEAD if first else _WHOLE_HEAD
        head = self._part(lambda: self._head(record, groups, is_cut=first is not None), most)
        foot = [] if only_first else self._part(lambda: self._foot(record, groups), SCREEN_LINES)
        foot += self._part(lambda: self._next(record, groups), 1)
        if every_case:
            told = self._part(lambda: self._every_case(groups, record), _TOO_MANY)
            return [*head, Text(), *told, Text(), *foot]
        case = None if first is None else first.shown
        view = None if case is None else case_view(case, record, self.locale)
        rows = [] if only_first else self._rows_of(_failing(groups, record), record, case)
        room = SCREEN_LINES - len(head) - len(foot) - 2
        below = min(sum(len(row) for _, row in rows), _GROUPS)
        shown = self._first(first.group, view, room - below) if first else []
        told = self._fitted(rows, room - len(shown))
        return [*head, Text(), *shown, *([Text()] if shown and told else []), *told, *foot]

    def _part(self, prints: Callable[[], None], most: int) -> list[Text]:
        """Return what `prints` prints, cut to `most` lines."""
        # Into a list of its own, because parts nest.
        before, self._kept = self._kept, []
        prints()
        part, self._kept = self._kept, before
        if len(part) <= most:
            return part
        return [*part[: most - 1], self._left_out(len(part) - most + 1)]

    def _left_out(self, count: int) -> Text:
        left = self._part(lambda: self.cut_line((f"… (+{count})", "dim"), indent=INDENT), 1)
        return left[0]

    def _head(self, record: Record, groups: Sequence[VisibleGroup], *, is_cut: bool) -> None:
        self.cut_line((one_line(record.title), "bold"), f"  {one_line(record.student)}")
        self.cut_line((score_text(record, self.locale), "bold"), "  ", *self.bar(record))
        if (made_of := score_breakdown(record, groups, self.locale)) is not None:
            self.line((made_of, "dim"))
        remarks = *rules_effect(record, self.locale), *map(self.locale.tell, record.remarks)
        if not is_cut:
            self.bullets(map(one_line, remarks))
            return
        for remark in remarks:
            self.cut_line("• ", one_line(remark))

    def _not_graded(self, record: Record) -> None:
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
            self._kept += self._part(bullet, _REMARKS)

    def _syntax_error(self, said: Message, record: Record) -> None:
        """Print the lines around a syntax error, with a mark below it, and nothing else."""
        told = {key: str(value) for key, value in said.parameters}
        words = self.locale("screen_syntax", **dict(said.parameters))
        self.line((words, f"bold {STYLES[Tone.BAD]}"))
        number, column = int(told["line"]), int(told.get("column", 0))
        texts = [each.text for each in record.sources if one_line(each.name) == told["file"]]
        lines = texts[0].split("\n") if texts else []
        if 0 < number <= len(lines):
            self.lines_around(lines, number, column)
        else:
            self.lines_around([told["text"]], 1, column, before=number - 1)
        self.line(self.locale("screen_python", message=told["message"]), indent=2)

    def _first(self, group: VisibleGroup, view: CaseView | None, room: int) -> list[Text]:
        """Return what to mend first, in `group`: its session, the result, the place in the code."""
        title = one_line(group.title)
        shown = self._part(lambda: self.cut_line((f"{self.locale('first')}: {title}", "bold")), 1)
        if view is None:
            return shown
        shown += self._part(lambda: self._session(view), _SESSION + 1)
        shown += self._part(lambda: self._dialogue(view), _DIALOGUE)
        place = self._part(lambda: self._place(view), 1)
        (least_why, most_why), (least, most) = _EXPLANATION, _SIDES
        left = room - len(shown) - len(place)
        why = self._part(lambda: self._why(view), max(least_why, min(most_why, left - least)))
        left = max(least, min(most, left - len(why)))
        sides = self._sides_in(view, left)
        return [*shown, *why, *sides, *self._below(view, left - len(sides)), *place]

    def _session(self, view: CaseView) -> None:
        """Print the failing step and the steps that it needs; say where the others are."""
        steps = view.transcript or (StepView(prompts=((">>> ", view.code),), output=(), longest=0),)
        marked, kept = needed_steps(steps, _STEPS)
        shown = self._part(lambda: self._steps(steps, kept, _TOO_MANY), _TOO_MANY)
        is_cut = len(shown) > _SESSION
        if is_cut:
            shown = self._part(lambda: self._steps(steps, kept, 1), _SESSION)
        self._kept += shown
        if is_cut or len(kept) < len(steps):
            count = len(steps) - len(kept)
            told = self.locale("screen_steps", count=count) if count else self.locale("screen_cut")
            self.line((told, "dim"), indent=INDENT)
        output = steps[marked].output
        is_told = view.sides is not None and view.sides.got
        if output and not is_told and not _is_program(steps[marked]):
            self.cut_line(output[-1], indent=INDENT + 2)

    def _dialogue(self, view: CaseView) -> None:
        """Print the screen of a program that fails; what was typed is part of it."""
        for step in view.transcript:
            if step.is_marked and _is_program(step):
                for line in step.output:
                    self.cut_line(line, indent=INDENT)

    def _steps(self, steps: Sequence[StepView], kept: Sequence[int], most: int) -> None:
        """Print the `kept` steps, each on at most `most` lines, the last on two or more."""
        for number in kept:
            room = max(_STEP, most) if number == kept[-1] else most
            self._kept += self._part(partial(self._code_of, steps[number], room), room)

    def _code_of(self, step: StepView, room: int) -> None:
        glyph = f"{GLYPHS[Tone.BAD]} " if step.is_marked else "  "
        for number, (prompt, code) in enumerate(step.prompts):
            prefix = (glyph if number == 0 else "  ", "red"), (prompt, "dim")
            note = f"  # {step.note}" if step.note and number == len(step.prompts) - 1 else ""
            if room > 1:
                self.line(code, (note, "dim"), prefix=prefix, indent=2)
            else:
                self.cut_line(*prefix, code, (note, "dim"), indent=2)
        if not step.prompts:
            self.block(step.output)

    def _why(self, view: CaseView) -> None:
        for sentence in view.explanation:
            self.line(one_line(sentence), indent=INDENT)

    def _place(self, view: CaseView) -> None:
        if view.place is not None:
            file, line = view.place
            code = one_line(view.source_text.strip())
            self.cut_line((f"{one_line(file)}:{line}", "dim"), f"  {code}", indent=INDENT)

    def _sides_in(self, view: CaseView, room: int) -> list[Text]:
        """Return expected and got in `room`, from a line before the first difference."""
        parts: list[list[Text]] = []
        self._gutters = parts
        sides = text_sides(view.pictures) or view.sides
        if sides is not None:
            self.sides(sides)
        share = room // max(1, len(parts))
        return [line for part in parts for line in self._window(part, share)]

    def _below(self, view: CaseView, room: int) -> list[Text]:
        """Return what else is drawn as text in `room`, if that is enough for a few lines."""
        drawn = text_below(view.pictures, self.locale)
        lines = [line for label, below in drawn for line in (label, *below)]
        if not lines or room < _LEAST_BELOW:
            return []
        return self._part(lambda: self.block(lines, "dim"), room)

    def gutter(self, lines: list[Text], differing: list[bool]) -> None:
        self._gutters.append(
            self._part(lambda: super(_Screen, self).gutter(lines, differing), _TOO_MANY)
        )

    def _window(self, part: list[Text], room: int) -> list[Text]:
        """Return a label and what is below it, cut to `room`."""
        if len(part) <= room:
            return part
        label, *rows = part
        # For the label, and for the count of what is left out.
        room -= 2
        # `!` stands for ≠ on a console that cannot encode it.
        marked = (at for at, row in enumerate(rows) if row.plain.lstrip().startswith(("≠", "!")))
        start = max(0, min(next(marked, 0) - 1, len(rows) - room))
        return [label, *rows[start : start + room], self._left_out(len(rows) - room)]

    def _rows_of(
        self, groups: Sequence[VisibleGroup], record: Record, above: CaseResult | None
    ) -> list[tuple[bool, list[Text]]]:
        """Return the lines for `groups` that fail: those not tried for one reason share a row.

        The reason given `above` is not repeated. Each row says whether nothing of it was tried.
        """
        by_reason: dict[tuple[str, str], list[VisibleGroup]] = {}
        for group in groups:
            is_alike = group.tone is Tone.IDLE and group.cases
            by_reason.setdefault(
                (_reason(_failed(group)), "" if is_alike else group.id), []
            ).append(group)
        told = _reason(above)
        return [
            (
                not group_id,
                self._part(partial(self._row, alike, record, is_told=why == told), _TOO_MANY),
            )
            for (why, group_id), alike in by_reason.items()
        ]

    def _row(self, alike: Sequence[VisibleGroup], record: Record, *, is_told: bool) -> None:
        case = _failed(alike[0])
        why = () if case is None else case_view(case, record, self.locale).explanation
        short = _in_short(why, 3 * self.console.width)
        if len(alike) == 1:
            self._group(alike[0], "" if is_told else short)
            return
        glyph = (f"{GLYPHS[alike[0].tone]} ", STYLES[alike[0].tone])
        count = self.locale("screen_parts", count=len(alike))
        self.line((count, "bold"), (f"  {short}", "dim"), prefix=(glyph,))
        self.cut_line(", ".join(one_line(each.title) for each in alike), indent=2)

    def _fitted(self, rows: Sequence[tuple[bool, list[Text]]], room: int) -> list[Text]:
        """Return `rows` cut to `room`, at least a line each: those not tried are whole first.

        After these the shortest ones are.
        """
        left = room - len(rows)
        for _, row in sorted(rows, key=lambda each: (not each[0], len(each[1]))):
            if len(row) - 1 <= left:
                left -= len(row) - 1
                continue
            row[0].truncate(max(1, self.console.width - 4))
            row[:] = [row[0] + self._text((" …",))]
        return self._part(lambda: self._kept.extend(line for _, row in rows for line in row), room)

    def _group(self, group: VisibleGroup, why: str) -> None:
        title = (one_line(group.title), "bold")
        tally = f"  {group.short_tally(self.locale)}"
        glyph = (f"{GLYPHS[group.tone]} ", STYLES[group.tone])
        self.line(title, tally, (why and f"  {why}", "dim"), prefix=(glyph,))

    def _every_case(self, groups: Sequence[VisibleGroup], record: Record) -> None:
        for group in groups:
            self._group(group, "")
            for case in group.cases:
                view = case_view(case, record, self.locale)
                self.cut_line(*badge(view.sign), f"  {one_line(view.code)}", indent=2)

    def _foot(self, record: Record, groups: Sequence[VisibleGroup]) -> None:
        if good := sum(group.tone is Tone.GOOD for group in groups):
            told = self.locale("screen_right", count=good)
            self.cut_line((f"{GLYPHS[Tone.GOOD]} ", STYLES[Tone.GOOD]), told)
        if count := sum(each.demands - each.met for each in groups if _is_optional(each, record)):
            told = self.locale("screen_optional", count=count)
            self.cut_line((f"{GLYPHS[Tone.IDLE]} ", STYLES[Tone.IDLE]), told)
        hidden = [group.hidden for group in groups if group.hidden is not None]
        if hidden:
            count, met = sum(each.demands for each in hidden), sum(each.met for each in hidden)
            self.cut_line(self.locale("hidden", met=self.locale.number(met), count=count))
        most = _RULES if _failing(groups, record) else _RULES_ALONE
        self._kept += self._part(lambda: self._rules(record), most)
        if record.advice:
            self.cut_line((self.locale("screen_advice", count=len(record.advice)), "dim"))

    def _rules(self, record: Record) -> None:
        rules = rules_view(record, self.locale)
        for rule in rules.pressing if rules else ():
            place = f"  {rule.hits[0].short}" if rule.hits else ""
            style = STYLES[rule.sign.tone]
            self.cut_line((f"{rule.sign.glyph} ", style), one_line(rule.demand), (place, "dim"))
            if not rule.hits and rule.is_penalty:  # no place in the code says why
                self.line(*(one_line(said) for said in rule.evidence[:1]), indent=2)

    def _next(self, record: Record, groups: Sequence[VisibleGroup]) -> None:
        broken = any(rule.verdict is RuleVerdict.BROKEN for rule in record.rules)
        right = not broken and not _failing(groups, record)
        self.cut_line(self.locale("screen_done") if right else self.locale("screen_next"))


def _failing(groups: Sequence[VisibleGroup], record: Record) -> list[VisibleGroup]:
    """Return the `groups` in which something that counts is wrong."""
    failing = (group for group in groups if group.tone is not Tone.GOOD)
    return [group for group in failing if not _is_optional(group, record)]


def _is_optional(group: VisibleGroup, record: Record) -> bool:
    return record.max_score > 0 and not group.max_points


def _failed(group: VisibleGroup) -> CaseResult | None:
    return next((case for case in group.cases if case.verdict is not Verdict.PASSED), None)


def _reason(case: CaseResult | None) -> str:
    """Return why `case` failed, without the depth of calls, which varies from run to run."""
    if case is None:
        return ""
    said = [
        (each.key, *(p for p in each.parameters if p[0] != "depth")) for each in case.explanation
    ]
    return repr(said or case.verdict)


def _in_short(sentences: Sequence[str], most: int) -> str:
    """Return the first and last of `sentences`, and what else fits in `most` characters."""
    told: set[int] = set()
    left = most
    for at in dict.fromkeys((0, len(sentences) - 1, *range(len(sentences)))):
        if sentences and (len(told) < _ENDS or len(sentences[at]) < left):
            told.add(at)
            left -= len(sentences[at]) + 1
    return on_one_line(" ".join(sentences[at] for at in sorted(told)))


def _is_program(step: StepView) -> bool:
    return bool(step.prompts) and step.prompts[0][1].startswith(COMMAND)
