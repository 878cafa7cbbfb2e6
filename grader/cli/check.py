"""`grader check`: checks a student's own file or folder before it is handed in."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, Final

import click

from grader.cli.options import exercise_option, json_option, junit_option, suites_option
from grader.cli.result_files import results_option
from grader.cli.status_line import STATUS
from grader.sandbox.sandbox import end_early, new_sandbox, start_early
from grader.values.foreign_text import one_line

OTHER_SEED: Final = 1
"""The first hash seed for rerunning a program that might be right or wrong by luck."""
_GUESS_BYTES: Final = 1 << 16  # the start of a large file is enough for a guess
# Repetitions are bounded, so that no file can make this slow.
_MAY_VARY: Final = re.compile(
    rb"""\b(?:set|frozenset)\(
       | ^[ \t]*(?:import|from)\ (?:datetime|random|secrets|time|uuid)\b
       | \{[^{}:'"\n,]{1,80}(?:,|\bfor\b)[^{}:'"\n]{0,80}\}""",
    re.MULTILINE | re.VERBOSE,
)
"""Matches typical code that uses sets, random numbers or a clock."""


@click.command("check")
@click.argument(
    "paths", metavar="FILE|FOLDER", type=click.Path(path_type=Path), nargs=-1, required=True
)
@exercise_option
@suites_option
@junit_option
@results_option
@click.option(
    "--trust-submissions",
    is_flag=True,
    help="With --github, or with --results that include a mark: check even without isolation.",
)
@click.option(
    "--page",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the student's page to this file.",
)
@click.option(
    "--github",
    is_flag=True,
    help="Annotate lines and write a summary for GitHub; fails without isolation.",
)
@click.option(
    "--dodona", is_flag=True, help="Print only the output that Dodona expects from a judge."
)
@json_option
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Print more: the first failure in each failing part, in full.",
)
@click.option("-v", "verbose", is_flag=True, help="Print a line for every case.")
@click.option("-k", "wanted", metavar="EXPR", help="Only cases with EXPR in their id or code.")
@click.option("-x", "exitfirst", is_flag=True, help="Print only the first failure.")
@click.option("--lf", "last_failed", is_flag=True, help="Only cases that failed last time.")
@click.option("--watch", is_flag=True, help="Check again after each save, until Ctrl-C.")
def command(
    paths: tuple[Path, ...],
    exercise: str | None,
    suites: Path | None,
    **options: Any,
) -> None:
    """Check your own FILE or FOLDER against the examples of the exercise.

    The exercise is recognised by the names that the file defines, unless --exercise names it.

    The output fits on one screen; --all prints everything.

    The exit code is 1 if points are lost, or a rule that costs points is broken. With --results for
    a platform that takes the mark, hidden cases count too, and it is 0 once there is a mark.
    """
    with ExitStack() as stack:
        name = one_line(paths[0].name or str(paths[0]))
        # The same text in all languages, because the exercise's language is not known yet.
        stack.enter_context(STATUS.showing(f"grader check {name} …"))
        sandbox = stack.enter_context(closing(new_sandbox()))
        stack.callback(end_early)  # ends a sandbox that was started early but never used
        if _may_vary(paths):
            start_early(OTHER_SEED)

        from grader.cli import check_submission  # noqa: PLC0415 - slow, so sandboxes start meanwhile

        exit_code = check_submission.check(paths, exercise, suites, sandbox, **options)
    if exit_code:
        sys.exit(exit_code)


def _may_vary(paths: Sequence[Path]) -> bool:
    """Guess from the source text whether the single file at `paths` might be right only by luck.

    The guess only decides whether to start a second sandbox early. If the guess is wrong, the judge
    waits for a sandbox, or one stays unused.
    """
    try:
        (path,) = paths
        if not os.path.isfile(path):
            return False
        with open(path, "rb") as file:
            return _MAY_VARY.search(file.read(_GUESS_BYTES)) is not None
    except (OSError, ValueError):  # several paths or an unreadable one, which `check` reports
        return False
