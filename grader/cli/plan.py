"""`grader plan`: who would be graded on which files, before anything is graded."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from grader.cli.options import exercise_option, json_option, suites_option
from grader.cli.source_options import source_options
from grader.cli.sources import SourceOptions, find_plans
from grader.reporting.plan_text import PLAN_SCHEMA, plan_fields, plan_lines
from grader.reporting.results import as_json
from grader.values.foreign_text import for_log


@click.command("plan")
@click.argument("sources", nargs=-1, required=True, type=click.Path(path_type=Path))
@exercise_option
@source_options
@click.option("--all", "everybody", is_flag=True, help="List everybody, however many.")
@suites_option
@json_option
def command(sources: tuple[Path, ...], *, everybody: bool, as_json_: bool, **options: Any) -> None:
    """Show who would be graded, with which files of SOURCES, and grade nothing.

    SOURCES are downloads from a platform: archives, folders and files, several at once.
    """
    plans = find_plans(
        sources, SourceOptions(**options, partial=True), reports=None, needs_suite=False
    )
    if as_json_:
        document = {
            "schema": PLAN_SCHEMA,
            "plans": [plan_fields(each.plan, each.exercise) for each in plans],
        }
        sys.stdout.write(as_json(document).decode("ascii"))
        return
    for index, each in enumerate(plans):
        if index:
            print()
        for line in plan_lines(each.plan, each.exercise, everybody=everybody):
            print(for_log(line))
