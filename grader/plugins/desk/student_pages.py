"""Desk pages about single students: the queue, a submission, the oral defence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from grader.cli.mark_input import AskedMark
from grader.errors import GraderError, OutputError, UsageError
from grader.judging.deciding import Subject
from grader.plugins.desk.defence import AskedQuestion, asked_questions
from grader.plugins.desk.page_maker import PageMaker, text_of
from grader.plugins.desk.queue import REASONS, STATES, QueueFilter, QueueRow, neighbours
from grader.plugins.desk.run_desk import RunDesk, asked
from grader.plugins.desk.shared import SharedMistake
from grader.plugins.desk.student_view import FilledIn, attempt_summaries, student_context
from grader.plugins.desk.trying import TriedLine, can_try, lines_of, tried
from grader.reporting.class_analysis import failure_key
from grader.reporting.questions import Question
from grader.reporting.wording import Locale
from grader.values.foreign_text import one_line

_MAX_ROWS: Final = 2_000
_WITH_ID: Final = ("case", "group", "rule")
_QUESTION_CHARS: Final = 300
_NO_FORM: Final = "this form is not one of the desk"


class StudentPages:
    """Handles requests for pages about single students."""

    def __init__(
        self, desk: RunDesk, maker: PageMaker, mistakes: Callable[[], Mapping[str, SharedMistake]]
    ) -> None:
        """Show the students on `desk`; `mistakes` returns shared ones by key, for links to them."""
        self._desk: Final = desk
        self._maker: Final = maker
        self._mistakes: Final = mistakes

    def routes(self) -> list[Route]:
        """Return the routes of these pages."""
        form, student = self._maker.form, "/s/{exercise}/{stem}"
        return [
            Route("/", self.queue),
            Route(student, self.student),
            Route(f"{student}/defence", self.defence),
            Route(student, form(self._decide), methods=["POST"]),
            Route(f"{student}/defence", form(self._note), methods=["POST"]),
        ]

    async def queue(self, request: Request) -> Response:
        """Show the queue, filtered as the address says."""
        taken = QueueFilter.of(request.query_params)
        rows = [row for row in self._desk.rows if taken.takes(row)]
        if taken.search and len(rows) == 1:
            return RedirectResponse(quote(rows[0].path), 303)  # quoted, as a header is ASCII
        waiting = [row for row in self._desk.rows if row.waits]
        counts = {each: sum(each in row.reasons for row in waiting) for each in REASONS}
        return self._maker.page(
            "queue.html",
            taken=taken,
            rows=rows[:_MAX_ROWS],
            count=len(rows),
            waiting=len(waiting),
            total=len(self._desk.rows),
            counts={each: count for each, count in counts.items() if count},
            states=STATES,
            next_row=next(iter(rows), None),
        )

    async def student(self, request: Request) -> Response:
        """Show the page of one student."""
        row = self._row(request)
        return self._maker.not_found() if row is None else self._student_page(request, row)

    async def defence(self, request: Request) -> Response:
        """Show the questions for one student's oral defence."""
        row = self._row(request)
        return self._maker.not_found() if row is None else self._defence_page(request, row)

    def _defence_page(
        self,
        request: Request,
        row: QueueRow,
        typed: Mapping[str, str] | None = None,
        error: str = "",
    ) -> Response:
        record, taken = self._desk.record(row), QueueFilter.of(request.query_params)
        before, after = neighbours(self._desk.rows, row, taken)
        return self._maker.page(
            "defence.html",
            400 if error else 200,
            row=row,
            taken=taken,
            before=before,
            after=after,
            t=Locale.of_record(record),
            short=lambda text: one_line(text, _QUESTION_CHARS),
            questions=asked_questions(record, self._desk.decisions(row)),
            typed=FilledIn(typed or {}),
            error=error,
        )

    def _row(self, request: Request) -> QueueRow | None:
        parameters = request.path_params
        return self._desk.at(f"/s/{parameters['exercise']}/{parameters['stem']}")

    def _student_page(
        self,
        request: Request,
        row: QueueRow,
        typed: Mapping[str, str] | None = None,
        error: str = "",
        answers: Sequence[TriedLine] = (),
    ) -> Response:
        taken = QueueFilter.of(request.query_params)
        ordered = self._desk.rows
        before, after = neighbours(ordered, row, taken)
        found = self._desk.found(row)
        by_key = {failure_key(case): case.id for case in found.cases}
        mistakes = {
            by_key[key]: each.path for key, each in self._mistakes().items() if key in by_key
        }
        context = student_context(row, self._desk.record(row), self._desk.decisions(row), mistakes)
        return self._maker.page(
            "desk_student.html",
            400 if error else 200,
            **context,
            attempts=list(attempt_summaries(self._desk.attempts(row))),
            items=self._desk.items(row.entry.exercise),
            taken=taken,
            before=before,
            after=after,
            left=sum(taken.takes(each) for each in ordered),
            line=request.query_params.get("line", "")[:200],
            can_try=can_try(self._desk.store),
            lines=lines_of(found),
            answers=answers,
            typed=FilledIn(typed or {}),
            error=error,
        )

    # Forms

    def _decide(self, request: Request, form: Mapping[str, str]) -> Response:
        row = self._row(request)
        if row is None:
            return self._maker.not_found()
        try:
            if form.get("do") == "try":
                answers = tried(self._desk.store, row, form["lines"], self._desk.suites)
                return self._student_page(request, row, form, answers=answers)
            if form.get("do") == "accept":
                self._desk.accept(row)
            elif form.get("do") == "item":
                self._desk.toggle(row, form["item"])
            elif form.get("do") == "undo":
                mark = asked(row, Subject(form["about"]), form.get("subject", ""))
                self._desk.decide([replace(mark, undo=True)])
            elif form.get("do") == "comment":
                mark = asked(row, Subject.LINE if form.get("line") else Subject.PAGE, form["line"])
                self._desk.decide([replace(mark, comment=form["comment"])])
            else:
                self._desk.decide(list(_marks(row, form)))
        # A field is missing, or names no subject.
        except (GraderError, KeyError, ValueError) as error:
            if isinstance(error, OutputError):
                raise  # nothing is wrong with the form
            said = text_of(error) if isinstance(error, GraderError) else _NO_FORM
            return self._student_page(request, row, form, said)
        self._maker.notice = f"✓ stored for {row.called}"
        counts = form.get("do") in {"accept", "comment", "undo"} or form.get("total")
        if self._desk.row(row.entry.name).is_settled and not counts:
            self._maker.notice += "; it counts for nothing while a total is decided"
        taken = QueueFilter.of(request.query_params)
        after = neighbours(self._desk.rows, row, taken)[1] if form.get("do") == "accept" else None
        return RedirectResponse(f"{quote((after or row).path)}{taken.query}", 303)

    def _note(self, request: Request, form: Mapping[str, str]) -> Response:
        row = self._row(request)
        if row is None:
            return self._maker.not_found()
        try:
            known = asked_questions(self._desk.record(row), self._desk.decisions(row))
            self._desk.decide(list(_answers(row, form, known)), answers=False)
        except UsageError as error:
            return self._defence_page(request, row, form, text_of(error))
        self._maker.notice = "✓ noted, for staff only"
        taken = QueueFilter.of(request.query_params)
        return RedirectResponse(f"{quote(row.path)}/defence{taken.query}", 303)


