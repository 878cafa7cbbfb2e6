"""`grader schema`: writes the schemas with which editors complete and check suites."""

from __future__ import annotations

from pathlib import Path

import click

from grader.plugins.authoring.courses import write_schemas
from grader.suite.exercises import suites_folder


@click.command("schema")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the files. Default: the nearest folder called 'testsuites'.",
)
def command(out: Path | None) -> None:
    """Write or update the JSON Schemas of suites in their folder, for editors."""
    for path in write_schemas(out or suites_folder(None)):
        click.echo(path)
