"""`grader desk`: decide on a run in the browser of this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from grader.cli.mark import decider_name
from grader.cli.options import suites_option
from grader.cli.terminal import say, warn
from grader.errors import UsageError
from grader.store.store import Store


@click.command("desk")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--by", metavar="NAME", help="Your name, for the decisions. Default: your user name.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Default: any free port.")
@click.option(
    "--rubric",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Offer the items of this YAML file.",
)
@click.option(
    "--requests",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Put students' requests, in this CSV file or folder of emails, first in the queue.",
)
@click.option(
    "--before",
    "earlier",
    type=click.Path(path_type=Path, file_okay=False),
    multiple=True,
    help="Also show the attempts in this earlier run. Repeatable; the oldest first.",
)
@suites_option
@click.option(
    "--open/--no-open", "opens", default=True, help="Open a browser, or only print the address."
)
def command(run: Path, by: str | None, **options: Any) -> None:
    """Decide on the submissions of RUN in a browser, one by one.

    Submissions that need a person come first. Only this machine can reach the desk, at the address
    that it prints. Decisions are stored as `grader mark` stores them. Ctrl-C ends the desk.
    """
    try:
        from grader.plugins.desk.serving import serve  # noqa: PLC0415 - needs the extra
    except ModuleNotFoundError as error:
        raise UsageError(
            f"a desk needs {error.name}, which is not installed",
            help="pip install 'sessiongrader[desk]'",
        ) from error
    with Store.reading(run):
        pass  # opened for reading first, so that nothing is created where there is no run
    problem = serve(run, decider_name(by), **options)
    if problem:
        warn(f"pages or reports could not be written: {problem}")
        say("  = help: all decisions are stored; fix that, and `grader report` writes the pages")
