"""`grader check`: one's own file or folder, before handing in."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from grader.cli.options import exercise_option, json_option, junit_option, suites_option
from grader.sandbox.sandbox import new_sandbox


@click.command("check")
@click.argument(
    "paths", metavar="FILE|FOLDER", type=click.Path(path_type=Path), nargs=-1, required=True
)
@exercise_option
@suites_option
@junit_option
@click.option(
    "--page", type=click.Path(path_type=Path, dir_okay=False), help="Write the page to this file."
)
@click.option(
    "--github", is_flag=True, help="Put notes on lines and a summary; refuse without isolation."
)
@click.option(
    "--dodona", is_flag=True, help="Print what Dodona reads of a judge, and nothing else."
)
@json_option
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Print more: of each part that fails its first failure in full.",
)
@click.option("-v", "verbose", is_flag=True, help="Print a line for every case.")
@click.option("-k", "wanted", metavar="EXPR", help="Only cases with EXPR in their id or code.")
@click.option("-x", "exitfirst", is_flag=True, help="Print the first failure alone.")
@click.option("--lf", "last_failed", is_flag=True, help="Only cases that failed the last time.")
@click.option("--watch", is_flag=True, help="Check again on each save, until Ctrl-C.")
def command(
    paths: tuple[Path, ...],
    exercise: str | None,
    suites: Path | None,
    **options: Any,
) -> None:
    """Check your own FILE or FOLDER against the examples of the exercise.

    The exercise is found from the names that the file defines, unless --exercise says it.

    What is printed fits on a screen; --all prints everything.

    The exit code is 1 when a case does not pass, or a rule that costs points is broken.
    """
    with closing(new_sandbox()) as sandbox:
        from grader.cli import check_submission  # noqa: PLC0415 - meanwhile the sandbox gets ready

        exit_code = check_submission.check(paths, exercise, suites, sandbox, **options)
    if exit_code:
        sys.exit(exit_code)
