"""`grader check`: one's own file or folder, before handing in."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import click

from grader.cli.options import exercise_option, json_option, junit_option, suites_option
from grader.judging.record import Record
from grader.run.needs import require_isolation
from grader.sandbox.sandbox import new_sandbox

WATCH_ALONE: Final = "--watch goes with none of --json, --junit, --page and --github"
"""It is said in the language of the exercise."""


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
    junit: Path | None,
    as_json_: bool,
    watch: bool,
    page: Path | None,
    github: bool,
    dodona: bool,
    **asked: Any,
) -> None:
    """Check your own FILE or FOLDER against the examples of the exercise.

    The exercise is found from the names that the file defines, unless --exercise says it.

    What is printed fits on a screen; --all prints everything.

    The exit code is 1 when a case does not pass, or a rule that costs points is broken.
    """
    if watch and (as_json_ or github or junit is not None or page is not None):
        raise click.UsageError(WATCH_ALONE)
    if dodona:
        if as_json_ or watch or github or junit is not None or page is not None:
            raise click.UsageError("--dodona prints for Dodona alone: leave out the other outputs")
        from grader.cli import publishing  # noqa: PLC0415 - it has the templates of pages

        publishing.judge_for_dodona(lambda: _isolated(paths, exercise, suites))
        return
    with closing(new_sandbox()) as sandbox:
        from grader.cli import check_output, check_submission  # noqa: PLC0415 - meanwhile the sandbox gets ready

        path, entry = paths[0], check_submission.entry_of(paths, exercise, suites)
        wanted = check_output.Asked(**asked)
        with check_submission.EntryWorker(exercise, suites, sandbox) as worker:
            if watch:
                check_submission.watch_on(path, worker, wanted)
                return
            if github:
                require_isolation(sandbox.isolation)
            record = worker.record_of(entry)
            if page is not None or github:
                from grader.cli import publishing  # noqa: PLC0415 - it has the templates of pages

                publishing.publish(worker.shortened(record), path, page, github=github)
            told = worker.shortened
            exit_code = check_submission.tell(record, path, junit, wanted, told, as_json=as_json_)
    if exit_code:
        sys.exit(exit_code)


def _isolated(paths: tuple[Path, ...], exercise: str | None, suites: Path | None) -> Record:
    """Return the record of the submission at `paths`; raises a `GraderError` without isolation."""
    with closing(new_sandbox()) as sandbox:
        from grader.cli import check_submission  # noqa: PLC0415 - meanwhile the sandbox gets ready

        entry = check_submission.entry_of(paths, exercise, suites)
        require_isolation(sandbox.isolation)
        with check_submission.EntryWorker(exercise, suites, sandbox) as worker:
            return worker.shortened(worker.record_of(entry))