def _answers(
    row: QueueRow, form: Mapping[str, str], known: Sequence[AskedQuestion]
) -> Iterator[AskedMark]:
    """Yield the notes in a form of all questions that differ from `known` ones.

    Its button says which question it ticks, and how. Raises `UsageError` if nothing is noted.
    """
    ticked, _, tick = form.get("tick", "").partition(" ")
    notes = {each.name: each for each in known}
    is_empty = True
    for field, question in form.items():
        about, _, place = field.partition(" ")
        if about != "question" or not (question or place == ticked):
            continue
        if not question:
            raise UsageError("what was asked?")
        mark, note = asked(row, Subject.QUESTION, question), form.get(f"note {place}", "")
        current = notes.get(question, AskedQuestion(question, Question(asked=question)))
        verdict = current.verdict if place != ticked or tick == "note" else tick
        if place == ticked and tick == "undo":
            yield replace(mark, undo=True)
        elif place == ticked or (verdict, note) != (current.verdict, current.note):
            yield replace(mark, verdict=verdict, comment=note)
        else:
            continue
        is_empty = False
    if is_empty:
        raise UsageError("nothing is noted", help="tick an answer, or write a note")


def _marks(row: QueueRow, form: Mapping[str, str]) -> list[AskedMark]:
    """Return the decisions in a student's form: a mark for each field that is filled in."""
    because = form.get("because", "")
    marks = []
    for name, text in form.items():
        about, _, subject = name.partition(" ")
        if text and (about in {"total", "bonus"} or (about in _WITH_ID and subject)):
            mark = replace(asked(row, Subject(about), subject), because=because)
            if about == "rule":
                penalty = form.get(f"penalty {subject}", "") if text == "broken" else ""
                marks.append(replace(mark, verdict=text, penalty=penalty))
            else:
                marks.append(replace(mark, points=text))
    if not marks:
        raise UsageError("there is nothing to decide", help="fill in points, or a verdict")
    return marks
