"""Exports from a desk: a table of all marks, or a platform's gradebook, filled.

`grader export` does the work in a separate process, as in a terminal beside the desk; the page
shows its output.
"""

from __future__ import annotations

import asyncio
import secrets
import sys
from collections.abc import Mapping
from contextlib import suppress
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
from grader.values.foreign_text import escape_controls, one_line

# `grader` takes the name of the program in its messages from argv[0].
_START: Final = "import sys; sys.argv[0] = 'grader'; from grader.cli.verbs import main; main()"
_MAX_OUTPUT_CHARS: Final = 20_000
_TABLE_NAME: Final = "marks.csv"
_VALUE_OPTIONS: Final = ("exercise", "out-of", "round")
_SWITCH_OPTIONS: Final = ("overwrite", "partial", "skip-doubtful")
_MAX_FILLED: Final = 8
"""The largest number of filled gradebooks to keep for download: several tabs can have one each."""
_TIMEOUT_S: Final = 120.0
"""Far more than the 3 s that an export of a thousand students takes."""


class _ExportResult(NamedTuple):
    """The result of `grader export`."""

    code: int
    content: bytes
    output_text: str


class ExportPages:
    """Handles requests for exports."""

    def __init__(self, desk: RunDesk, maker: PageMaker, browser_pass: Pass) -> None:
        """Export the run on `desk`."""
        self._desk: Final = desk
        self._maker: Final = maker
        self._pass: Final = browser_pass
        self._filled: dict[str, tuple[str, bytes]] = {}
        """The latest filled gradebooks, as name and content, keyed by the key in their address."""
        self._lock: Final = asyncio.Lock()
        """Allows one export at a time, because each reads the whole run."""

    def routes(self) -> list[Route]:
        """Return the routes of these pages."""
        return [
            Route("/export", self.page),
            Route("/export", self.fill, methods=["POST"]),
            Route("/marks", self.table),
            Route("/filled/{key}", self.filled),
        ]

    async def page(self, request: Request) -> Response:
        """Show the ways to export."""
        return self._page(200)

    def _page(self, code: int, typed: Mapping[str, str] | None = None, **context: str) -> Response:
        defaults = {"said_by_export": "", "filled": "", "key": "", **context}
        ungraded = len(self._desk.run.entries) - len(self._desk.rows)
        fields = FilledIn(typed or {})
        return self._maker.page("export.html", code, typed=fields, ungraded=ungraded, **defaults)

    async def table(self, request: Request) -> Response:
        """Return all marks as a table."""
        result = await self._export("--partial")
        if result.code:
            return self._page(400, said_by_export=result.output_text)
        return _attachment(_TABLE_NAME, result.content)

    async def fill(self, request: Request) -> Response:
        """Fill the uploaded gradebook, keep it for download, and show the outcome for each mark."""
        try:
            form, uploads = await read_upload(request, self._pass)
        except UsageError as error:
            return self._maker.page("nothing.html", 403, error=text_of(error))
        upload_name, data = uploads.get("gradebook", ("", b""))
        if not data:
            return self._page(400, form, error="choose the gradebook first")
        values = {name: one_line(form.get(name, ""), 60) for name in _VALUE_OPTIONS}
        options = [
            # Name and value in one argument, so that a value cannot become an option.
            *(f"--{name}={value}" for name, value in values.items() if value),
            *(f"--{name}" for name in _SWITCH_OPTIONS if form.get(name)),
        ]
        with TemporaryDirectory() as folder:
            # Only the extension is taken from the uploaded name: the rest could be a path.
            sheet = Path(folder, "gradebook").with_suffix(_suffix(upload_name))
            filled = sheet.with_stem("filled")
            sheet.write_bytes(data)
            result = await self._export(f"--into={sheet}", f"--to={filled}", *options)
            if result.code:
                return self._page(400, form, said_by_export=result.output_text)
            name = one_line(f"{Path(upload_name).stem}.filled{sheet.suffix}", 100)
            key = secrets.token_hex(8)
            newest = [*self._filled.items()][1 - _MAX_FILLED :]
            self._filled = {**dict(newest), key: (name, filled.read_bytes())}
        # Leave out lines with paths in the temporary folder, which no longer exists.
        output_text = "\n".join(
            line for line in result.output_text.split("\n") if folder not in line
        )
        return self._page(200, form, said_by_export=output_text, filled=name, key=key)

    async def filled(self, request: Request) -> Response:
        """Return a gradebook that was filled."""
        gradebook = self._filled.get(request.path_params["key"])
        return self._maker.not_found() if gradebook is None else _attachment(*gradebook)

    async def _export(self, *options: str) -> _ExportResult:
        """Wait for other exports, then run `grader export` with `options` and return its result.

        The result is a failure if the export takes too long.
        """
        folder = str(self._desk.store.folder.resolve())
        async with self._lock:
            process = await asyncio.create_subprocess_exec(
                # After `--`, the name of a folder cannot be taken for an option.
                *(sys.executable, "-c", _START, "export", *options, "--", folder),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
            try:
                content, output_text = await asyncio.wait_for(process.communicate(), _TIMEOUT_S)
            except TimeoutError:
                return _ExportResult(
                    1, b"", f"no export within {_TIMEOUT_S:g} s: run grader export in a terminal"
                )
            finally:
                with suppress(ProcessLookupError):  # the process has already ended by itself
                    process.kill()
        text = escape_controls(output_text.decode("utf-8", "replace")[:_MAX_OUTPUT_CHARS]).strip()
        return _ExportResult(process.returncode or 0, content, text)


def _suffix(name: str) -> str:
    """Return the extension of an uploaded gradebook, or `.csv` if no gradebook has it."""
    suffix = Path(name).suffix.lower()
    return suffix if suffix in {".csv", ".tsv", ".txt", ".xls", ".xlsx"} else ".csv"


def _attachment(name: str, data: bytes) -> Response:
    """Return a response that the browser saves to disk and never renders."""
    # Only this form of a file name can contain non-ASCII letters (RFC 8187).
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}"}
    return Response(data, media_type="application/octet-stream", headers=headers)
