"""Prints the output of `grader check` without `--all`: one screen, whatever was handed in.

The screen shows the result, one failure with its session, a line for each failing part, and what to
do next. The lines of each section are limited, so that neither a board
nor a text from a submission displaces the other sections. Omitted lines are counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from rich.console import Console
from rich.text import Text

from grader.judging.record import CaseResult, Record
from grader.messages import Message
from grader.reporting.blocks import NO_LIMIT, Blocks
from grader.reporting.case_view import CaseView, case_view
from grader.reporting.lines import INDENT, STYLES, badge
from grader.reporting.mending import first_to_mend
from grader.reporting.picture_view import text_below, text_sides
from grader.reporting.rules_view import rules_effect, rules_view
from grader.reporting.session_view import StepView, needed_steps
from grader.reporting.visibility import VisibleGroup, score_breakdown, visible_groups
from grader.reporting.wording import GLYPHS, Locale, Tone, score_text
from grader.suite.texts import COMMAND_PREFIX
from grader.values.foreign_text import on_one_line, one_line
from grader.verdict import RuleVerdict, Status, Verdict

SCREEN_LINES: Final = 30
# The names that begin with `_MAX` are maximum numbers of lines, except `_MAX_STEPS`.
_MAX_HEAD: Final = 6
_MAX_HEAD_ALONE: Final = 10
"""The maximum if there is nothing to mend, so that more lines remain for remarks."""
_MAX_SESSION: Final = 10
_MAX_DIALOGUE: Final = 10
_MAX_STEPS: Final = 4
_MAX_LAST_STEP: Final = 2
_EXPLANATION_RANGE: Final = (3, 10)
"""The minimum and the maximum number of lines for the explanation."""
_SIDES_RANGE: Final = (5, 15)
"""The minimum and the maximum number of lines for the expected and the actual result."""
_MIN_DRAWING: Final = 5
"""If fewer lines remain, nothing is drawn except the expected and the actual result."""
_RESERVED_ROWS: Final = 6
"""Lines reserved for the rows of failing groups, if they need that many."""
_ALWAYS_SHOWN: Final = 2
"""The number of sentences that are always shown: the first and the last."""
_MAX_RULES: Final = 2
_MAX_RULES_ALONE: Final = 6
_MAX_REMARK: Final = 6
_SYNTAX_ERROR: Final = "ungradable.syntax"


def print_screen(
    record: Record,
    console: Console,
    *,
    only_first: bool = False,
    every_case: bool = False,
) -> None:
    """Print the most helpful facts about `record` in its language, on at most `SCREEN_LINES` lines.

    With `only_first`, only the first failure is printed. With `every_case`, each case has a line,
    and the number of lines is not limited.
    """
    screen = _Screen(console, Locale.for_record(record))
    for line in screen.lines_of(record, only_first=only_first, every_case=every_case):
        console.print(line, soft_wrap=True)  # lines are already wrapped


class _Screen(Blocks):
    """Makes the lines about a record, for one console and in one language."""

    def lines_of(self, record: Record, *, only_first: bool, every_case: bool) -> list[Text]:
        """Return the lines about `record`: head, first failure, rows of failing groups, and foot.

        With `every_case`, the cases of all groups replace the failure and the rows.
        """
        if record.status is not Status.GRADED:
            return self.collect(lambda: self._print_not_graded(record), SCREEN_LINES)
        groups = visible_groups(record)
        first = first_to_mend(record, groups)
        max_head = _MAX_HEAD if first else _MAX_HEAD_ALONE
        head = self.collect(lambda: self._head(record, groups, is_cut=first is not None), max_head)
        foot = [] if only_first else self.collect(lambda: self._foot(record, groups), SCREEN_LINES)
        foot += self.collect(lambda: self._advice_on_next(record, groups), 1)
        if every_case:
            body = self.collect(lambda: self._every_case(groups, record), NO_LIMIT)
            return [*head, Text(), *body, Text(), *foot]
        case = None if first is None else first.shown
        view = None if case is None else case_view(case, record, self.locale)
        rows = [] if only_first else self._rows_of(_failing(groups, record), record, case)
        # Two, for the blank lines after the head and after the first failure.
        lines_left = SCREEN_LINES - len(head) - len(foot) - 2
        reserved = min(sum(len(row) for _, row in rows), _RESERVED_ROWS)
        block = self._first_block(first.group, view, lines_left - reserved) if first else []
        cut_rows = self._fit_rows(rows, lines_left - len(block))
        return [*head, Text(), *block, *([Text()] if block and cut_rows else []), *cut_rows, *foot]

    def _head(self, record: Record, groups: Sequence[VisibleGroup], *, is_cut: bool) -> None:
        """Print title, score, breakdown and remarks; `is_cut` limits each remark to one line."""
        self.cut_line((one_line(record.title), "bold"), f"  {one_line(record.student)}")
        self.cut_line((score_text(record, self.locale), "bold"), "  ", *self.bar(record))
        if (breakdown := score_breakdown(record, groups, self.locale)) is not None:
            self.line((breakdown, "dim"))
        remarks = *rules_effect(record, self.locale), *map(self.locale.sentence, record.remarks)
        if not is_cut:
            self.bullets(map(one_line, remarks))
            return
        for remark in remarks:
            self.cut_line("• ", one_line(remark))

    def _print_not_graded(self, record: Record) -> None:
        """Print why `record` was not graded; if there is a syntax error, print only that."""
        tone = Tone.BAD if record.status is Status.UNGRADABLE else Tone.OUR_FAULT
        syntax_errors = [remark for remark in record.remarks if remark.key == _SYNTAX_ERROR]
        if syntax_errors:
            self._syntax_error(syntax_errors[0], record)
            return
        self.cut_line((one_line(record.title), "bold"), f"  {one_line(record.student)}")
        self.line((self.locale(f"notice_{record.status.value}"), f"bold {STYLES[tone]}"))
        self.line(self.locale(f"notice_{record.status.value}_text"))
        for remark in record.remarks:
            bullet = partial(self.bullets, [self.locale.sentence(remark)])
            self._lines += self.collect(bullet, _MAX_REMARK)

    def _syntax_error(self, message: Message, record: Record) -> None:
        """Print only the lines around a syntax error, with a mark below it."""
        parameters = {key: str(value) for key, value in message.parameters}
        sentence = self.locale("screen_syntax", **dict(message.parameters))
        self.line((sentence, f"bold {STYLES[Tone.BAD]}"))
        number, column = int(parameters["line"]), int(parameters.get("column", 0))
        texts = [
            source.text for source in record.sources if one_line(source.name) == parameters["file"]
        ]
        lines = texts[0].split("\n") if texts else []
        if 0 < number <= len(lines):
            self.lines_around(lines, number, column)
        else:  # the source is not in the record, so only the line in the message is known
            self.lines_around([parameters["text"]], 1, column, before=number - 1)
        self.line(self.locale("screen_python", message=parameters["message"]), indent=2)

    def _first_block(
        self, group: VisibleGroup, view: CaseView | None, max_lines: int
    ) -> list[Text]:
        """Return the block about what to mend first, in `group`: session, result and code.

        If `view` is None, only the heading is returned.
        """
        title = one_line(group.title)
        head = self.collect(lambda: self.cut_line((f"{self.locale('first')}: {title}", "bold")), 1)
        if view is None:
            return head
        head += self.collect(lambda: self._session(view), _MAX_SESSION + 1)
        head += self.collect(lambda: self._dialogue(view), _MAX_DIALOGUE)
        location = self.collect(lambda: self._location(view), 1)
        (min_why, max_why), (min_sides, max_sides) = _EXPLANATION_RANGE, _SIDES_RANGE
        lines_left = max_lines - len(head) - len(location)
        why = self.collect(
            lambda: self._explanation(view),
            max(min_why, min(max_why, lines_left - min_sides)),
        )
        lines_left = max(min_sides, min(max_sides, lines_left - len(why)))
        compared = text_sides(view.pictures) or view.sides
        sides = [] if compared is None else self.collect_sides(compared, lines_left)
        return [*head, *why, *sides, *self._drawings(view, lines_left - len(sides)), *location]

    def _session(self, view: CaseView) -> None:
        """Print the failing step and the steps that it needs, and how many steps are omitted.

        Also prints the failing step's last line of output, unless it is shown elsewhere.
        """
        steps = view.transcript or (StepView(prompts=((">>> ", view.code),), output=(), longest=0),)
        failing, indices = needed_steps(steps, _MAX_STEPS)
        lines = self.collect(lambda: self._steps(steps, indices, NO_LIMIT), NO_LIMIT)
        is_cut = len(lines) > _MAX_SESSION
        if is_cut:
            lines = self.collect(lambda: self._steps(steps, indices, 1), _MAX_SESSION)
        self._lines += lines
        if is_cut or len(indices) < len(steps):
            count = len(steps) - len(indices)
            text = self.locale("screen_steps", count=count) if count else self.locale("screen_cut")
            self.line((text, "dim"), indent=INDENT)
        output = steps[failing].output
        is_shown = view.sides is not None and view.sides.got
        if output and not is_shown and not _is_program(steps[failing]):
            self.cut_line(output[-1], indent=INDENT + 2)

    def _dialogue(self, view: CaseView) -> None:
        """Print the screen of a failing program, including the typed input."""
        for step in view.transcript:
            if step.is_marked and _is_program(step):
                for line in step.output:
                    self.cut_line(line, indent=INDENT)

    def _steps(self, steps: Sequence[StepView], indices: Sequence[int], max_lines: int) -> None:
        """Print the steps at `indices` on at most `max_lines` each; the last one can use two."""
        for index in indices:
            limit = max(_MAX_LAST_STEP, max_lines) if index == indices[-1] else max_lines
            self._lines += self.collect(partial(self._step_code, steps[index], limit), limit)

    def _step_code(self, step: StepView, max_lines: int) -> None:
        """Print the code of `step`, with long lines wrapped, or cut off if `max_lines` is 1.

        If it has no code, because it stands for omitted steps, its output is printed.
        """
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

    def _location(self, view: CaseView) -> None:
        """Print the file, line and code where the failure occurred, if they are known."""
        if view.place is not None:
            file, line = view.place
            code = one_line(view.source_text.strip())
            self.cut_line((f"{one_line(file)}:{line}", "dim"), f"  {code}", indent=INDENT)

    def _drawings(self, view: CaseView, max_lines: int) -> list[Text]:
        """Return further drawings as text on at most `max_lines`, or nothing if that is too few."""
        drawings = text_below(view.pictures, self.locale)
        lines = [line for label, rows in drawings for line in (label, *rows)]
        if not lines or max_lines < _MIN_DRAWING:
            return []
        return self.collect(lambda: self.block(lines, "dim"), max_lines)

    def _rows_of(
        self, groups: Sequence[VisibleGroup], record: Record, case_above: CaseResult | None
    ) -> list[tuple[bool, list[Text]]]:
        """Return a row of lines for each of the failing `groups`, and whether groups share it.

        Untried groups with the same reason share a row. If the reason is that of `case_above`, the
        case shown in full, a row with a single group omits it.
        """
        by_reason: dict[tuple[str, str], list[VisibleGroup]] = {}
        for group in groups:
            shares_row = group.tone is Tone.IDLE and group.cases
            by_reason.setdefault(
                (_reason(_first_failed(group)), "" if shares_row else group.id), []
            ).append(group)
        reason_above = _reason(case_above)
        return [
            (
                not group_id,
                self.collect(
                    partial(self._row, row_groups, record, is_repeated=reason == reason_above),
                    NO_LIMIT,
                ),
            )
            for (reason, group_id), row_groups in by_reason.items()
        ]

    def _row(self, groups: Sequence[VisibleGroup], record: Record, *, is_repeated: bool) -> None:
        """Print the row of `groups`, which fail for the same reason.

        The reason is omitted if there is only one group and `is_repeated` is set.
        """
        case = _first_failed(groups[0])
        explanation = () if case is None else case_view(case, record, self.locale).explanation
        summary = _shorten(explanation, 3 * self.console.width)
        if len(groups) == 1:
            self._group(groups[0], "" if is_repeated else summary)
            return
        glyph = (f"{GLYPHS[groups[0].tone]} ", STYLES[groups[0].tone])
        count = self.locale("screen_parts", count=len(groups))
        self.line((count, "bold"), (f"  {summary}", "dim"), prefix=(glyph,))
        self.cut_line(", ".join(one_line(group.title) for group in groups), indent=2)

    def _fit_rows(self, rows: Sequence[tuple[bool, list[Text]]], max_lines: int) -> list[Text]:
        """Return the lines of `rows`, cut to `max_lines`, with at least a line per row if possible.

        Each row is a pair: whether several groups share it, and its lines. Shared rows, and then
        the shortest rows, are kept complete as long as there is space. The other `rows` are
        changed: each is cut to its first line.
        """
        lines_left = max_lines - len(rows)
        for _, row in sorted(rows, key=lambda item: (not item[0], len(item[1]))):
            if len(row) - 1 <= lines_left:
                lines_left -= len(row) - 1
                continue
            row[0].truncate(max(1, self.console.width - 4))
            row[:] = [row[0] + self._text((" …",))]
        return self.collect(
            lambda: self._lines.extend(line for _, row in rows for line in row), max_lines
        )

    def _group(self, group: VisibleGroup, explanation: str) -> None:
        title = (one_line(group.title), "bold")
        tally = f"  {group.short_tally(self.locale)}"
        glyph = (f"{GLYPHS[group.tone]} ", STYLES[group.tone])
        self.line(title, tally, (explanation and f"  {explanation}", "dim"), prefix=(glyph,))

    def _every_case(self, groups: Sequence[VisibleGroup], record: Record) -> None:
        """Print a line for each of `groups`, followed by a line for each of its cases."""
        for group in groups:
            self._group(group, "")
            for case in group.cases:
                view = case_view(case, record, self.locale)
                self.cut_line(*badge(view.sign), f"  {one_line(view.code)}", indent=2)

    def _foot(self, record: Record, groups: Sequence[VisibleGroup]) -> None:
        """Print counts of right groups, optional cases and hidden cases, then rules and advice.

        Optional cases are counted only if they fail. Counts of zero are omitted.
        """
        if good_count := sum(group.tone is Tone.GOOD for group in groups):
            text = self.locale("screen_right", count=good_count)
            self.cut_line((f"{GLYPHS[Tone.GOOD]} ", STYLES[Tone.GOOD]), text)
        if count := sum(
            group.demands - group.met for group in groups if _is_optional(group, record)
        ):
            text = self.locale("screen_optional", count=count)
            self.cut_line((f"{GLYPHS[Tone.IDLE]} ", STYLES[Tone.IDLE]), text)
        tallies = [group.hidden for group in groups if group.hidden is not None]
        if tallies:
            count = sum(tally.demands for tally in tallies)
            met = sum(tally.met for tally in tallies)
            self.cut_line(self.locale("hidden", met=self.locale.number(met), count=count))
        max_rules = _MAX_RULES if _failing(groups, record) else _MAX_RULES_ALONE
        self._lines += self.collect(lambda: self._rules(record), max_rules)
        if record.advice:
            self.cut_line((self.locale("screen_advice", count=len(record.advice)), "dim"))

    def _rules(self, record: Record) -> None:
        """Print the rules that are broken or need review, each with its first location."""
        rules = rules_view(record, self.locale)
        for rule in rules.pressing if rules else ():
            location = f"  {rule.hits[0].short}" if rule.hits else ""
            style = STYLES[rule.sign.tone]
            self.cut_line((f"{rule.sign.glyph} ", style), one_line(rule.demand), (location, "dim"))
            if not rule.hits and rule.is_penalty:  # the evidence replaces the missing location
                self.line(*(one_line(message) for message in rule.evidence[:1]), indent=2)

    def _advice_on_next(self, record: Record, groups: Sequence[VisibleGroup]) -> None:
        broken = any(rule.verdict is RuleVerdict.BROKEN for rule in record.rules)
        is_right = not broken and not _failing(groups, record)
        self.cut_line(self.locale("screen_done") if is_right else self.locale("screen_next"))


def _failing(groups: Sequence[VisibleGroup], record: Record) -> list[VisibleGroup]:
    """Return the failing groups among `groups`, without optional ones."""
    failing = (group for group in groups if group.tone is not Tone.GOOD)
    return [group for group in failing if not _is_optional(group, record)]


def _is_optional(group: VisibleGroup, record: Record) -> bool:
    return record.max_score > 0 and not group.max_points


def _first_failed(group: VisibleGroup) -> CaseResult | None:
    return next((case for case in group.cases if case.verdict is not Verdict.PASSED), None)


def _reason(case: CaseResult | None) -> str:
    """Return a key for the reason why `case` failed, without the depth of calls, which varies.

    Without a case, returns an empty text.
    """
    if case is None:
        return ""
    facts = [
        (message.key, *((name, value) for name, value in message.parameters if name != "depth"))
        for message in case.explanation
    ]
    return repr(facts or case.verdict)


def _shorten(sentences: Sequence[str], max_chars: int) -> str:
    """Return the first and last of `sentences`, and those of the others that fit in `max_chars`."""
    chosen: set[int] = set()
    chars_left = max_chars
    # The first and the last sentence come first, so that the others get only what space they leave.
    for index in dict.fromkeys((0, len(sentences) - 1, *range(len(sentences)))):
        if sentences and (len(chosen) < _ALWAYS_SHOWN or len(sentences[index]) < chars_left):
            chosen.add(index)
            chars_left -= len(sentences[index]) + 1
    return on_one_line(" ".join(sentences[index] for index in sorted(chosen)))


def _is_program(step: StepView) -> bool:
    return bool(step.prompts) and step.prompts[0][1].startswith(COMMAND_PREFIX)
