"""The output of `grader check` as a judge for Dodona: one JSON command per line.

A judgement contains tabs, a tab contains contexts, a context contains testcases, and a testcase
contains tests. Commands open and close each of them. Here, a group is a tab, and a case is a
testcase in its own context. A case that passed or was not run has no test, because nothing was
compared.

Students read the output, so it shows only what their page shows. Text for staff has a `permission`,
so that Dodona hides it from students. After an error in the grader, all open levels are closed as
an internal error, which costs nobody points and is visible to staff.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, TypeAlias

from grader.judging.record import CaseResult, Record
from grader.plugins.ci.github import line_annotations
from grader.reporting.case_view import CaseView, case_view, spec_reference
from grader.reporting.formulas import with_plain_formulas
from grader.reporting.picture_view import picture_views
from grader.reporting.rendering import render_macro
from grader.reporting.rules_view import rules_view
from grader.reporting.shown_results import in_shorter_session, session_text
from grader.reporting.student_page import result_sentences
from grader.reporting.visibility import VisibleGroup, visible_groups
from grader.reporting.wording import DEFAULT_LANGUAGE, Locale, Tone, excerpt, is_right, score_text
from grader.values.foreign_text import one_line
from grader.verdict import RuleVerdict, Status, Verdict

MAX_BYTES: Final = 8_000_000
"""The limit on the output. Dodona accepts 10 MiB from a judge and drops longer output."""
_RESERVED_FOR_LINES: Final = 3_000_000
"""The bytes reserved for cases that are reported in a single line."""
_RESERVED_FOR_COUNTS: Final = 500_000
"""The bytes reserved for the counts of omitted cases, and for rules."""
_RESERVED_FOR_CLOSING: Final = 100_000
"""The bytes reserved for closing commands."""
_OUTPUT_CHARS: Final = 20_000
_OUTPUT_LINES: Final = 500
"""The limits on each expected or actual result."""
_TITLE_CHARS: Final = 200

INTERNAL: Final = "internal error"
COMPILATION: Final = "compilation error"
WRONG: Final = "wrong"
CORRECT: Final = "correct"
GRAVEST_FIRST: Final = (
    INTERNAL,
    COMPILATION,
    "memory limit exceeded",
    "time limit exceeded",
    "output limit exceeded",
    "runtime error",
    WRONG,
    CORRECT,
)
"""Dodona's statuses, the gravest first."""
STATUSES: Final = {
    Verdict.PASSED: CORRECT,
    Verdict.WRONG: WRONG,
    Verdict.ERROR: "runtime error",
    Verdict.TIMED_OUT: "time limit exceeded",
    Verdict.MEMORY: "memory limit exceeded",
    Verdict.OUTPUT: "output limit exceeded",
    Verdict.CRASHED: "runtime error",
    Verdict.EXITED: "runtime error",
    Verdict.FORBIDDEN: "runtime error",
    Verdict.TAMPERED: "runtime error",
    Verdict.SKIPPED: WRONG,
    Verdict.NOT_RUN: WRONG,
    Verdict.FAULT: INTERNAL,
}
"""Dodona's status for each verdict. It has none for cases that were not run: they are wrong."""
_NOT_PYTHON: Final = frozenset({"ungradable.syntax", "ungradable.pasted", "ungradable.newer"})
"""Keys of remarks that the code is not valid Python."""

_Command: TypeAlias = Mapping[str, Any]
_Fields: TypeAlias = Mapping[str, Any]
"""An object inside a command."""
_STRINGS: Final = re.compile(r'"(?:[^"\\]|\\.)*"')


def write_judgement(write: Callable[[str], object], make_record: Callable[[], Record]) -> None:
    """Call `make_record`, and write the judgement on its record line by line with `write`.

    Any exception, including one that `make_record` raises, is reported to Dodona as an internal
    error instead of being raised.
    """
    judgement = _Judgement(write)
    try:
        judgement.write_record(make_record())
    except Exception as error:  # noqa: BLE001 - Dodona shows no output of a judge that fails
        judgement.give_up(f"{type(error).__name__}: {error}")


