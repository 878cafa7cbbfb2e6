"""Finds questions to ask a student about her own code, based on her results.

Each failure that her page lists as something to mend raises a question, in the same order. If only
hidden cases show how a group fails, the question shows one of them, because it is for staff. A
student with nothing to mend is asked about her longest function, and about how she keeps a rule.

Her code is not parsed, because indentation shows well enough where a function ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final, NamedTuple

from grader.judging.record import CaseResult, Record, SourceText
from grader.reporting.case_view import CaseView, case_view
from grader.reporting.mending import FirstToMend, things_to_mend
from grader.reporting.repair_view import repair_lines
from grader.reporting.session_view import needed_steps
from grader.reporting.student_page import stop_views
from grader.reporting.visibility import VisibleGroup, staff_groups, visible_groups
from grader.reporting.wording import Locale, Tone, tone_of
from grader.values.foreign_text import one_line
from grader.verdict import RuleVerdict, Status, Verdict, Visibility

_MAX_STEPS: Final = 3
"""How many steps of a session are shown with a question."""
_CODE_CHARS: Final = 90
_SIDE_CHARS: Final = 150
_NAME_CHARS: Final = 40
_MIN_FUNCTION_LINES: Final = 4
"""The minimum number of lines of a function that a question is asked about."""
_DEFINITION: Final = re.compile(r"[ \t]*(?:async +)?def +([^\W\d]\w*)")
_KIND_BY_KEY_START: Final = {
    "endless.": "endless",
    "error.recursion": "endless",
    "error.too_deep": "endless",
    "error.assertion": "refused",
    "error.in_step": "wrong",
    "error.": "error",
    "raises.": "allowed",
    "unchanged.": "changed",
    "skipped.module": "load",
    "skipped.name_stopped": "load",
    "skipped.name": "missing",
    "died.timed_out": "stop",
    "died.memory": "stop",
    "died.output": "stop",
    "died.crashed": "stop",
    "died.": "outside",
    "wrong.": "wrong",
}
"""The kinds of questions, keyed by the start of a message key; the first match counts."""
_KIND_WITHOUT_LINE: Final = {"endless": "stop", "error": "wrong", "refused": "wrong"}
"""Kinds of questions that need a line of code, with the kind to ask if no line is known."""
_KIND_BY_VERDICT: Final = {
    Verdict.ERROR: "error",
    Verdict.TIMED_OUT: "stop",
    Verdict.MEMORY: "stop",
    Verdict.OUTPUT: "stop",
    Verdict.CRASHED: "stop",
    Verdict.EXITED: "outside",
    Verdict.FORBIDDEN: "outside",
    Verdict.TAMPERED: "outside",
}
QUESTION_KINDS: Final = frozenset({*_KIND_BY_KEY_START.values(), *_KIND_BY_VERDICT.values()})
"""All kinds of questions that failures raise."""
_REFUSAL_STARTS: Final = ("raise", "assert")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, with the information that the person who asks it needs."""

    asked: str
    about: str = ""
    """The id of the group, or the name of the file, that it is about, if any."""
    part: str | None = None
    """The title of the part that it is about, with the points lost."""
    why: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    """The steps that lead to the failure, as typed at a prompt."""
    expected: str | None = None
    """The expected result."""
    got: str | None = None
    """The actual result."""
    place: str | None = None
    lines: tuple[tuple[str, str], ...] = ()
    """The lines of code in question, each with its number."""
    repair: tuple[str, ...] = ()
    """The lines that a proven repair removes and adds, each after a sign and its line number."""


def questions(record: Record, locale: Locale, max_questions: int) -> tuple[Question, ...]:
    """Return the questions that `record` raises, at most `max_questions`.

    They are about the reasons why nothing could be run, about failures, or, if nothing fails, about
    the code. A record with a failure of ours raises no questions.
    """
    if record.status is Status.FAULT:
        return ()
    if record.status is Status.UNGRADABLE:
        return tuple(islice(_questions_about_stops(record, locale), max_questions))
    failing = tuple(islice(_questions_about_failures(record, locale), max_questions))
    return failing or tuple(islice(_questions_about_code(record, locale), max_questions))


def _groups_to_ask_about(record: Record) -> Iterator[VisibleGroup]:
    """Yield each group of `record`, as students see it if a public case fails, or else in full."""
    visible = {group.id: group for group in visible_groups(record)}
    for group in staff_groups(record):
        visible_group = visible.get(group.id)
        cases = () if visible_group is None else visible_group.cases
        public_fails = any(tone_of(case.verdict) is Tone.BAD for case in cases)
        yield visible_group if visible_group is not None and public_fails else group


def _questions_about_stops(record: Record, locale: Locale) -> Iterator[Question]:
    """Yield a question for each reason why the submission could not be run."""
    for stop in stop_views(record, locale):
        lines = tuple((line.number, line.text) for line in stop.lines if line.caret is not None)
        yield Question(asked=locale("sheet_ask_load"), why=(stop.said,), lines=lines)


def _questions_about_failures(record: Record, locale: Locale) -> Iterator[Question]:
    """Yield a question for each failure to mend, without repeats.

    One question is enough for a line of code, and for parts that fail alike. A step that was not
    tried because an earlier step failed raises no question, because the earlier step does.
    """
    topics = set[object]()
    for mistake in things_to_mend(record, tuple(_groups_to_ask_about(record))):
        explanation = () if mistake.shown is None else mistake.shown.explanation
        if any(sentence.key == "skipped.step" for sentence in explanation):
            continue
        question = _question_about(mistake, record, locale)
        topic = question.place or (question.asked, question.why)
        if topic not in topics:
            topics.add(topic)
            yield question


