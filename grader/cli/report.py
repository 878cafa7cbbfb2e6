"""`grader report`: rewrites the reports of a run from its records."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Final

import click

from grader.cli.options import json_option, junit_option
from grader.cli.terminal import say, warn
from grader.errors import NothingToGrade
from grader.reporting.output import INDEX_NAME, write_reports
from grader.store.store import Store
from grader.store.written_files import RESULTS_NAME
from grader.values.foreign_text import count_noun, one_line
from grader.verdict import Status

EXIT_FAULTS: Final = 6


@click.command("report")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--sheets", is_flag=True, help="Also write sheets, even if the run wrote none.")
@junit_option
@json_option
def command(run: Path, sheets: bool, junit: Path | None, as_json_: bool) -> None:
    """Write all reports of RUN again, a folder made by `grader grade --out`.

    Nothing is graded: the reports are made from the records in the folder. If the run was
    interrupted or killed, they cover the submissions graded by then.
    """
    with Store.reading(run):
        pass  # raises if there is no run, which opening for writing would create
    with Store.writing(run) as store:
        sheets = sheets or store.run.settings.sheets
        counts = write_reports(run, store, junit=junit, sheets=sheets, pages=True)
        total = len(store.run.entries)
    if counts.total() < total:
        warn(
            f"the reports cover {counts.total()} of {total} submissions,"
            " because not all have been graded; run the grading command again to continue"
        )
    if as_json_:
        print_results(run)
    print_report_location(run)
    exit_on_faults(counts[Status.FAULT])


def print_results(run: Path) -> None:
    """Print the `results.json` of the run in the folder `run` to standard output."""
    with (run / RESULTS_NAME).open(encoding="ascii") as results:
        shutil.copyfileobj(results, sys.stdout)


def print_report_location(run: Path) -> None:
    """Print the path of the reports of a run."""
    say(f"reports: {one_line(str(run / INDEX_NAME))}")


def exit_on_faults(count: int) -> None:
    """Print the number of faults and exit with the code for them, if there are any.

    `count` is the number of submissions on which the grader failed.
    """
    if count:
        say(
            f"the grader failed on {count_noun(count, 'submission')}, so there is no result;"
            " run the grading command again to retry"
        )
        sys.exit(EXIT_FAULTS)


def require_graded(counts: Counter[Status]) -> None:
    """Raise `NothingToGrade` if `counts` shows that no hand-in could be run."""
    if not counts[Status.GRADED]:
        total = counts.total()
        raise NothingToGrade(
            "the only hand-in could not be run"
            if total == 1
            else f"none of the {total} hand-ins could be run",
            help="see the students' pages for the reasons, and `grader plan` for the files found",
        )
