"""The pages of a desk: the queue, a student, a mistake that several make, and what can be sent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Final
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from grader.cli.mark_input import AskedMark
from grader.errors import GraderError, OutputError, UsageError
from grader.judging.deciding import Subject
from grader.plugins.desk.guarding import DeskGuard, Pass, read_form
from grader.plugins.desk.queue import (
    REASONS,
    STATES,
    QueueFilter,
    QueueRow,
    neighbours,
)
from grader.plugins.desk.run_desk import RunDesk, asked
from grader.plugins.desk.shared import ForAll, SharedMistake, decide_for_all, shared_mistakes
from grader.plugins.desk.student_view import FilledIn, attempts_told, student_context
from grader.plugins.desk.trying import TriedLine, can_try, lines_of, tried
from grader.reporting.class_analysis import failure_key
from grader.reporting.rendering import environment_with, looks
from grader.reporting.wording import Locale
from grader.values.foreign_text import one_line

_PACKAGE: Final = "grader.plugins.desk"
_MOST_ROWS: Final = 2_000
_BY_ID: Final = ("case", "group", "rule")


class DeskPages:
    """Answers requests for one desk, one after the other."""

    def __init__(self, desk: RunDesk, lets_in: Pass, trouble: Callable[[], str]) -> None:
        """Show `desk`; `trouble` says why files of the run could not be renewed, if so."""
        self._desk: Final = desk
        self._pass: Final = lets_in
        self._trouble: Final = trouble
        self._templates: Final = environment_with(_PACKAGE)
        self._said = ""

    @cached_property
    def _mistakes(self) -> Mapping[str, SharedMistake]:
        """What several do wrong, which no decision changes."""
        return {each.key: each for each in shared_mistakes(self._desk.rows)}

    def routes(self) -> list[Route]:
        """Return where everything is."""
        student = "/s/{exercise}/{stem}"
        return [
            Route("/", self.queue),
            Route("/desk.css", self.style),
            Route("/desk.js", self.script),
            Route("/mistakes", self.mistakes),
            Route("/m/{key}", self.mistake),
            Route(student, self.student),
            Route("/undo", self._form(self._undo), methods=["POST"]),
            Route("/m/{key}", self._form(self._for_all), methods=["POST"]),
            Route(student, self._form(self._decide), methods=["POST"]),
        ]

    # What is shown

    async def queue(self, request: Request) -> Response:
        """Show the queue, as far as the address asks for it."""
        taken = QueueFilter.of(request.query_params)
        rows = [row for row in self._desk.rows if taken.takes(row)]
        if taken.search and len(rows) == 1:
            return RedirectResponse(quote(rows[0].path), 303)
        waiting = [row for row in self._desk.rows if row.waits]
        counts = {each: sum(each in row.reasons for row in waiting) for each in REASONS}
        return self._page(
            "queue.html",
            taken=taken,
            rows=rows[:_MOST_ROWS],
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
        return self._not_found() if row is None else self._of_student(request, row)

    async def mistakes(self, request: Request) -> Response:
        """List what several do wrong."""
        exercise = request.query_params.get("exercise", "")
        found = [e for e in self._mistakes.values() if exercise in {"", e.exercise}]
        return self._page("mistakes.html", found=found)

    async def mistake(self, request: Request) -> Response:
        """Show one mistake that several make, and who they are."""
        found = self._mistakes.get(request.path_params["key"])
        return self._not_found() if found is None else self._of_mistake(found)

    async def style(self, request: Request) -> Response:
        """Return the looks of all pages."""
        ours = self._templates.get_template("desk.css").render()
        return Response(looks("student.html")[0] + ours, media_type="text/css")

    async def script(self, request: Request) -> Response:
        """Return what makes keys work."""
        text = self._templates.get_template("desk.js").render()
        return Response(text, media_type="text/javascript")

    def _row(self, request: Request) -> QueueRow | None:
        told = request.path_params
        return self._desk.at(f"/s/{told['exercise']}/{told['stem']}")

    def _of_student(
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
        mistakes = {by_key[key]: each.path for key, each in self._mistakes.items() if key in by_key}
        context = student_context(row, self._desk.record(row), self._desk.decisions(row), mistakes)
        return self._page(
            "desk_student.html",
            400 if error else 200,
            **context,
            attempts=list(attempts_told(self._desk.attempts(row))),
            items=self._desk.rubric.get(row.entry.exercise, ()),
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

    def _of_mistake(
        self, found: SharedMistake, typed: Mapping[str, str] | None = None, error: str = ""
    ) -> Response:
        return self._page(
            "mistake.html",
            400 if error else 200,
            found=found,
            items=self._desk.rubric.get(found.exercise, ()),
            rows=[self._desk.row(name) for name in found.names],
            typed=FilledIn(typed or {}),
            error=error,
        )

    def _page(self, template: str, code: int = 200, /, **context: Any) -> Response:
        said, self._said = self._said, ""
        known = {
            "t": Locale("en"),
            "desk": self._desk,
            "exercises": sorted({row.entry.exercise for row in self._desk.rows}),
            "reasons": REASONS,
            "word": self._pass.form_word,
            "said": said,
            "trouble": self._trouble(),
            "taken": QueueFilter(),
            "bank": self._desk.bank(),
            "error": "",
        }
        made = self._templates.get_template(template).render({**known, **context})
        return Response(made, code, media_type="text/html")

    async def missing(self, request: Request, error: Exception) -> Response:
        """Say that there is nothing at that address."""
        return self._not_found()

    async def failed(self, request: Request, error: Exception) -> Response:
        """Say what went wrong, such as a disk that is full."""
        return self._page("nothing.html", 500, error=getattr(error, "message", str(error)))

    def _not_found(self) -> Response:
        return self._page("nothing.html", 404)

    # What is sent

    def _form(
        self, taken: Callable[[Request, Mapping[str, str]], Response]
    ) -> Callable[[Request], Awaitable[Response]]:
        """Return what reads a form of ours and has it `taken`; any other is refused."""

        async def answer(request: Request) -> Response:
            try:
                form = await read_form(request, self._pass)
            except UsageError as error:
                return self._page("nothing.html", 403, error=_text(error))
            return taken(request, form)

        return answer

    def _undo(self, request: Request, form: Mapping[str, str]) -> Response:
        try:
            self._said = f"taken back for {_students(self._desk.undo())}"
        except UsageError as error:
            self._said = _text(error)
        return RedirectResponse(_own(form.get("back", "/")), 303)

    def _decide(self, request: Request, form: Mapping[str, str]) -> Response:
        row = self._row(request)
        if row is None:
            return self._not_found()
        try:
            if form.get("do") == "try":
                answers = tried(self._desk.store, row, form["lines"], self._desk.suites)
                return self._of_student(request, row, form, answers=answers)
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
        except (GraderError, KeyError, ValueError) as error:
            if isinstance(error, OutputError):
                raise  # nothing is wrong with the form
            said = _text(error) if isinstance(error, GraderError) else "that is no form of ours"
            return self._of_student(request, row, form, said)
        self._said = f"stored for {row.called}"
        taken = QueueFilter.of(request.query_params)
        after = neighbours(self._desk.rows, row, taken)[1] if form.get("do") == "accept" else None
        return RedirectResponse(f"{quote((after or row).path)}{taken.query}", 303)

    def _for_all(self, request: Request, form: Mapping[str, str]) -> Response:
        found = self._mistakes.get(request.path_params["key"])
        if found is None:
            return self._not_found()
        asked_for = ForAll(**{name: form.get(name, "") for name in ForAll.__slots__})
        try:
            count = decide_for_all(self._desk, found, asked_for)
        except UsageError as error:
            return self._of_mistake(found, form, _text(error))
        self._said = f"stored for {_students(count)}"
        return RedirectResponse(found.path, 303)


def _marks(row: QueueRow, form: Mapping[str, str]) -> list[AskedMark]:
    """Return what the form of a student decides: a mark for each field that says something."""
    because = form.get("because", "")
    marks = []
    for name, text in form.items():
        about, _, subject = name.partition(" ")
        if text and (about in {"total", "bonus"} or (about in _BY_ID and subject)):
            mark = replace(asked(row, Subject(about), subject), because=because)
            if about == "rule":
                penalty = form.get(f"penalty {subject}", "") if text == "broken" else ""
                marks.append(replace(mark, verdict=text, penalty=penalty))
            else:
                marks.append(replace(mark, points=text))
    if not marks:
        raise UsageError("nothing is decided", help="fill in points, or a verdict")
    return marks


def _text(error: GraderError) -> str:
    return f"{error.message} ({error.help})" if error.help else error.message


def _students(count: int) -> str:
    return "1 student" if count == 1 else f"{count} students"


def _own(address: str) -> str:
    """Return `address` if it is a path of this desk, else that of the queue."""
    is_path = address.startswith("/") and not address.startswith(("//", "/\\"))
    return quote(one_line(address, 500), safe="/?=&%+") if is_path else "/"


def desk_app(desk: RunDesk, lets_in: Pass, trouble: Callable[[], str] = str) -> DeskGuard:
    """Return the application of `desk`, with its guard in front."""
    pages = DeskPages(desk, lets_in, trouble)
    handlers: dict[Any, Any] = {404: pages.missing, GraderError: pages.failed}
    app = Starlette(routes=pages.routes(), exception_handlers=handlers)
    return DeskGuard(app, lets_in)
