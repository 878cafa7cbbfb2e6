"""The output of `grader check` as a judge of Dodona: a JSON command per line.

A judgement holds tabs, a tab contexts, a context testcases, and a testcase tests; each is opened
and closed by a command. A group is a tab here, and a case is a testcase in its own context. A case
that passed, or was not run, has no test, as there is nothing to compare.

Students read it, so it says what their page does and nothing else. Text for staff has a
`permission`, so that Dodona hides it from students. After an error of ours, everything open is
closed as an internal error: that costs nobody points, and is noticed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, TypeAlias

from grader.judging.record import CaseResult, Record
from grader.plugins.ci.github import noted
from grader.reporting.case_view import CaseView, case_view, spec_place
from grader.reporting.formulas import with_plain_formulas
from grader.reporting.picture_view import picture_views
from grader.reporting.rendering import piece
from grader.reporting.rules_view import rules_view
from grader.reporting.shown_results import in_shorter_session, session_text
from grader.reporting.student_page import sentences
from grader.reporting.visibility import VisibleGroup, visible_groups
from grader.reporting.wording import DEFAULT_LANGUAGE, Locale, Tone, excerpt, is_right, score_text
from grader.values.foreign_text import one_line
from grader.verdict import RuleVerdict, Status, Verdict

MAX_BYTES: Final = 8_000_000
"""Dodona takes 10 MiB from a judge, and drops longer output altogether."""
_FOR_LINES: Final = 3_000_000
"""The part reserved for cases with one line only."""
_FOR_COUNTS: Final = 500_000
"""The part reserved for counts of further cases, and for rules."""
_FOR_THE_END: Final = 100_000
"""The part reserved for closing commands."""
_SIDE_CHARS: Final = 20_000
_SIDE_LINES: Final = 500
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
"""Dodona's status for each verdict; it has none for cases that were not run."""
_NOT_PYTHON: Final = frozenset({"ungradable.syntax", "ungradable.pasted", "ungradable.newer"})

_Command: TypeAlias = Mapping[str, Any]
_STRINGS: Final = re.compile(r'"(?:[^"\\]|\\.)*"')


def write_judgement(write: Callable[[str], object], make: Callable[[], Record]) -> None:
    """`write` the judgement on the record that `make` returns, line by line.

    Any exception, also in `make`, is reported as an internal error, and not raised.
    """
    judgement = _Judgement(write)
    try:
        judgement.tell(make())
    except Exception as error:  # noqa: BLE001 - Dodona shows nothing of a judge that fails itself
        judgement.give_up(f"{type(error).__name__}: {error}")