class _Judgement:
    """Writes one judgement, and tracks the open levels and the remaining bytes."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write: Final = write
        self._open_levels: Final[list[str]] = []
        self._bytes_left = MAX_BYTES
        self._locale = Locale.for_language(DEFAULT_LANGUAGE)
        self._emit({"command": "start-judgement"})

    def write_record(self, record: Record) -> None:
        """Write the judgement on `record`, up to the command that closes it."""
        locale = self._locale = Locale.for_record(record)
        is_graded = record.status is Status.GRADED
        groups = visible_groups(record) if is_graded else ()
        for command in (*_overall_messages(record, groups, locale), *_annotations(record)):
            self._emit(command)
        for group in groups:
            self._write_group(group, record)
        if is_graded:
            self._write_rules(record)
        accepted = is_graded and is_right(record)
        status = _status_field(
            _overall_status(record, groups, accepted=accepted), score_text(record, locale)
        )
        self._emit({"command": "close-judgement", "accepted": accepted, "status": status})

    def give_up(self, reason: str) -> None:
        """Close all open levels as an internal error, with `reason` in a message for staff."""
        title = self._locale("notice_fault")
        status = _status_field(INTERNAL, title)
        explanation = self._locale("notice_fault_text")
        while self._open_levels:
            level = self._open_levels[-1]
            if level == "judgement":
                self._emit(_append_message(explanation), ignores_limit=True)
                self._emit(
                    _append_message(one_line(reason, _OUTPUT_CHARS), permission="staff"),
                    ignores_limit=True,
                )
            # There is room for these commands: `_RESERVED_FOR_CLOSING` bytes.
            self._emit(
                {"command": f"close-{level}", **_FAILED_FIELDS[level](status)}, ignores_limit=True
            )

    def _write_group(self, group: VisibleGroup, record: Record) -> None:
        """Write the tab of `group`, with less detail or fewer cases if there is not enough room."""
        locale = self._locale
        self._emit({"command": "start-tab", "title": one_line(group.title, _TITLE_CHARS)})
        self._emit(_append_message(locale.points(group.points, group.max_points)))
        omitted = []
        for case in group.cases:
            full = _case_context(in_shorter_session(case, record), record, locale)
            minimal = _minimal_case(case, record, locale)
            # Room is kept for one line per case, so that a few long cases cannot hide all others.
            is_written = self._write_if_fits(full, _RESERVED_FOR_LINES)
            if not is_written and not self._write_if_fits(minimal, _RESERVED_FOR_COUNTS):
                omitted.append(case)
        if omitted:
            description = _append_message(locale("page_more", count=len(omitted)))
            all_passed = all(case.verdict is Verdict.PASSED for case in omitted)
            self._write_if_fits(_context(description, [], accepted=all_passed))
        self._write_if_fits(_hidden_context(group, record, locale))
        self._write_if_fits(_counterexample(group, record, locale), _RESERVED_FOR_LINES)
        self._emit({"command": "close-tab"})

    def _write_rules(self, record: Record) -> None:
        """Write a tab with the rules that the student has to see, if there are any."""
        rules = rules_view(record, self._locale)
        if rules is None or not rules.pressing:
            return
        self._emit({"command": "start-tab", "title": self._locale("rules")})
        costly = {
            self._locale.sentence(rule.demand)
            for rule in record.rules
            if rule.costs and rule.verdict is RuleVerdict.BROKEN
        }
        for rule in rules.pressing:
            lines = [*rule.evidence, *filter(None, (rule.cost, rule.note))]
            lines += [f"{hit.short}: {hit.code}" for hit in rule.hits]
            description = _html_text(rule.demand)
            self._write_if_fits(
                _context(description, map(_append_prose, lines), accepted=rule.demand not in costly)
            )
        self._emit({"command": "close-tab"})

    def _write_if_fits(
        self, commands: Iterable[_Command], reserved: int = _RESERVED_FOR_CLOSING
    ) -> bool:
        """Write all `commands` if that leaves `reserved` bytes, otherwise none.

        Return whether they were written. The commands must close all levels that they open.
        """
        # A list, because the commands are read twice, first to compute their size.
        command_list = list(commands)
        if (
            sum(len(_encode_command(command)) for command in command_list)
            > self._bytes_left - reserved
        ):
            return False
        for command in command_list:
            self._emit(command)
        return True

    def _emit(self, command: _Command, *, ignores_limit: bool = False) -> None:
        """Write one command, and update the open levels and the remaining bytes.

        Raises `ValueError` if it does not fit, unless `ignores_limit` is true.
        """
        line = _encode_command(command)
        # The line is ASCII, so its length is its size in bytes.
        if len(line) > self._bytes_left and not ignores_limit:
            raise ValueError(
                f"the judgement exceeds {MAX_BYTES:,} bytes, the limit on output for Dodona:"
                " shorten the suite or its texts"
            )
        verb, _, level = command["command"].partition("-")
        if verb == "close":
            self._open_levels.pop()
        elif verb == "start":
            self._open_levels.append(level)
        self._bytes_left -= len(line)
        self._write(line)


_FAILED_FIELDS: Final[Mapping[str, Callable[[_Fields], _Fields]]] = {
    "judgement": lambda status: {"accepted": False, "status": status},
    "tab": lambda _: {},
    "context": lambda _: {"accepted": False},
    "testcase": lambda _: {"accepted": False},
    "test": lambda status: {"accepted": False, "generated": "", "status": status},
}
"""Functions that return the fields to close each level after an error, with this status."""


def _encode_command(command: _Command) -> str:
    """Return `command` as a line of ASCII text.

    Dodona splits its input between a closing and an opening brace, even inside strings, so opening
    braces in strings are escaped.
    """
    text = json.dumps(command, separators=(",", ":"))
    return _STRINGS.sub(lambda match: match[0].replace("{", "\\u007b"), text) + "\n"


def _status_field(enum: str, text: str) -> _Fields:
    return {"enum": enum, "human": text}


def _append_message(
    text: str, text_format: str = "plain", permission: str | None = None
) -> _Command:
    """Return the command that appends a message.

    If `permission` is given, only users with that role are allowed to read the message.
    """
    message = {"format": text_format, "description": text}
    if permission is not None:
        message["permission"] = permission
    return {"command": "append-message", "message": message}


def _html_text(text: str) -> _Fields:
    """Return the description for a sentence as HTML, with text between backticks as code."""
    return {"format": "html", "description": str(render_macro("prose", text))}


def _append_prose(text: str) -> _Command:
    return {"command": "append-message", "message": _html_text(text)}


def _overall_status(record: Record, groups: tuple[VisibleGroup, ...], *, accepted: bool) -> str:
    """Return Dodona's status for the whole record."""
    if record.status is Status.FAULT:
        return INTERNAL
    if record.status is Status.UNGRADABLE:
        is_python = _NOT_PYTHON.isdisjoint(remark.key for remark in record.remarks)
        return "runtime error" if is_python else COMPILATION
    if accepted:
        return CORRECT
    statuses = {STATUSES[case.verdict] for group in groups for case in group.cases}
    # At least wrong, because the failure can be in a hidden case or a rule.
    return min({WRONG, *statuses}, key=GRAVEST_FIRST.index)


