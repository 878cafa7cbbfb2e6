"""`grader desk`: decide on a run in the browser of this machine."""

from __future__ import annotations

import socket
import webbrowser
from contextlib import ExitStack, suppress
from pathlib import Path

import click

from grader.cli.mark import who_decides
from grader.cli.options import suites_option
from grader.cli.terminal import say, warn
from grader.errors import OutputError, UsageError
from grader.store.store import STORE_NAME, Store
from grader.values.foreign_text import one_line


@click.command("desk")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--by", metavar="NAME", help="Who decides. Default: your user name.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Default: any that is free.")
@click.option(
    "--rubric",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Offer the items of this file in YAML.",
)
@click.option(
    "--requests",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Put what students ask, in this CSV or folder of mails, at the head of the queue.",
)
@click.option(
    "--before",
    "earlier",
    type=click.Path(path_type=Path, file_okay=False),
    multiple=True,
    help="A run with earlier attempts, to be shown beside these; the oldest first.",
)
@suites_option
@click.option("--open/--no-open", "opens", default=True, help="Open a browser, or only say where.")
def command(
    run: Path,
    by: str | None,
    port: int,
    rubric: Path | None,
    requests: Path | None,
    earlier: tuple[Path, ...],
    suites: Path | None,
    opens: bool,
) -> None:
    """Decide on the submissions of RUN one after the other, in a browser.

    What needs a person comes first. Only this machine can reach the desk, by the address that is
    printed. Whatever is answered is stored, as by `grader mark`; Ctrl-C ends the desk.
    """
    try:
        import uvicorn  # noqa: PLC0415 - an extra

        from grader.plugins.desk.app import desk_app  # noqa: PLC0415 - needs Starlette
        from grader.plugins.desk.guarding import Pass  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise UsageError(
            f"a desk needs {error.name}, which is not installed",
            help="pip install 'sessiongrader[desk]'",
        ) from error
    from grader.plugins.desk.renewing import Renewer  # noqa: PLC0415
    from grader.plugins.desk.rubric import read_rubric  # noqa: PLC0415
    from grader.plugins.desk.run_desk import RunDesk  # noqa: PLC0415
    from grader.plugins.desk.student_requests import note_requests  # noqa: PLC0415

    who, items = who_decides(by), None if rubric is None else read_rubric(rubric)
    with Store.reading(run):
        pass  # nothing is made where there is no run
    with (
        ExitStack() as opened,
        Store.writing(run) as store,
        Renewer(run / STORE_NAME) as renewer,
        _listening(port) as listening,
    ):
        if requests is not None:
            note_requests(store, requests)
        lets_in = Pass(port=listening.getsockname()[1])
        before = [opened.enter_context(Store.reading(each)) for each in earlier]
        desk = RunDesk(store, who, renewer, items, suites, before)
        app = desk_app(desk, lets_in, lambda: renewer.trouble)
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            lifespan="off",
            server_header=False,
            proxy_headers=False,
            ws="none",
        )
        _invite(run, lets_in.address, opens=opens)
        with suppress(KeyboardInterrupt):  # the way to leave
            uvicorn.Server(config).run(sockets=[listening])
        say("writing the reports")
    if renewer.trouble:
        warn(f"pages or reports could not be written: {renewer.trouble}")
        say("  = help: mend that, then `grader report` writes them; what was decided is stored")


def _listening(port: int) -> socket.socket:
    """Return a socket of this machine alone."""
    listening = socket.socket()
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
    print(address, flush=True)
    say(f"the desk of {one_line(str(run))}; it opens once; Ctrl-C ends it")
    if opens:
        with suppress(webbrowser.Error):
            browser = webbrowser.get()
            if type(browser) is not webbrowser.GenericBrowser:  # which would take this terminal
                browser.open(address)
