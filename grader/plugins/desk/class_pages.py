"""Desk pages about the whole class: shared mistakes and the rubric."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from grader.errors import UsageError
from grader.plugins.desk.page_maker import PageMaker, describe_students, error_text, path_on_desk
from grader.plugins.desk.rubric_use import ItemUse, change_item_for_all, item_uses
from grader.plugins.desk.run_desk import RunDesk
from grader.plugins.desk.shared_mistakes import (
    DecisionForAll,
    SharedMistake,
    decide_for_all,
    shared_mistakes,
)
from grader.plugins.desk.student_view import FormValues


class ClassPages:
    """Handles requests for pages about the class."""

    def __init__(self, desk: RunDesk, maker: PageMaker) -> None:
        """Show the class of `desk`."""
        self._desk: Final = desk
        self._maker: Final = maker

    def routes(self) -> list[Route]:
        """Return the routes of these pages."""
        with_form = self._maker.form
        return [
            Route("/mistakes", self.mistakes),
            Route("/m/{key}", self.mistake),
            Route("/rubric", self.rubric),
            Route("/undo", with_form(self._undo), methods=["POST"]),
            Route("/m/{key}", with_form(self._decide_for_all), methods=["POST"]),
            Route("/rubric", with_form(self._change_item), methods=["POST"]),
        ]

    @cached_property
    def by_key(self) -> Mapping[str, SharedMistake]:
        """Shared mistakes by key. They are computed only once, because no decision changes them."""
        return {mistake.key: mistake for mistake in shared_mistakes(self._desk.rows)}

    async def mistakes(self, request: Request) -> Response:
        """List shared mistakes, of one exercise if the query names one."""
        exercise = request.query_params.get("exercise", "")
        selected = [each for each in self.by_key.values() if exercise in {"", each.exercise}]
        return self._maker.page("mistakes.html", mistakes=selected)

    async def mistake(self, request: Request) -> Response:
        """Show one shared mistake and the students who make it."""
        mistake = self.by_key.get(request.path_params["key"])
        return self._maker.not_found() if mistake is None else self._mistake_page(mistake)

    def _mistake_page(
        self, mistake: SharedMistake, form: Mapping[str, str] | None = None, error: str = ""
    ) -> Response:
        """Return the page of `mistake`. With an `error`, the response has the status 400."""
        return self._maker.page(
            "mistake.html",
            400 if error else 200,
            mistake=mistake,
            items=self._desk.items(mistake.exercise),
            rows=[self._desk.row(identity) for identity in mistake.names],
            typed=FormValues(form or {}),  # so that a refused form is shown as it was filled in
            error=error,
        )

    async def rubric(self, request: Request) -> Response:
        """List the rubric items and the students who have them."""
        return self._rubric_page()

    def _rubric_page(self, error: str = "") -> Response:
        uses: dict[str, list[ItemUse]] = {}
        for use in item_uses(self._desk):
            uses.setdefault(use.exercise, []).append(use)
        return self._maker.page("rubric.html", 400 if error else 200, uses=uses, error=error)

    # Forms

    def _undo(self, request: Request, form: Mapping[str, str]) -> Response:
        """Undo the last decisions, and redirect to the address in the field `back`."""
        try:
            self._maker.notice = f"✓ undone for {describe_students(self._desk.undo())}"
        except UsageError as error:
            self._maker.notice = error_text(error)
        # With 303, the browser requests that address with GET: reloading does not send the form
        # again.
        return RedirectResponse(path_on_desk(form.get("back", "/")), 303)

    def _decide_for_all(self, request: Request, form: Mapping[str, str]) -> Response:
        """Store the decisions in `form` for all who make the mistake, and show the page again."""
        mistake = self.by_key.get(request.path_params["key"])
        if mistake is None:
            return self._maker.not_found()
        decision = DecisionForAll(**{name: form.get(name, "") for name in DecisionForAll.__slots__})
        try:
            names = decide_for_all(self._desk, mistake, decision)
        except UsageError as error:
            return self._mistake_page(mistake, form, error_text(error))
        self._maker.notice = f"✓ stored for {describe_students(names)}"
        return RedirectResponse(mistake.path, 303)

    def _change_item(self, request: Request, form: Mapping[str, str]) -> Response:
        """Give, update or withdraw the item in `form` for all students, and show the page again."""
        try:
            exercise, item = form.get("exercise", ""), form.get("item", "")
            names = change_item_for_all(self._desk, exercise, item, form.get("do", ""))
        except UsageError as error:
            return self._rubric_page(error_text(error))
        self._maker.notice = f"✓ stored for {describe_students(names)}"
        return RedirectResponse("/rubric", 303)
