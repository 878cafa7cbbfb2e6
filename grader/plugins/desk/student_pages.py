"""Desk pages about single students: the queue, a submission, the oral defence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from grader.cli.mark_input import MarkInput
from grader.errors import GraderError, OutputError, UsageError
from grader.judging.deciding import Subject
from grader.plugins.desk.defence import AskedQuestion, asked_questions
from grader.plugins.desk.page_maker import PageMaker, error_text
from grader.plugins.desk.queue import REASONS, STATES, QueueFilter, QueueRow, neighbours
from grader.plugins.desk.run_desk import RunDesk, blank_mark
from grader.plugins.desk.shared_mistakes import SharedMistake
from grader.plugins.desk.student_view import FormValues, attempt_summaries, student_context
from grader.plugins.desk.trying import TriedLine, can_try, suggested_lines, try_lines
from grader.reporting.class_analysis import failure_key
from grader.reporting.questions import Question
from grader.reporting.wording import Locale
from grader.values.foreign_text import one_line

_MAX_ROWS: Final = 2_000
_KINDS_WITH_ID: Final = ("case", "group", "rule")
_QUESTION_CHARS: Final = 300
_FOREIGN_FORM: Final = "this form is not from a page of this desk: load the page again"


class StudentPages:
    """Handles requests for pages about single students."""

    def __init__(
        self, desk: RunDesk, maker: PageMaker, mistakes: Callable[[], Mapping[str, SharedMistake]]
    ) -> None:
        """Show the students on `desk`.

        `mistakes` returns the shared mistakes to link to, keyed as in `SharedMistake.key`.
        """
        self._desk: Final = desk
        self._maker: Final = maker
        self._mistakes: Final = mistakes

    def routes(self) -> list[Route]:
        """Return the routes of these pages."""
        with_form, student = self._maker.form, "/s/{exercise}/{stem}"
        return [
            Route("/", self.queue),
            Route(student, self.student),
            Route(f"{student}/defence", self.defence),
            Route(student, with_form(self._decide), methods=["POST"]),
            Route(f"{student}/defence", with_form(self._note), methods=["POST"]),
        ]

    async def queue(self, request: Request) -> Response:
        """Show the filtered queue, or redirect to the only student that a search finds."""
        queue_filter = QueueFilter.of(request.query_params)
        rows = [row for row in self._desk.rows if queue_filter.matches(row)]
        if queue_filter.search and len(rows) == 1:
            return RedirectResponse(quote(rows[0].path), 303)  # quoted, as headers are ASCII
        waiting = [row for row in self._desk.rows if row.waits]
        counts = {reason: sum(reason in row.reasons for row in waiting) for reason in REASONS}
        return self._maker.page(
            "queue.html",
            queue_filter=queue_filter,
            rows=rows[:_MAX_ROWS],
            count=len(rows),
            waiting=len(waiting),
            total=len(self._desk.rows),
            counts={reason: count for reason, count in counts.items() if count},
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
        form: Mapping[str, str] | None = None,
        error: str = "",
    ) -> Response:
        """Return the defence page of `row`. With an `error`, the response has the status 400."""
        record, queue_filter = self._desk.record(row), QueueFilter.of(request.query_params)
        before, after = neighbours(self._desk.rows, row, queue_filter)
        return self._maker.page(
            "defence.html",
            400 if error else 200,
            row=row,
            queue_filter=queue_filter,
            before=before,
            after=after,
            t=Locale.for_record(record),
            short=lambda text: one_line(text, _QUESTION_CHARS),
            questions=asked_questions(record, self._desk.decisions(row)),
            typed=FormValues(form or {}),
            error=error,
        )

    def _row(self, request: Request) -> QueueRow | None:
        """Return the row for the address of `request`, or None if there is none."""
        parameters = request.path_params
        return self._desk.at(f"/s/{parameters['exercise']}/{parameters['stem']}")

    def _student_page(
        self,
        request: Request,
        row: QueueRow,
        form: Mapping[str, str] | None = None,
        error: str = "",
        answers: Sequence[TriedLine] = (),
    ) -> Response:
        """Return the page of the student in `row`, with the `answers` to lines that were tried.

        With an `error`, the response has the status 400.
        """
        queue_filter = QueueFilter.of(request.query_params)
        ordered = self._desk.rows
        before, after = neighbours(ordered, row, queue_filter)
        record = self._desk.graded_record(row)
        case_ids = {failure_key(case): case.id for case in record.cases}
        mistakes = {
            case_ids[key]: mistake.path
            for key, mistake in self._mistakes().items()
            if key in case_ids
        }
        context = student_context(row, self._desk.record(row), self._desk.decisions(row), mistakes)
        return self._maker.page(
            "desk_student.html",
            400 if error else 200,
            **context,
            attempts=list(attempt_summaries(self._desk.attempts(row))),
            items=self._desk.items(row.entry.exercise),
            queue_filter=queue_filter,
            before=before,
            after=after,
            left=sum(map(queue_filter.matches, ordered)),
            line=request.query_params.get("line", "")[:200],
            can_try=can_try(self._desk.store),
            lines=suggested_lines(record),
            answers=answers,
            typed=FormValues(form or {}),
            error=error,
        )

    # Forms

    def _decide(self, request: Request, form: Mapping[str, str]) -> Response:
        """Handle the forms of a student's page; the field `do` tells them apart.

        Redirects to the page, or to the next student after accepting. Lines that were tried are
        shown on the page with their output. If the form cannot be used, the page is shown again
        with an error.
        """
        row = self._row(request)
        if row is None:
            return self._maker.not_found()
        try:
            if form.get("do") == "try":
                answers = try_lines(self._desk.store, row, form["lines"], self._desk.suites)
                return self._student_page(request, row, form, answers=answers)
            if form.get("do") == "accept":
                self._desk.accept(row)
            elif form.get("do") == "item":
                self._desk.toggle(row, form["item"])
            elif form.get("do") == "undo":
                mark = blank_mark(row, Subject(form["about"]), form.get("subject", ""))
                self._desk.decide([replace(mark, undo=True)])
            elif form.get("do") == "comment":
                mark = blank_mark(
                    row, Subject.LINE if form.get("line") else Subject.PAGE, form["line"]
                )
                self._desk.decide([replace(mark, comment=form["comment"])])
            else:
                self._desk.decide(list(_marks(row, form)))
        # `KeyError`: a field is missing. `ValueError`: a field does not name a subject.
        except (GraderError, KeyError, ValueError) as error:
            if isinstance(error, OutputError):
                raise  # the form is not at fault
            message = error_text(error) if isinstance(error, GraderError) else _FOREIGN_FORM
            return self._student_page(request, row, form, message)
        self._maker.notice = f"✓ stored for {row.shown_name}"
        has_effect = form.get("do") in {"accept", "comment", "undo"} or form.get("total")
        # The row is looked up again, because the decision has replaced it.
        if self._desk.row(row.entry.identity).is_settled and not has_effect:
            self._maker.notice += "; it has no effect until the decision on the total is withdrawn"
        queue_filter = QueueFilter.of(request.query_params)
        after = (
            neighbours(self._desk.rows, row, queue_filter)[1]
            if form.get("do") == "accept"
            else None
        )
        return RedirectResponse(f"{quote((after or row).path)}{queue_filter.query}", 303)

    def _note(self, request: Request, form: Mapping[str, str]) -> Response:
        """Handle the form of the oral defence: store the notes, and show the page again."""
        row = self._row(request)
        if row is None:
            return self._maker.not_found()
        try:
            known = asked_questions(self._desk.record(row), self._desk.decisions(row))
            # Students never see these notes, so they answer no request.
            self._desk.decide(list(_new_notes(row, form, known)), answers=False)
        except UsageError as error:
            return self._defence_page(request, row, form, error_text(error))
        self._maker.notice = "✓ noted, for staff only"
        queue_filter = QueueFilter.of(request.query_params)
        return RedirectResponse(f"{quote(row.path)}/defence{queue_filter.query}", 303)


def _new_notes(
    row: QueueRow, form: Mapping[str, str], known: Sequence[AskedQuestion]
) -> Iterator[MarkInput]:
    """Yield marks for the notes in the defence form that differ from the `known` ones.

    The field `tick` has the number of the question whose button sent the form, and what the button
    does. Raises `UsageError` if there is no new note, or if a note has no question.
    """
    ticked, _, action = form.get("tick", "").partition(" ")
    notes = {question.name: question for question in known}
    is_empty = True
    for field, question in form.items():
        about, _, number = field.partition(" ")
        if about != "question" or not (question or number == ticked):
            continue
        if not question:
            raise UsageError("the note has no question", help="write what was asked")
        mark, note = blank_mark(row, Subject.QUESTION, question), form.get(f"note {number}", "")
        current = notes.get(question, AskedQuestion(question, Question(asked=question)))
        verdict = current.verdict if number != ticked or action == "note" else action
        if number == ticked and action == "undo":
            yield replace(mark, undo=True)
        elif number == ticked or (verdict, note) != (current.verdict, current.note):
            yield replace(mark, verdict=verdict, comment=note)
        else:
            continue
        is_empty = False
    if is_empty:
        raise UsageError("no answer or note is new", help="tick an answer, or write a note")


def _marks(row: QueueRow, form: Mapping[str, str]) -> list[MarkInput]:
    """Return the marks in the form of a student's page, one for each field that is filled in.

    Raises `UsageError` if no field is filled in.
    """
    because = form.get("because", "")
    marks = []
    for name, text in form.items():
        about, _, subject = name.partition(" ")
        if text and (about in {"total", "bonus"} or (about in _KINDS_WITH_ID and subject)):
            mark = replace(blank_mark(row, Subject(about), subject), because=because)
            if about == "rule":
                penalty = form.get(f"penalty {subject}", "") if text == "broken" else ""
                marks.append(replace(mark, verdict=text, penalty=penalty))
            else:
                marks.append(replace(mark, points=text))
    if not marks:
        raise UsageError("neither points nor a verdict is filled in", help="fill in one of them")
    return marks
