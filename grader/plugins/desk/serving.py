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

_MAX_WARNINGS: Final = 20


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
    """Serve the desk of `run` on `port` until Ctrl-C. A `port` of 0 means any free port.

    Stores new requests in the run first. Return why pages or reports could not be written, or "" if
    they could. Raises a `GraderError` if the run, another file or the port cannot be used.
    """
    rubric_file = None if rubric is None else RubricFile(rubric)
    with (
        ExitStack() as stack,
        Store.writing(run) as store,  # first, because it makes this process the only writer
        Renewer(run / STORE_NAME) as renewer,
        _listening_socket(port) as listener,
    ):
        if requests is not None:
            _warn_left_out(note_requests(store, requests), requests)
        earlier_stores = [stack.enter_context(Store.reading(each)) for each in earlier]
        desk = RunDesk(store, by, renewer, rubric_file, suites, earlier_stores)
        browser_pass = Pass(port=listener.getsockname()[1])  # not `port`, which can be 0
        server = _server(desk_app(desk, browser_pass, lambda: renewer.problem))
        _announce(run, browser_pass.address, opens=opens)
        with suppress(KeyboardInterrupt):  # the usual way to stop the desk
            server.run(sockets=[listener])
        say("writing the reports")  # the renewer writes them, on leaving this block
    return renewer.problem


def _warn_left_out(problems: Sequence[str], path: Path) -> None:
    """Print a warning for each of the first `problems` with requests from `path`."""
    for problem in problems[:_MAX_WARNINGS]:
        warn(f"a request in {one_line(str(path))} was left out: {problem}")
    if len(problems) > _MAX_WARNINGS:
        warn(f"... and {len(problems) - _MAX_WARNINGS} more")


def _server(app: DeskGuard) -> uvicorn.Server:
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        lifespan="off",
        server_header=False,
        proxy_headers=False,  # there is no proxy, so such headers are forged
        ws="none",
    )
    return uvicorn.Server(config)


def _listening_socket(port: int) -> socket.socket:
    """Return a socket that only this machine can reach.

    Raises `OutputError` if the port cannot be used.
    """
    listener = socket.socket()
    # Without this option, the port of a desk stays in use for a minute after the desk has closed.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen()  # a browser might be quicker than the server
    except OSError as error:
        listener.close()
        raise OutputError(
            f"cannot listen on port {port}: {error.strerror}",
            help="choose another --port, or leave it out for any free one",
        ) from error
    return listener


def _announce(run: Path, address: str, *, opens: bool) -> None:
    """Print the address of the desk, and open it in a browser if `opens` is true."""
    print(address, flush=True)  # a program that reads it through a pipe needs it now
    say(f"the desk for {one_line(str(run))}: the address works once; Ctrl-C ends the desk")
    if opens:
        with suppress(webbrowser.Error):
            browser = webbrowser.get()
            # A generic browser runs in this terminal, and would take it over.
            if type(browser) is not webbrowser.GenericBrowser:
                browser.open(address)
