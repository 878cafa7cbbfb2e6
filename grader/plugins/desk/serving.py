"""Serves a desk to the browser of this machine until Ctrl-C. It needs the extra `desk`."""

from __future__ import annotations

import socket
import webbrowser
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final

import python_multipart  # noqa: F401 - Starlette would miss it only when a gradebook is uploaded
import uvicorn

from grader.cli.terminal import say, warn
from grader.errors import OutputError
from grader.plugins.desk.app import desk_app
from grader.plugins.desk.guarding import DeskGuard, Pass
from grader.plugins.desk.renewing import Renewer
from grader.plugins.desk.rubric import RubricFile
from grader.plugins.desk.run_desk import RunDesk
from grader.plugins.desk.student_requests import note_requests
from grader.store.store import STORE_NAME, Store
from grader.values.foreign_text import one_line

_MAX_NAMED: Final = 20


def serve(
    run: Path,
    by: str,
    *,
    port: int,
    rubric: Path | None,
    requests: Path | None,
    earlier: Sequence[Path],
    suites: Path | None,
    opens: bool,
) -> str:
    """Serve the desk of `run` at `port`, any free one if it is 0, until Ctrl-C.

    Returns why pages or reports could not be written, "" if they could. Raises a `GraderError` if
    the run, another file or the port cannot be used.
    """
    items = None if rubric is None else RubricFile(rubric)
    with (
        ExitStack() as opened,
        Store.writing(run) as store,  # first, as it makes this process the only writer
        Renewer(run / STORE_NAME) as renewer,
        _listening(port) as listening,
    ):
        if requests is not None:
            _name_left_out(note_requests(store, requests))
        before = [opened.enter_context(Store.reading(each)) for each in earlier]
        desk = RunDesk(store, by, renewer, items, suites, before)
        lets_in = Pass(port=listening.getsockname()[1])  # not `port`, which may be 0
        server = _server(desk_app(desk, lets_in, lambda: renewer.trouble))
        _invite(run, lets_in.address, opens=opens)
        with suppress(KeyboardInterrupt):  # the way to leave
            server.run(sockets=[listening])
        say("writing the reports")
    return renewer.trouble


def _name_left_out(problems: Sequence[str]) -> None:
    for problem in problems[:_MAX_NAMED]:
        warn(f"a request is left out: {problem}")
    if len(problems) > _MAX_NAMED:
        warn(f"... and {len(problems) - _MAX_NAMED} more")


def _server(app: DeskGuard) -> uvicorn.Server:
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        lifespan="off",
        server_header=False,
        proxy_headers=False,  # no proxy is in front: whoever sends them forges them
        ws="none",
    )
    return uvicorn.Server(config)


def _listening(port: int) -> socket.socket:
    """Return a socket that only this machine can reach."""
    listening = socket.socket()
    # Else a port stays taken for a minute after its last desk has closed.
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
        listening.listen()  # a browser may be quicker than the server
    except OSError as error:
        listening.close()
        raise OutputError(
            f"cannot listen at port {port}: {error.strerror}", help="name another --port, or none"
        ) from error
    return listening


def _invite(run: Path, address: str, *, opens: bool) -> None:
    print(address, flush=True)  # a pipe would hold it back
    say(f"the desk of {one_line(str(run))}; it opens once; Ctrl-C ends it")
    if opens:
        with suppress(webbrowser.Error):
            browser = webbrowser.get()
            if type(browser) is not webbrowser.GenericBrowser:  # which would take this terminal
                browser.open(address)
