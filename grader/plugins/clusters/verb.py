"""`grader merge`: merges the shards of a run into one run with all reports."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import click

from grader.cli.mark import warn_of_doubtful_decisions
from grader.cli.options import engine_option, jobs_option, json_option, junit_option
from grader.cli.progress import RunProgress
from grader.cli.report import exit_on_faults, print_report_location, print_results, require_graded
from grader.cli.terminal import join_names, say, warn
from grader.errors import UsageError
from grader.plugins.clusters.merging import Merge, copy_entries, plan_merge
from grader.reporting.output import prepare, write_reports
from grader.run.engines import make_engine
from grader.run.keeping import remove_stale_pages
from grader.run.pages import entries_without_page, write_pages
from grader.sandbox.sandbox import usable_cores
from grader.store.store import Store
from grader.values.foreign_text import one_line
from grader.verdict import Status

EXIT_INCOMPLETE: Final = 130
"""The exit code if results are missing, as for an interrupted run."""
_MAX_LISTED: Final = 10
"""The largest number of shards, and of students in each, to list."""


@click.command("merge")
@click.argument("out", type=click.Path(path_type=Path, file_okay=False))
@click.argument(
    "shards", metavar="SHARD...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@jobs_option
@engine_option
@junit_option
@json_option
def command(
    out: Path,
    shards: tuple[Path, ...],
    jobs: int | None,
    engine: str,
    junit: Path | None,
    as_json_: bool,
) -> None:
    """Merge the SHARDs of a run into OUT, and write its reports there.

    The SHARDs are the folders that `grader grade --shard` created. The reports are the same as
    without shards. If results are missing, the reports cover the rest; merge again when the missing
    results exist.
    """
    for shard in shards:
        if shard.resolve() == out.resolve():
            raise UsageError(
                f"{one_line(str(shard))} cannot be merged into itself",
                help="give the folder for the whole run first, then the shards",
            )
    merge = plan_merge(shards)
    if merge.mixed_exercises:
        warn(
            f"marks of {join_names(merge.mixed_exercises)} may not be comparable: their shards"
            " were graded with different versions of the grader, Python or a package; grade these"
            " shards again with the same versions"
        )
    with (
        make_engine(engine, jobs or usable_cores()) as workers,
        Store.writing(out) as store,
    ):
        prepare(out, junit)
        copy_entries(merge, store)
        entries = entries_without_page(store)
        with RunProgress(len(entries), "writing", "written") as progress:
            for student in write_pages(out, store, entries, workers):
                progress.advance(student)
        remove_stale_pages(out, store)
        counts = write_reports(out, store, junit=junit, sheets=merge.run.settings.sheets)
        warn_of_doubtful_decisions(store)
        store.record_event("merged", graded=counts.total())
    if as_json_:
        print_results(out)
    print_report_location(out)
    _exit_on_missing(merge)
    exit_on_faults(counts[Status.FAULT])
    require_graded(counts)


def _exit_on_missing(merge: Merge) -> None:
    """Print which results are missing, and exit with `EXIT_INCOMPLETE` if there are any."""
    missing = list(merge.missing)
    for shard, entries in missing[:_MAX_LISTED]:
        omitted = len(entries) - _MAX_LISTED
        students = join_names(entry.student for entry in entries[:_MAX_LISTED])
        say(f"missing in shard {shard}: {students}{f' and {omitted} more' if omitted > 0 else ''}")
    if len(missing) > _MAX_LISTED:
        say(f"and in {len(missing) - _MAX_LISTED} more shards")
    if missing:
        say("the reports cover the rest; grade the missing hand-ins and merge again")
        sys.exit(EXIT_INCOMPLETE)
