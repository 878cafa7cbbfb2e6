"""What all pages of a desk share: layout, style, and reading forms."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from grader.errors import GraderError, UsageError
from grader.plugins.desk.guarding import Pass, read_form
from grader.plugins.desk.queue import REASONS, QueueFilter
from grader.plugins.desk.run_desk import RunDesk
from grader.reporting.rendering import style_and_script, template_environment
from grader.reporting.wording import Locale
from grader.values.foreign_text import one_line

_FOR_TERMINAL: Final = re.compile("--[a-z]|`grader|same command")
"""Matches help that only makes sense in a terminal."""
_PACKAGE: Final = "grader.plugins.desk"


class PageMaker:
    """Renders the pages of one desk."""

    def __init__(self, desk: RunDesk, browser_pass: Pass, write_problem: Callable[[], str]) -> None:
        """Render `desk`. `write_problem` returns why files could not be rewritten, or ""."""
        self._desk: Final = desk
        self._pass: Final = browser_pass
        self._write_problem: Final = write_problem
        self._templates: Final = template_environment(_PACKAGE)
        self.notice = ""
        """A message for the top of the next page, because a form is answered with a redirect."""

    def page(self, template: str, code: int = 200, /, **context: Any) -> Response:
        """Return `template` rendered with `context`. Shows the notice, and then clears it."""
        notice, self.notice = self.notice, ""
        shared = {
            "t": Locale("en"),
            "desk": self._desk,
            "exercises": self._desk.exercises,
            "reasons": REASONS,
            "word": self._pass.form_token,
            "said": notice,
            "trouble": self._write_problem(),
            "rubric_trouble": self._desk.rubric_problem,
            "queue_filter": QueueFilter(),
            "bank": self._desk.suggestions(),
            "error": "",
        }
        html = self._templates.get_template(template).render({**shared, **context})
        return Response(html, code, media_type="text/html")

    def not_found(self) -> Response:
        """Return the page for an unknown address."""
        return self.page("nothing.html", 404)

    async def missing(self, request: Request, error: Exception) -> Response:
        """Handle a request for an unknown address. Starlette calls it as an error handler."""
        return self.not_found()

    async def failed(self, request: Request, error: Exception) -> Response:
        """Show an error that is not the user's fault, such as a full disk."""
        return self.page("nothing.html", 500, error=getattr(error, "message", str(error)))

    async def style(self, request: Request) -> Response:
        """Return the style sheet of all pages."""
        own_rules = self._templates.get_template("desk.css").render()
        return Response(style_and_script("student.html")[0] + own_rules, media_type="text/css")

    async def script(self, request: Request) -> Response:
        """Return the script for the keyboard shortcuts."""
        text = self._templates.get_template("desk.js").render()
        return Response(text, media_type="text/javascript")

    def form(
        self, handler: Callable[[Request, Mapping[str, str]], Response]
    ) -> Callable[[Request], Awaitable[Response]]:
        """Return a handler that passes the fields of this desk's forms to `handler`.

        It refuses other forms with an error page.
        """

        async def answer(request: Request) -> Response:
            try:
                form = await read_form(request, self._pass)
            except UsageError as error:
                return self.page("nothing.html", 403, error=error_text(error))
            return handler(request, form)

        return answer


def error_text(error: GraderError) -> str:
    """Return the message and help of `error` on one line, without help that needs a terminal."""
    has_help = error.help and not _FOR_TERMINAL.search(error.help)
    return f"{error.message} ({error.help})" if has_help else error.message


def describe_students(names: Sequence[str]) -> str:
    """Return the only name in `names`, or the number of students if there are several."""
    return one_line(names[0], 120) if len(names) == 1 else f"{len(names)} students"


def path_on_desk(address: str) -> str:
    """Return `address`, quoted, if it is a path on this desk, otherwise the path of the queue.

    Without this check, a form could redirect the browser to another site.
    """
    # For a browser, `//name` and `/\name` lead to another host.
    is_path = address.startswith("/") and not address.startswith(("//", "/\\"))
    return quote(one_line(address, 500), safe="/?=&%+") if is_path else "/"
