"""`grader sample`: writes five exercises with hand-ins, to try out grading."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import click

from grader.cli.terminal import say
from grader.errors import UsageError
from grader.plugins.authoring.samples import sample_course_files, write_new_files
from grader.values.foreign_text import one_line


@click.command("sample")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def command(folder: Path) -> None:
    """Write a course to FOLDER: five exercises with suites, hand-ins and documentation."""
    if os.path.isdir(folder) and os.listdir(folder):
        raise UsageError(
            f"the folder is not empty: {one_line(str(folder))}",
            help="choose a new folder for the course",
        )
    write_new_files(folder, dict(sample_course_files()))
    say(f"written: {one_line(str(folder))}; grade a class with:")
    click.echo(f"cd {shlex.quote(one_line(str(folder)))} && grader grade submissions/akari")