def _question_about(mistake: FirstToMend, record: Record, locale: Locale) -> Question:
    """Return the question about one `mistake`."""
    part = f"{one_line(mistake.group.title, _NAME_CHARS)} (−{locale.number(mistake.points_lost)})"  # noqa: RUF001 - a minus
    if mistake.shown is None:
        repair = repair_lines(mistake.group.id, record)
        return Question(
            asked=locale("sheet_ask_part"), about=mistake.group.id, part=part, repair=repair
        )
    case, view = mistake.shown, case_view(mistake.shown, record, locale)
    is_compared = view.sides is not None
    lines = () if case.source is None else ((str(case.source.line), view.source_text),)
    return Question(
        asked=_question_text(case, locale),
        about=mistake.group.id,
        part=part if not _is_hidden(case, record) else f"{part}, {locale('sheet_hidden')}",
        why=view.explanation[:2],
        steps=tuple(_steps(view)),
        expected=_result_line(case.expected) if is_compared else None,
        got=_result_line(case.got) if is_compared else None,
        place=view.source,
        lines=lines,
        repair=repair_lines(mistake.group.id, record),
    )


def _is_hidden(case: CaseResult, record: Record) -> bool:
    """Return whether `case` is not public, so the student has not seen it."""
    return any(
        result.id == case.id and result.visibility is not Visibility.PUBLIC
        for result in record.cases
    )


def _result_line(text: str | None) -> str | None:
    return None if text is None else one_line(text, _SIDE_CHARS)


def _steps(view: CaseView) -> Iterator[str]:
    """Yield a few steps that lead to the failure, each on one line.

    Without a transcript, the code of the case is the only step.
    """
    if not view.transcript:
        yield one_line(view.code, _CODE_CHARS)
        return
    _, indices = needed_steps(view.transcript, _MAX_STEPS)
    for index in indices:
        code = " ".join(line.strip() for _, line in view.transcript[index].prompts)
        if code:  # the gap for omitted steps has no code
            yield one_line(code, _CODE_CHARS)


def _question_text(case: CaseResult, locale: Locale) -> str:
    """Return the question to ask about `case`."""
    kind, parameters = _kind_and_parameters(case)
    source_line = None if case.source is None else str(case.source.line)
    line = parameters.get("line", source_line)  # for an endless function, the function's own line
    # Code that raises on purpose is asked about as a refusal, not as a mistake in that line.
    if kind == "error" and case.source is not None:
        kind = "refused" if case.source.text.strip().startswith(_REFUSAL_STARTS) else kind
    if kind in _KIND_WITHOUT_LINE and line is None:
        kind = _KIND_WITHOUT_LINE[kind]
    line_parameter = {"line": line} if kind in _KIND_WITHOUT_LINE and line is not None else {}
    name_parameter = {"name": parameters["name"]} if kind == "missing" else {}
    return locale(f"sheet_ask_{kind}", **line_parameter, **name_parameter)


def _kind_and_parameters(case: CaseResult) -> tuple[str, dict[str, str]]:
    """Return the kind of question that `case` raises, with parameters for its text.

    The parameters are those of the message that determines the kind, and of messages about endless
    recursion. If no message determines the kind, the verdict does, and there are no parameters.
    """
    for message in case.explanation:
        for start, kind in _KIND_BY_KEY_START.items():
            if message.key.startswith(start):
                endless = [
                    sentence for sentence in case.explanation if sentence.key.startswith("endless.")
                ]
                parameters = chain.from_iterable(
                    sentence.parameters for sentence in (message, *endless)
                )
                return kind, {name: one_line(str(value)) for name, value in parameters}
    return _KIND_BY_VERDICT.get(case.verdict, "wrong"), {}


def _questions_about_code(record: Record, locale: Locale) -> Iterator[Question]:
    """Yield questions for a student with nothing to mend.

    One is about the longest function, unless it is short, and one about a function that keeps a
    rule.
    """
    longest = max(
        (function for source in record.sources for function in _functions(source)),
        key=lambda function: function.last - function.first,
        default=None,
    )
    if longest is not None and longest.last - longest.first + 1 >= _MIN_FUNCTION_LINES:
        yield Question(
            asked=locale(
                "sheet_ask_lines",
                first=longest.first,
                last=longest.last,
                name=one_line(longest.name, _NAME_CHARS),
            ),
            about=longest.file,
            part=one_line(longest.file, _NAME_CHARS),
        )
    passed_rules = [rule for rule in record.rules if rule.verdict is RuleVerdict.PASSED]
    rule = next((rule for rule in passed_rules if rule.function is not None), None)
    if rule is not None:
        yield Question(asked=locale("sheet_ask_kept"), why=(locale.sentence(rule.demand),))


class _Function(NamedTuple):
    """A function, and the numbers of its first and last lines."""

    file: str
    name: str
    first: int
    last: int


def _functions(source: SourceText) -> Iterator[_Function]:
    """Yield the functions in `source`, from `def` to the last line that is indented further."""
    # The indentation, name and first line of each function that has not ended yet, outermost first.
    open_functions: list[tuple[int, str, int]] = []
    last = 0
    for number, line in enumerate(source.text.split("\n"), start=1):
        text = line.lstrip()
        if not text:
            continue
        indent = len(line) - len(text)
        if text[0] == "#" and open_functions and indent <= open_functions[-1][0]:
            continue  # only the next line shows whether the comment is inside the function
        # A bracket closed at the margin is still part of the function.
        while open_functions and indent <= open_functions[-1][0] and text[0] not in ")]}":
            _, name, first = open_functions.pop()
            yield _Function(source.name, name, first, last)
        if (definition := _DEFINITION.match(line)) is not None:
            open_functions.append((indent, definition[1], number))
        last = number
    yield from (_Function(source.name, name, first, last) for _, name, first in open_functions)
