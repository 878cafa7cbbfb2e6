"""What `grader check` prints unless all is asked for: one screen, whatever was handed in.

The result, one failure with its session, a line for each part that fails, and what to do next. Each
part of it has its own room, so that no board and no text of a submission pushes out the others.
What is left out is counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from grader.judging.record import LineStatus, Record
from grader.messages import Message
from grader.reporting.case_view import CaseView, StepView, case_view
from grader.reporting.lines import INDENT, STYLES, Lines, badge
from grader.reporting.mending import FirstToMend, first_to_mend
from grader.reporting.picture_view import text_below, text_sides
from grader.reporting.rules_view import rules_told, rules_view
from grader.reporting.visibility import VisibleGroup, visible_groups
from grader.reporting.wording import GLYPHS, Locale, Tone, score_text
from grader.suite.texts import COMMAND
from grader.values.foreign_text import one_line, shown_text
from grader.verdict import RuleVerdict, Status, Verdict

SCREEN_LINES: Final = 30
_HEAD: Final = 4
_WHOLE_HEAD: Final = 10
"""Lines for the head where nothing has to be mended."""
_SESSION: Final = 8
_DIALOGUE: Final = 10
_STEPS: Final = 4
_STEP: Final = 2
_EXPLANATION: Final = 3
_SIDES: Final = (5, 15)
"""Lines for expected and got: at least these, at most those."""
_LEAST_BELOW: Final = 5
"""With less room nothing is drawn besides expected and got."""
_GROUPS: Final = 3
"""Lines for groups, at least."""
_RULES: Final = 2
_RULES_ALONE: Final = 6
_TOO_MANY: Final = 10_000
_REMARKS: Final = 6
_AROUND: Final = 2
"""Lines of code shown before and after the one that is no Python."""
_LINE_CHARS: Final = 200
_MARKED: Final = frozenset({LineStatus.FAILED, LineStatus.CAUSE})
_SYNTAX: Final = "ungradable.syntax"
_WORD: Final = re.compile(r"[^\W\d]\w*")
_BINDS: Final = re.compile(r"(?:import|from|def|class)\b|[^\W\d]\w*(?: *,[\w, ]*)? *=(?!=)")


def print_screen(
    record: Record,
    console: Console,
    *,
    only_first: bool = False,
    every_case: bool = False,
) -> None:
    """Print what helps most of `record` in its language, on at most `SCREEN_LINES` lines.

    With `only_first` that is the first failure alone. With `every_case` each case has a line, and
    there may be more of them.
    """
    screen = _Screen(console, Locale.of_record(record))
    for line in screen.lines_of(record, only_first=only_first, every_case=every_case):
        console.print(line, soft_wrap=True)


class _Screen(Lines):
    """Puts lines together before they are printed, so that they can be counted."""

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
        head = self._part(lambda: self._head(record, is_cut=first is not None), most)
        foot = [] if only_first else self._part(lambda: self._foot(record, groups), SCREEN_LINES)
        foot += self._part(lambda: self._next(record, groups), 1)
        if every_case:
            told = self._part(lambda: self._every_case(groups, record), _TOO_MANY)
            return [*head, Text(), *told, Text(), *foot]
        failing = [] if only_first else [each for each in groups if each.tone is not Tone.GOOD]
        room = SCREEN_LINES - len(head) - len(foot) - 2
        shown = self._first(first, record, room - min(len(failing), _GROUPS)) if first else []
        room -= len(shown)
        told = self._part(lambda: self._failing(failing, record), room)
        return [*head, Text(), *shown, *([Text()] if shown and told else []), *told, *foot]

    def _part(self, prints: Callable[[], None], most: int) -> list[Text]:
        """Return what `prints` prints, on at most `most` lines."""
        before, self._kept = self._kept, []
        prints()
        part, self._kept = self._kept, before
        if len(part) <= most:
            return part
        return [*part[: most - 1], self._left_out(len(part) - most + 1)]

    def _left_out(self, count: int) -> Text:
        left = self._part(lambda: self.cut_line((f"… (+{count})", "dim"), indent=INDENT), 1)
        return left[0]

    def _head(self, record: Record, *, is_cut: bool) -> None:
        self.cut_line((one_line(record.title), "bold"), f"  {one_line(record.student)}")
        self.cut_line((score_text(record, self.locale), "bold"), "  ", *self.bar(record))
        remarks = *rules_told(record, self.locale), *map(self.locale.tell, record.remarks)
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
        """Print the lines around one that is no Python, with a mark below it, and nothing else."""
        told = {key: str(value) for key, value in said.parameters}
        number = int(told["line"])
        words = self.locale("screen_syntax", **dict(said.parameters))
        self.line((words, f"bold {STYLES[Tone.BAD]}"))
        texts = [each.text for each in record.sources if one_line(each.name) == told["file"]]
        lines = texts[0].split("\n") if texts else []
        if not 0 < number <= len(lines):
            lines, number, offset = [told["text"]], 1, int(told["line"]) - 1
        else:
            offset = 0
        width = len(str(number + offset + _AROUND))
        for at in range(max(1, number - _AROUND), min(len(lines), number + _AROUND) + 1):
            code = _code(lines[at - 1])
            self.cut_line((f"{at + offset:>{width}} | ", "dim"), code, indent=2)
            if at == number:
                start, mark = _mark(lines[at - 1], int(told.get("column", 0)))
                blanks = " " * cell_len(code[:start])
                self.cut_line((f"{'':>{width}} | ", "dim"), blanks, (mark, "red"), indent=2)
        self.line(told["message"], indent=2)

    def _first(self, first: FirstToMend, record: Record, room: int) -> list[Text]:
        """Return what to mend first: its session, what it gives, the place in the code."""
        title = one_line(first.group.title)
        shown = self._part(lambda: self.cut_line((f"{self.locale('first')}: {title}", "bold")), 1)
        if first.shown is None:
            return shown
        view = case_view(first.shown, record, self.locale)
        shown += self._part(lambda: self._session(view), _SESSION)
        shown += self._part(lambda: self._dialogue(view), _DIALOGUE)
        shown += self._part(lambda: self._why(view), _EXPLANATION)
        place = self._part(lambda: self._place(view), 1)
        least, most = _SIDES
        left = max(least, min(most, room - len(shown) - len(place)))
        sides = self._sides_in(view, left)
        return [*shown, *sides, *self._below(view, left - len(sides)), *place]

    def _session(self, view: CaseView) -> None:
        """Print the failing step and those that it needs; say how many others there are."""
        steps = view.transcript or (StepView(prompts=((">>> ", view.code),), output=(), longest=0),)
        marked, kept = _needed(steps)
        whole = self._part(lambda: self._steps(steps, kept, _STEP), _TOO_MANY)
        self._kept += (
            whole
            if len(whole) <= _SESSION
            else self._part(lambda: self._steps(steps, kept, 1), _SESSION)
        )
        output = steps[marked].output
        is_told = view.sides is not None and view.sides.got
        if output and not is_told and not _is_program(steps[marked]):
            self.cut_line(output[-1], indent=INDENT + 2)

    def _dialogue(self, view: CaseView) -> None:
        """Print what stood on the screen of a program that fails: what was typed is in it."""
        for step in view.transcript:
            if step.state in _MARKED and _is_program(step):
                for line in step.output:
                    self.cut_line(line, indent=INDENT)

    def _steps(self, steps: Sequence[StepView], kept: Sequence[int], most: int) -> None:
        """Print the steps that are `kept`, the last on two lines, the others on `most`."""
        before = 0
        for number in kept:
            if left_out := number - before:
                self.line((self.locale("steps_left_out", count=left_out), "dim"), indent=INDENT + 2)
            before = number + 1
            room = _STEP if number == kept[-1] else most
            self._kept += self._part(partial(self._code_of, steps[number], room), room)

    def _code_of(self, step: StepView, room: int) -> None:
        glyph = f"{GLYPHS[Tone.BAD]} " if step.state in _MARKED else "  "
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
        """Return expected and got in `room`, from a line before the first that differs."""
        parts: list[list[Text]] = []
        self._gutters = parts
        sides = text_sides(view.pictures) or view.sides
        if sides is not None:
            self.sides(sides)
        share = room // max(1, len(parts))
        return [line for part in parts for line in self._window(part, share)]

    def _below(self, view: CaseView, room: int) -> list[Text]:
        """Return what else is drawn as text in `room`, if a few lines of it have any."""
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
        """Return a label and what is below it in `room`."""
        if len(part) <= room:
            return part
        label, *rows = part
        room -= 2
        marked = (at for at, row in enumerate(rows) if row.plain.lstrip().startswith(("≠", "!")))
        start = max(0, min(next(marked, 0) - 1, len(rows) - room))
        return [label, *rows[start : start + room], self._left_out(len(rows) - room)]

    def _failing(self, groups: Sequence[VisibleGroup], record: Record) -> None:
        for group in groups:
            case = next((each for each in group.cases if each.verdict is not Verdict.PASSED), None)
            view = None if case is None else case_view(case, record, self.locale)
            why = "" if view is None else f"  {one_line(' '.join(view.explanation))}"
            self._group(group, why)

    def _group(self, group: VisibleGroup, why: str) -> None:
        style = STYLES[group.tone]
        title = (one_line(group.title), "bold")
        tally = f"  {group.met}/{group.demands}"
        self.cut_line((f"{GLYPHS[group.tone]} ", style), title, tally, (why, "dim"))

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
        hidden = [group.hidden for group in groups if group.hidden is not None]
        if hidden:
            count, met = sum(each.demands for each in hidden), sum(each.met for each in hidden)
            self.cut_line(self.locale("hidden", met=self.locale.number(met), count=count))
        most = _RULES_ALONE if good == len(groups) else _RULES
        self._kept += self._part(lambda: self._rules(record), most)
        if record.advice:
            self.cut_line((self.locale("screen_advice", count=len(record.advice)), "dim"))

    def _rules(self, record: Record) -> None:
        rules = rules_view(record, self.locale)
        for rule in rules.pressing if rules else ():
            place = f"  {rule.hits[0].short}" if rule.hits else ""
            style = STYLES[rule.sign.tone]
            self.cut_line((f"{rule.sign.glyph} ", style), one_line(rule.demand), (place, "dim"))
            if not rule.hits and rule.is_penalty:  # there is no place to look at
                self.line(*(one_line(said) for said in rule.evidence[:1]), indent=2)

    def _next(self, record: Record, groups: Sequence[VisibleGroup]) -> None:
        broken = any(rule.verdict is RuleVerdict.BROKEN for rule in record.rules)
        right = not broken and all(group.tone is Tone.GOOD for group in groups)
        self.cut_line(self.locale("screen_done") if right else self.locale("screen_next"))


def _is_program(step: StepView) -> bool:
    return bool(step.prompts) and step.prompts[0][1].startswith(COMMAND)


def _needed(steps: Sequence[StepView]) -> tuple[int, list[int]]:
    """Return which of `steps` fails, and which to show of it and those before it."""
    marked = next((at for at, each in enumerate(steps) if each.state in _MARKED), len(steps) - 1)
    binding = list(_binding(steps, marked))[: _STEPS - 1]
    latest = [at for at in range(marked - 1, -1, -1) if at not in binding]
    return marked, sorted({marked, *binding, *latest[: _STEPS - 1 - len(binding)]})


def _binding(steps: Sequence[StepView], marked: int) -> Iterator[int]:
    """Yield the steps that give the names a meaning which the step `marked` uses."""
    words = {*_WORD.findall(_text(steps[marked]))}
    for at in range(marked - 1, -1, -1):
        code = _text(steps[at])
        bound = _BINDS.match(code)
        if bound is not None and words & {*_WORD.findall(bound[0] if "=" in bound[0] else code)}:
            words |= {*_WORD.findall(code)}
            yield at


def _text(step: StepView) -> str:
    return "\n".join(code for _, code in step.prompts)


def _mark(line: str, column: int) -> tuple[int, str]:
    """Return where below `line`, as `_code` shows it, a mark stands: at `column`, if known."""
    code = _code(line)
    start = len(_code(line[: column - 1] + ".")) - 1 if column else 0
    if 0 < column <= len(line) + 1 and start <= len(code):
        return start, "^"
    start = len(code) - len(code.lstrip())
    return start, "^" * max(1, len(code) - start)


def _code(line: str) -> str:
    return shown_text(line.rstrip().expandtabs(4), _LINE_CHARS).split("\n", 1)[0]
