"""`grader plan`: shows who would be graded on which files, before grading."""

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
from grader.values.foreign_text import log_safe


@click.command("plan")
@click.argument("sources", nargs=-1, required=True, type=click.Path(path_type=Path))
@exercise_option
@source_options
@click.option("--all", "everybody", is_flag=True, help="List everybody, even in a large class.")
@suites_option
@json_option
def command(sources: tuple[Path, ...], *, everybody: bool, as_json_: bool, **options: Any) -> None:
    """Show who would be graded with which files in SOURCES, without grading anything.

    SOURCES are one or more downloads from a platform: archives, folders or files.
    """
    # `partial`, because a plan is the place to see what is missing from a class.
    plans = find_plans(
        sources, SourceOptions(**options, partial=True), reports=None, needs_suite=False
    )
    if as_json_:
        document = {
            "schema": PLAN_SCHEMA,
            "plans": [plan_fields(planned.plan, planned.exercise) for planned in plans],
        }
        sys.stdout.write(as_json(document).decode("ascii"))
        return
    for index, planned in enumerate(plans):
        if index:
            print()
        for line in plan_lines(planned.plan, planned.exercise, everybody=everybody):
            print(log_safe(line))
