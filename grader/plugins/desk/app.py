"""The web application: all pages of a desk behind its guard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.applications import Starlette
from starlette.routing import Route

from grader.errors import GraderError
from grader.plugins.desk.class_pages import ClassPages
from grader.plugins.desk.exporting import ExportPages
from grader.plugins.desk.guarding import DeskGuard, Pass
from grader.plugins.desk.page_maker import PageMaker
from grader.plugins.desk.run_desk import RunDesk
from grader.plugins.desk.student_pages import StudentPages


def desk_app(
    desk: RunDesk, browser_pass: Pass, write_problem: Callable[[], str] = str
) -> DeskGuard:
    """Return the application of `desk`, with its guard in front.

    `write_problem` returns why files of the run could not be rewritten, or "" if they could.
    """
    maker = PageMaker(desk, browser_pass, write_problem)
    class_pages = ClassPages(desk, maker)
    routes = [
        # A function, so that shared mistakes are not computed before a page needs them.
        *StudentPages(desk, maker, lambda: class_pages.by_key).routes(),
        *class_pages.routes(),
        *ExportPages(desk, maker, browser_pass).routes(),
        Route("/desk.css", maker.style),
        Route("/desk.js", maker.script),
    ]
    handlers: dict[Any, Any] = {404: maker.missing, GraderError: maker.failed}
    return DeskGuard(Starlette(routes=routes, exception_handlers=handlers), browser_pass)
