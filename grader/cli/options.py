"""Options that several verbs share."""

from __future__ import annotations

from pathlib import Path

import click

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
reference_option = click.option(
    "--reference",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Folder of the exercise's reference. Default: beside the spec that the suite names.",
)
