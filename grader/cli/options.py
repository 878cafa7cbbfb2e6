"""Options that several verbs share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from grader.intake.layouts import LAYOUTS
from grader.intake.plan import Choice

_Command = TypeVar("_Command", bound=Callable[..., Any])

suites_option = click.option(
    "--suites",
    type=click.Path(path_type=Path),
    help="Folder of suites. Default: the nearest folder 'testsuites'.",
)
exercise_option = click.option(
    "--exercise", metavar="NAME", help="Name of the exercise, or the path of its suite."
)
json_option = click.option(
    "--json", "as_json_", is_flag=True, help="Print JSON on standard output."
)
junit_option = click.option(
    "--junit", type=click.Path(path_type=Path, dir_okay=False), help="Write JUnit XML to this file."
)
jobs_option = click.option(
    "--jobs", type=click.IntRange(1, 256), help="Workers. Default: one per core."
)
engine_option = click.option(
    "--engine",
    default="local",
    metavar="NAME",
    show_default=True,
    help="Where workers are: local, dask=ADDRESS, or MODULE:FACTORY of an executor.",
)
reference_option = click.option(
    "--reference",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Folder of the exercise's reference. Default: beside the spec that the suite names.",
)


def source_options(command: _Command) -> _Command:
    """Add what can be said of sources."""
    options = (
        click.option(
            "--layout",
            type=click.Choice(sorted(LAYOUTS)),
            help="The platform that named the files. Default: told by their names.",
        ),
        click.option(
            "--pattern",
            metavar="REGEX",
            help="Take students from paths by this, with a group (?P<student>...).",
        ),
        click.option(
            "--roster",
            type=click.Path(path_type=Path, dir_okay=False),
            help="Table of the course, to join ids, user names and names.",
        ),
        click.option(
            "--attempt",
            type=click.Choice([choice.value for choice in Choice]),
            default=Choice.LATEST.value,
            show_default=True,
            help="Which of several attempts is graded.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command