class _Judgement:
    """Writes one judgement, and tracks what is open."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write: Final = write
        self._open: Final[list[str]] = []
        self._left = MAX_BYTES
        self._locale = Locale.of(DEFAULT_LANGUAGE)
        self._say({"command": "start-judgement"})

    def tell(self, record: Record) -> None:
        """Write the judgement on `record`."""
        locale = self._locale = Locale.of_record(record)
        is_graded = record.status is Status.GRADED
        groups = visible_groups(record) if is_graded else ()
        for command in (*_said(record, groups, locale), *_annotations(record)):
            self._say(command)
        for group in groups:
            self._tab(group, record)
        if is_graded:
            self._rules(record)
        accepted = is_graded and is_right(record)
        status = _status(_of_all(record, groups, accepted=accepted), score_text(record, locale))
        self._say({"command": "close-judgement", "accepted": accepted, "status": status})

    def give_up(self, why: str) -> None:
        """Close everything open as an internal error; staff can read `why`."""
        human = self._locale("notice_fault")
        status = _status(INTERNAL, human)
        said = self._locale("notice_fault_text")
        while self._open:
            level = self._open[-1]
            if level == "judgement":
                self._say(_message(said), is_last=True)
                self._say(_message(one_line(why, _SIDE_CHARS), permission="staff"), is_last=True)
            # `_FOR_THE_END` keeps room for these.
            self._say({"command": f"close-{level}", **_FAILED[level](status)}, is_last=True)

    def _tab(self, group: VisibleGroup, record: Record) -> None:
        locale = self._locale
        self._say({"command": "start-tab", "title": one_line(group.title, _TITLE_CHARS)})
        self._say(_message(locale.points(group.points, group.max_points)))
        left_out = []
        for case in group.cases:
            full, bare = (
                _case(in_shorter_session(case, record), record, locale),
                _bare(case, record, locale),
            )
            if not self._fits(full, _FOR_LINES) and not self._fits(bare, _FOR_COUNTS):
                left_out.append(case)
        if left_out:
            told = _message(locale("page_more", count=len(left_out)))
            passed = all(case.verdict is Verdict.PASSED for case in left_out)
            self._fits(_context(told, [], accepted=passed))
        self._fits(_hidden(group, record, locale))
        self._fits(_example(group, record, locale), _FOR_LINES)
        self._say({"command": "close-tab"})

    def _rules(self, record: Record) -> None:
        rules = rules_view(record, self._locale)
        if rules is None or not rules.pressing:
            return
        self._say({"command": "start-tab", "title": self._locale("rules")})
        costly = {
            self._locale.tell(rule.demand)
            for rule in record.rules
            if rule.costs and rule.verdict is RuleVerdict.BROKEN
        }
        for rule in rules.pressing:
            lines = [*rule.evidence, *filter(None, (rule.cost, rule.note))]
            lines += [f"{hit.short}: {hit.code}" for hit in rule.hits]
            told = _prose(rule.demand)
            self._fits(_context(told, map(_told, lines), accepted=rule.demand not in costly))
        self._say({"command": "close-tab"})

    def _fits(self, commands: Iterable[_Command], kept: int = _FOR_THE_END) -> bool:
        """Write `commands`, which close what they open, if that leaves `kept` bytes."""
        # Read twice, first for the size.
        said = list(commands)
        if sum(len(_line(each)) for each in said) > self._left - kept:
            return False
        for each in said:
            self._say(each)
        return True

    def _say(self, command: _Command, *, is_last: bool = False) -> None:
        line = _line(command)
        # It is ASCII, so characters are bytes.
        if len(line) > self._left and not is_last:
            raise ValueError("there is more to be said than Dodona takes")
        verb, _, level = command["command"].partition("-")
        if verb == "close":
            self._open.pop()
        elif verb == "start":
            self._open.append(level)
        self._left -= len(line)
        self._write(line)


_FAILED: Final[Mapping[str, Callable[[_Command], _Command]]] = {
    "judgement": lambda status: {"accepted": False, "status": status},
    "tab": lambda _: {},
    "context": lambda _: {"accepted": False},
    "testcase": lambda _: {"accepted": False},
    "test": lambda status: {"accepted": False, "generated": "", "status": status},
}


def _line(command: _Command) -> str:
    """Return `command` as a line of ASCII.

    Dodona splits its input between a closing and an opening brace, even inside of strings, so
    opening braces in strings are escaped.
    """
    text = json.dumps(command, separators=(",", ":"))
    return _STRINGS.sub(lambda found: found[0].replace("{", "\\u007b"), text) + "\n"


def _status(enum: str, human: str) -> _Command:
    return {"enum": enum, "human": human}


def _message(text: str, format: str = "plain", permission: str | None = None) -> _Command:
    message = {"format": format, "description": text}
    if permission is not None:
        message["permission"] = permission
    return {"command": "append-message", "message": message}


def _prose(text: str) -> _Command:
    """Return a sentence as HTML; text between backticks is code."""
    return {"format": "html", "description": str(piece("prose", text))}


def _told(text: str) -> _Command:
    return {"command": "append-message", "message": _prose(text)}


def _of_all(record: Record, groups: tuple[VisibleGroup, ...], *, accepted: bool) -> str:
    """Return Dodona's status of the whole record."""
    if record.status is Status.FAULT:
        return INTERNAL
    if record.status is Status.UNGRADABLE:
        is_python = _NOT_PYTHON.isdisjoint(remark.key for remark in record.remarks)
        return "runtime error" if is_python else COMPILATION
    if accepted:
        return CORRECT
    found = {STATUSES[case.verdict] for group in groups for case in group.cases}
    # At least wrong: what failed may be a hidden case, or a rule.
    return min({WRONG, *found}, key=GRAVEST_FIRST.index)


