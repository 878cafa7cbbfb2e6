"""Exports from a desk: a table of all marks, or a platform's gradebook, filled.

`grader export` does the work in a process of its own, as in a terminal beside the desk; the page
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
from grader.values.foreign_text import one_line, plain

# Its messages call the program by argv[0].
_START: Final = "import sys; sys.argv[0] = 'grader'; from grader.cli.verbs import main; main()"
_MAX_SAID_CHARS: Final = 20_000
_TABLE: Final = "marks.csv"
_VALUES: Final = ("exercise", "out-of", "round")
_SWITCHES: Final = ("overwrite", "partial", "skip-doubtful")
_KEPT: Final = 8
"""Filled gradebooks that can still be saved: several tabs may have one each."""
_MAX_S: Final = 120.0
"""An export of a thousand students takes 3 s."""


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
        self._filled: dict[str, tuple[str, bytes]] = {}
        """Names and contents of the last gradebooks that were filled, by a key in their address."""
        self._turn: Final = asyncio.Lock()
        """One export at a time: each reads the whole run."""

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
        known = {"said_by_export": "", "filled": "", "key": "", **context}
        without = len(self._desk.run.entries) - len(self._desk.rows)
        filled_in = FilledIn(typed or {})
        return self._maker.page("export.html", code, typed=filled_in, without=without, **known)

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
        values = {name: one_line(form.get(name, ""), 60) for name in _VALUES}
        options = [
            # As one argument, so that no value becomes an option.
            *(f"--{name}={value}" for name, value in values.items() if value),
            *(f"--{name}" for name in _SWITCHES if form.get(name)),
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
            key = secrets.token_hex(8)
            kept = [*self._filled.items()][1 - _KEPT :]
            self._filled = {**dict(kept), key: (name, filled.read_bytes())}
        # Paths in the temporary folder lead nowhere.
        said = "\n".join(line for line in done.said.split("\n") if folder not in line)
        return self._page(200, form, said_by_export=said, filled=name, key=key)

    async def filled(self, request: Request) -> Response:
        """Return a gradebook that was filled."""
        found = self._filled.get(request.path_params["key"])
        return self._maker.not_found() if found is None else _attached(*found)

    async def _export(self, *options: str) -> _Done:
        folder = str(self._desk.store.folder.resolve())
        async with self._turn:
            process = await asyncio.create_subprocess_exec(
                # After `--`, the name of a folder cannot be taken for an option.
                *(sys.executable, "-c", _START, "export", *options, "--", folder),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
            try:
                out, said = await asyncio.wait_for(process.communicate(), _MAX_S)
            except TimeoutError:
                return _Done(1, b"", f"this takes longer than {_MAX_S:g} s: use a terminal")
            finally:
                with suppress(ProcessLookupError):  # it has ended, as it should
                    process.kill()
        text = plain(said.decode("utf-8", "replace")[:_MAX_SAID_CHARS]).strip()
        return _Done(process.returncode or 0, out, text)


def _suffix(name: str) -> str:
    suffix = Path(name).suffix.lower()
    return suffix if suffix in {".csv", ".tsv", ".txt", ".xls", ".xlsx"} else ".csv"


def _attached(name: str, data: bytes) -> Response:
    """Return a response that the browser saves to disk and never renders."""
    # RFC 8187: only this form of a file name may have letters beyond ASCII.
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}"}
    return Response(data, media_type="application/octet-stream", headers=headers)
