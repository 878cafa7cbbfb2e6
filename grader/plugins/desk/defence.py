"""The oral defence of one student: the questions of the sheet, and notes on the answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from grader.judging.deciding import Decision, Subject, in_force
from grader.judging.record import Record
from grader.reporting.questions import Question, questions
from grader.reporting.wording import Locale
from grader.values.foreign_text import one_line
from grader.verdict import RuleVerdict

_MAX_QUESTIONS: Final = 8
"""More questions than fit in a quarter of an hour."""
_NAME_CHARS: Final = 280
"""Short enough that even a truncated name, with its ellipsis, fits the limit on questions."""
_ANSWER_VERDICTS: Final = {RuleVerdict.PASSED: "good", RuleVerdict.BROKEN: "poor"}


class AskedQuestion(NamedTuple):
    """A question, and the note on its answer."""

    name: str
    """The subject under which the answer is stored."""
    question: Question
    verdict: str = ""
    """`good`, `poor`, or "" if nobody ticked either."""
    note: str = ""
    by: str | None = None
    """Who made the note, or None if there is no note."""


def asked_questions(record: Record, decisions: Iterable[Decision]) -> list[AskedQuestion]:
    """Return the questions that `record` raises, followed by other questions that have a note.

    A teacher added these other questions, or an earlier record of the student raised them.
    """
    raised = questions(record, Locale.for_record(record), _MAX_QUESTIONS)
    by_name = {_name(question): question for question in raised}
    notes = {
        decision.subject: decision
        for decision in in_force(decisions)
        if decision.about is Subject.QUESTION
    }
    others = {name: Question(asked=name) for name in notes if name not in by_name}
    return [
        _with_note(name, question, notes.get(name))
        for name, question in {**by_name, **others}.items()
    ]


def _name(question: Question) -> str:
    """Return a name for `question` that stays the same when the student is graded again."""
    prefix = f"{question.about}: " if question.about else ""
    return one_line(f"{prefix}{question.asked}", _NAME_CHARS)


def _with_note(name: str, question: Question, note: Decision | None) -> AskedQuestion:
    if note is None:
        return AskedQuestion(name, question)
    verdict = "" if note.verdict is None else _ANSWER_VERDICTS[note.verdict]
    return AskedQuestion(name, question, verdict, note.because, one_line(note.by))
