"""Exports from a desk: a table of all marks, or a filled gradebook for a platform.

`grader export` runs in a separate process, as it would in a terminal; the page shows its output.
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
from grader.plugins.desk.page_maker import PageMaker, error_text
from grader.plugins.desk.run_desk import RunDesk
from grader.plugins.desk.student_view import FormValues
from grader.values.foreign_text import escape_controls, one_line

# `grader` takes the name of the program in its messages from argv[0].
_START: Final = "import sys; sys.argv[0] = 'grader'; from grader.cli.verbs import main; main()"
_MAX_OUTPUT_CHARS: Final = 20_000
"""The length at which the output of an export is truncated on the page."""
_TABLE_NAME: Final = "marks.csv"
_VALUE_OPTIONS: Final = ("exercise", "out-of", "round")
_SWITCH_OPTIONS: Final = ("overwrite", "partial", "skip-doubtful")
_MAX_FILLED: Final = 8
"""The largest number of filled gradebooks to keep for download, as each tab can have its own."""
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
        """Export the run on `desk`, for the browser with `browser_pass`."""
        self._desk: Final = desk
        self._maker: Final = maker
        self._pass: Final = browser_pass
        self._filled: dict[str, tuple[str, bytes]] = {}
        """The name and content of the latest filled gradebooks, by the key in their address."""
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
        """Show the export page."""
        return self._page(200)

    def _page(self, code: int, form: Mapping[str, str] | None = None, **context: str) -> Response:
        defaults = {"said_by_export": "", "filled": "", "key": "", **context}
        ungraded = len(self._desk.run.entries) - len(self._desk.rows)
        fields = FormValues(form or {})
        return self._maker.page("export.html", code, typed=fields, ungraded=ungraded, **defaults)

    async def table(self, request: Request) -> Response:
        """Return a table of all marks as a download, or a page that says why there is none."""
        result = await self._export("--partial")
        if result.code:
            return self._page(400, said_by_export=result.output_text)
        return _attachment(_TABLE_NAME, result.content)

    async def fill(self, request: Request) -> Response:
        """Fill the uploaded gradebook, keep it for download, and show the output of the export."""
        try:
            form, uploads = await read_upload(request, self._pass)
        except UsageError as error:
            return self._maker.page("nothing.html", 403, error=error_text(error))
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
            key = secrets.token_hex(8)
            name = one_line(f"{Path(upload_name).stem}.filled{sheet.suffix}", 100)
            kept = [*self._filled.items()][1 - _MAX_FILLED :]
            self._filled = {**dict(kept), key: (name, filled.read_bytes())}
        # Lines with paths in the temporary folder are omitted, because it no longer exists.
        output_text = "\n".join(
            line for line in result.output_text.split("\n") if folder not in line
        )
        return self._page(200, form, said_by_export=output_text, filled=name, key=key)

    async def filled(self, request: Request) -> Response:
        """Return a filled gradebook as a download."""
        gradebook = self._filled.get(request.path_params["key"])
        return self._maker.not_found() if gradebook is None else _attachment(*gradebook)

    async def _export(self, *options: str) -> _ExportResult:
        """Wait for other exports, then run `grader export` with `options` and return its result.

        An export that takes longer than `_TIMEOUT_S` is killed, and counts as a failure.
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
                content, messages = await asyncio.wait_for(process.communicate(), _TIMEOUT_S)
            except TimeoutError:
                return _ExportResult(
                    1,
                    b"",
                    f"the export took over {_TIMEOUT_S:g} s: run grader export in a terminal",
                )
            finally:
                with suppress(ProcessLookupError):  # usually, the process has already ended
                    process.kill()
        text = escape_controls(messages.decode("utf-8", "replace")[:_MAX_OUTPUT_CHARS]).strip()
        return _ExportResult(process.returncode or 0, content, text)


def _suffix(name: str) -> str:
    """Return the extension in `name` if gradebooks can have it, otherwise `.csv`."""
    suffix = Path(name).suffix.lower()
    return suffix if suffix in {".csv", ".tsv", ".txt", ".xls", ".xlsx"} else ".csv"


def _attachment(name: str, data: bytes) -> Response:
    """Return a response that the browser saves to disk as `name`, and never renders."""
    # Only this form of a file name can contain non-ASCII letters (RFC 8187).
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}"}
    return Response(data, media_type="application/octet-stream", headers=headers)