def _said(record: Record, groups: tuple[VisibleGroup, ...], locale: Locale) -> Iterator[_Command]:
    """Yield the messages on the result as a whole."""
    if record.status is not Status.GRADED:
        yield _message(locale(f"notice_{record.status.value}"))
        yield _message(locale(f"notice_{record.status.value}_text"))
    yield from map(_told, sentences(record, groups, locale))
    yield from (_told(locale.tell(remark)) for remark in record.remarks)


def _annotations(record: Record) -> Iterator[_Command]:
    """Yield notes on lines of the one file that Dodona knows."""
    name = record.sources[0].name if record.sources else None
    for file, line, text in noted(record):
        if name in {None, file}:
            row = max(0, line - 1)  # Dodona counts from 0
            yield {"command": "annotate-code", "row": row, "text": text, "type": "error"}


def _context(
    told: _Command, inside: Iterable[_Command], *, accepted: bool, title: str | None = None
) -> Iterator[_Command]:
    """Yield a context with one testcase, with the message `told` and the commands `inside`."""
    description = told.get("message", told)
    named = {} if title is None else {"description": {"format": "plain", "description": title}}
    yield {"command": "start-context", **named}
    yield {"command": "start-testcase", "description": description}
    yield from inside
    yield {"command": "close-testcase", "accepted": accepted}
    yield {"command": "close-context", "accepted": accepted}


def _code(text: str) -> _Command:
    return {"format": "python", "description": text}


def _case(case: CaseResult, record: Record, locale: Locale) -> Iterator[_Command]:
    """Yield all there is to say of a public `case`."""
    view = case_view(case, record, locale)
    inside = list(_inside(view, case, locale))
    accepted = case.verdict is Verdict.PASSED
    return _context(_code(view.code), inside, accepted=accepted, title=view.title)


def _inside(view: CaseView, case: CaseResult, locale: Locale) -> Iterator[_Command]:
    if view.is_brief:  # nothing was compared
        yield from map(_told, view.explanation)
        return
    yield {"command": "start-test", "expected": _side(case.expected)}
    yield from map(_told, view.beside_board if view.is_drawn else view.explanation)
    for each in picture_views(view.pictures, locale):
        yield _message(str(piece("picture", locale, each)), "html")
    if view.transcript and not view.is_whole:
        yield _message(locale("session"))
        yield _message(session_text(view), "python")
    if view.spec is not None:
        yield _message(view.spec.text)
    yield _close_test(view, case)


def _bare(case: CaseResult, record: Record, locale: Locale) -> Iterator[_Command]:
    """Yield which `case` it is and what became of it, where there is no room for more."""
    bare = replace(case, explanation=(), expected=None, got=None, transcript=(), pictures=())
    return _case(bare, record, locale)


def _close_test(view: CaseView, case: CaseResult) -> _Command:
    status = _status(STATUSES[case.verdict], view.sign.word)
    return {"command": "close-test", "generated": _side(case.got), "status": status}


def _side(text: str | None) -> str:
    return "" if text is None else excerpt(text, _SIDE_CHARS, _SIDE_LINES)


def _hidden(group: VisibleGroup, record: Record, locale: Locale) -> Iterator[_Command]:
    """Yield how many demands of the hidden cases of `group` are met, and what may be told."""
    if group.hidden is None:
        return
    inside: list[_Command] = []
    for clause in group.clauses:
        place = spec_place(clause.line, record, locale)
        text = None if place is None else place.text
        if clause.quote is not None:
            text = locale("clause_quoted", quote=with_plain_formulas(clause.quote))
        inside += [] if text is None else [_message(text)]
    accepted = group.hidden_tone is Tone.GOOD
    told = _message(locale.hidden(group.hidden))
    yield from _context(told, inside, accepted=accepted)


def _example(group: VisibleGroup, record: Record, locale: Locale) -> Iterator[_Command]:
    """Yield the session that shows what goes wrong in hidden cases of `group`, if there is one."""
    if group.counterexample is not None:
        example = case_view(group.counterexample, record, locale)
        shown = [
            _message(locale("counterexample")),
            *_inside(example, group.counterexample, locale),
        ]
        yield from _context(_code(example.code), shown, accepted=False)
