"""Exports from a desk: a table of all marks, or a platform's gradebook, filled.

`grader export` does the work in a process of its own, as in a terminal beside the desk; the page
shows its output.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from grader.errors import UsageError
from grader.plugins.desk.guarding import Pass, read_upload
from grader.plugins.desk.page_maker import PageMaker, text_of
from grader.plugins.desk.run_desk import RunDesk
from grader.plugins.desk.student_view import FilledIn
from grader.values.foreign_text import one_line, plain

_START: Final = "import sys; sys.argv[0] = 'grader'; from grader.cli.verbs import main; main()"
_MAX_SAID_CHARS: Final = 20_000
_TABLE: Final = "marks.csv"


class _Done(NamedTuple):
    """How `grader export` ended."""

    code: int
    out: bytes
    said: str


class ExportPages:
    """Handles requests for exports."""

    def __init__(self, desk: RunDesk, maker: PageMaker, lets_in: Pass) -> None:
        """Export the run on `desk`."""
        self._desk: Final = desk
        self._maker: Final = maker
        self._pass: Final = lets_in
        self._filled: tuple[str, bytes] | None = None
        """Name and content of the last gradebook that was filled."""

    def routes(self) -> list[Route]:
        """Return the routes of these pages."""
        return [
            Route("/export", self.page),
            Route("/export", self.fill, methods=["POST"]),
            Route("/marks", self.table),
            Route("/filled", self.filled),
        ]

    async def page(self, request: Request) -> Response:
        """Show the ways to export."""
        return self._page(200)

    def _page(self, code: int, typed: Mapping[str, str] | None = None, **context: str) -> Response:
        known = {"said_by_export": "", "filled": "", **context}
        return self._maker.page("export.html", code, typed=FilledIn(typed or {}), **known)

    async def table(self, request: Request) -> Response:
        """Return all marks as a table."""
        done = await self._export("--partial")
        if done.code:
            return self._page(400, said_by_export=done.said)
        return _attached(_TABLE, done.out)

    async def fill(self, request: Request) -> Response:
        """Fill the uploaded gradebook and show what became of each mark."""
        try:
            form, uploads = await read_upload(request, self._pass)
        except UsageError as error:
            return self._maker.page("nothing.html", 403, error=text_of(error))
        given, data = uploads.get("gradebook", ("", b""))
        if not data:
            return self._page(400, form, error="choose the gradebook first")
        options = [
            *(
                f"--{name}={form[name]}"
                for name in ("exercise", "out-of", "round")
                if form.get(name)
            ),
            *(f"--{name}" for name in ("overwrite", "partial") if form.get(name)),
        ]
        with TemporaryDirectory() as folder:
            # Only the extension is taken from the uploaded name: the rest could be a path.
            sheet = Path(folder, "gradebook").with_suffix(_suffix(given))
            filled = sheet.with_stem("filled")
            sheet.write_bytes(data)
            done = await self._export(f"--into={sheet}", f"--to={filled}", *options)
            if done.code:
                return self._page(400, form, said_by_export=done.said)
            name = one_line(f"{Path(given).stem}.filled{sheet.suffix}", 100)
            self._filled = (name, filled.read_bytes())
        said = "\n".join(line for line in done.said.split("\n") if folder not in line)
        return self._page(200, form, said_by_export=said, filled=name)

    async def filled(self, request: Request) -> Response:
        """Return the last gradebook that was filled."""
        return self._maker.not_found() if self._filled is None else _attached(*self._filled)

    async def _export(self, *options: str) -> _Done:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", _START, "export", str(self._desk.store.folder), *options),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, said = await process.communicate()
        text = plain(said.decode("utf-8", "replace")[:_MAX_SAID_CHARS]).strip()
        return _Done(process.returncode or 0, out, text)


def _suffix(name: str) -> str:
    suffix = Path(name).suffix.lower()
    return suffix if suffix in {".csv", ".tsv", ".txt", ".xls", ".xlsx"} else ".csv"


def _attached(name: str, data: bytes) -> Response:
    """Return a response that the browser saves to disk and never renders."""
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}"}
    return Response(data, media_type="application/octet-stream", headers=headers)