def _overall_messages(
    record: Record, groups: tuple[VisibleGroup, ...], locale: Locale
) -> Iterator[_Command]:
    """Yield messages about the overall result: the status, sentences on the score, and remarks."""
    if record.status is not Status.GRADED:
        yield _append_message(locale(f"notice_{record.status.value}"))
        yield _append_message(locale(f"notice_{record.status.value}_text"))
    yield from map(_append_prose, result_sentences(record, groups, locale))
    yield from (_append_prose(locale.sentence(remark)) for remark in record.remarks)


def _annotations(record: Record) -> Iterator[_Command]:
    """Yield annotations for lines of the first file, which is the only one that Dodona shows."""
    name = record.sources[0].name if record.sources else None
    for file, line, text in line_annotations(record):
        if name in {None, file}:
            row = max(0, line - 1)  # Dodona counts lines from 0
            yield {"command": "annotate-code", "row": row, "text": text, "type": "error"}


def _context(
    message: _Fields, commands: Iterable[_Command], *, accepted: bool, title: str | None = None
) -> Iterator[_Command]:
    """Yield a context with one testcase, which contains `commands`.

    `message` describes the testcase: it is a description, or a command that appends a message.
    """
    description = message.get("message", message)
    title_field = (
        {} if title is None else {"description": {"format": "plain", "description": title}}
    )
    yield {"command": "start-context", **title_field}
    yield {"command": "start-testcase", "description": description}
    yield from commands
    yield {"command": "close-testcase", "accepted": accepted}
    yield {"command": "close-context", "accepted": accepted}


