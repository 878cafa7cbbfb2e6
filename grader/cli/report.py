"""`grader report`: makes the reports of a run again from its records."""

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
from grader.store.written import RESULTS_NAME
from grader.values.foreign_text import one_line
from grader.verdict import Status

EXIT_FAULTS: Final = 6


@click.command("report")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--sheets", is_flag=True, help="Write sheets too, even if the run wrote none.")
@junit_option
@json_option
def command(run: Path, sheets: bool, junit: Path | None, as_json_: bool) -> None:
    """Write all reports of RUN again, a folder that `grader grade --out` has made.

    Nothing is graded: the reports are made from the records in it. Those of a run that was
    interrupted or killed cover what was graded by then.
    """
    with Store.reading(run):
        pass  # raises without a run, which writing would create
    with Store.writing(run) as store:
        sheets = sheets or store.run.settings.sheets
        counts = write_reports(run, store, junit=junit, sheets=sheets, pages=True)
        total = len(store.run.entries)
    if counts.total() < total:
        warn(
            f"{counts.total()} of {total} submissions were graded, and the reports cover only those"
        )
    if as_json_:
        print_results(run)
    say_where(run)
    exit_on_faults(counts[Status.FAULT])


def print_results(run: Path) -> None:
    """Print the `results.json` of a run."""
    with (run / RESULTS_NAME).open(encoding="ascii") as results:
        shutil.copyfileobj(results, sys.stdout)


def say_where(run: Path) -> None:
    """Say where the reports of a run are."""
    say(f"reports: {one_line(str(run / INDEX_NAME))}")


def exit_on_faults(count: int) -> None:
    """Exit with the code for faults, if there are any."""
    if count:
        say(f"{count} submissions could not be graded; that is our fault, not theirs")
        sys.exit(EXIT_FAULTS)


def require_graded(counts: Counter[Status]) -> None:
    """Raise `NothingToGrade` if no hand-in could be run."""
    if not counts[Status.GRADED]:
        raise NothingToGrade(
            f"none of the {counts.total()} hand-ins could be run",
            help="their pages say why; `grader plan` shows who was found with which files",
        )
