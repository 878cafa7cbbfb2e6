"""`grader pack`: suites that work without the course around them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from grader.cli.options import suites_option
from grader.cli.terminal import say, warn
from grader.errors import UsageError
from grader.plugins.authoring.exercise import find_public
from grader.plugins.authoring.packing import packed_suite, without_schema
from grader.reporting.writing import write_below
from grader.suite.exercises import suite_paths, suites_folder
from grader.suite.loading import hidden_suite_of
from grader.values.foreign_text import one_line


@click.command("pack")
@click.argument("exercises", nargs=-1, metavar="[EXERCISE]...")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("packed"),
    show_default=True,
    help="Folder for the suites. It is made when it is not there.",
)
@click.option("--hidden", is_flag=True, help="Copy the hidden suites too. Not for students.")
@suites_option
def command(exercises: Sequence[str], out: Path, hidden: bool, suites: Path | None) -> None:
    """Write the suite of each EXERCISE, or of all, as one file that needs no other one.

    It has the code in it that the suite names: given code, checkers, stand-ins.
    """
    for exercise in exercises or suite_paths(suites_folder(suites)):
        _, path = find_public(exercise, suites)
        if out.resolve() == path.resolve().parent:
            raise UsageError(
                f"{one_line(str(out))} holds the suites themselves", help="name another folder"
            )
        _write(out, path.name, packed_suite(path))
        beside = hidden_suite_of(path)
        if hidden and beside.is_file():
            _write(out, beside.name, without_schema(beside))
            warn(f"{one_line(beside.name)} is not for students")


def _write(folder: Path, name: str, text: str) -> None:
    write_below(folder, name, text.encode())
    say(f"written: {one_line(str(folder / name))}")