def _python_code(text: str) -> _Fields:
    return {"format": "python", "description": text}


def _case_context(case: CaseResult, record: Record, locale: Locale) -> Iterator[_Command]:
    """Return the context of a public `case`, with all details."""
    view = case_view(case, record, locale)
    commands = list(_test_commands(view, case, locale))
    accepted = case.verdict is Verdict.PASSED
    return _context(_python_code(view.code), commands, accepted=accepted, title=view.title)


def _test_commands(view: CaseView, case: CaseResult, locale: Locale) -> Iterator[_Command]:
    """Yield the test of a case that did not pass, or its explanation if nothing was compared."""
    if view.is_brief:  # nothing was compared
        yield from map(_append_prose, view.explanation)
        return
    yield {"command": "start-test", "expected": _output_excerpt(case.expected)}
    yield from map(_append_prose, view.beside_board if view.is_drawn else view.explanation)
    for picture in picture_views(view.pictures, locale):
        yield _append_message(str(render_macro("picture", locale, picture)), "html")
    if view.transcript and not view.is_whole:
        yield _append_message(locale("session"))
        yield _append_message(session_text(view), "python")
    if view.spec is not None:
        yield _append_message(view.spec.text)
    yield _close_test(view, case)


def _minimal_case(case: CaseResult, record: Record, locale: Locale) -> Iterator[_Command]:
    """Return the context of `case`, reduced to its code and its verdict."""
    minimal = replace(case, explanation=(), expected=None, got=None, transcript=(), pictures=())
    return _case_context(minimal, record, locale)


def _close_test(view: CaseView, case: CaseResult) -> _Command:
    status = _status_field(STATUSES[case.verdict], view.sign.word)
    return {"command": "close-test", "generated": _output_excerpt(case.got), "status": status}


def _output_excerpt(text: str | None) -> str:
    """Return an expected or actual result, truncated for Dodona, or "" if there is none."""
    return "" if text is None else excerpt(text, _OUTPUT_CHARS, _OUTPUT_LINES)


def _hidden_context(group: VisibleGroup, record: Record, locale: Locale) -> Iterator[_Command]:
    """Yield a context with the number of hidden demands of `group` that are met.

    It includes the clauses of the spec that students may see. Yields nothing if the group has no
    hidden demands.
    """
    if group.hidden is None:
        return
    clause_messages: list[_Command] = []
    for clause in group.clauses:
        spec_location = spec_reference(clause.line, record, locale)
        text = None if spec_location is None else spec_location.text
        if clause.quote is not None:
            text = locale("clause_quoted", quote=with_plain_formulas(clause.quote))
        clause_messages += [] if text is None else [_append_message(text)]
    accepted = group.hidden_tone is Tone.GOOD
    description = _append_message(locale.hidden(group.hidden))
    yield from _context(description, clause_messages, accepted=accepted)


def _counterexample(group: VisibleGroup, record: Record, locale: Locale) -> Iterator[_Command]:
    """Yield the context of the session that shows a mistake in hidden cases, if there is one."""
    if group.counterexample is not None:
        example = case_view(group.counterexample, record, locale)
        commands = [
            _append_message(locale("counterexample")),
            *_test_commands(example, group.counterexample, locale),
        ]
        yield from _context(_python_code(example.code), commands, accepted=False)
