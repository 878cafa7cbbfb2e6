"""`grader skeleton`: writes the files that students start from."""

from __future__ import annotations

import os
from pathlib import Path

import click

from grader.cli.options import reference_option, suites_option
from grader.errors import OutputError, UsageError
from grader.plugins.authoring.exercise import find_public_suite
from grader.plugins.authoring.skeleton import given_digests, skeleton_files
from grader.plugins.authoring.solutions import reference_folder
from grader.reporting.writing import write_atomically
from grader.sandbox.sandbox import new_sandbox
from grader.values.foreign_text import one_line


@click.command("skeleton")
@click.argument("exercise")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("skeleton"),
    show_default=True,
    help="Folder for the files. Existing files are not overwritten.",
)
@click.option(
    "--digests",
    is_flag=True,
    help="Write no files; print the digests of the given code, for a suite.",
)
@suites_option
@reference_option
def command(
    exercise: str, out: Path, digests: bool, suites: Path | None, reference: Path | None
) -> None:
    """Write the files that students of EXERCISE start from.

    They contain the headings and docstrings of the reference with empty bodies, and the given code.
    """
    folder = reference or reference_folder(*find_public_suite(exercise, suites))
    if digests:
        with new_sandbox() as sandbox:
            digest_by_name = given_digests(folder, sandbox)
        click.echo(
            "\n".join(
                [
                    "handed_out:",
                    *(f'  {name}: ["{digest}"]' for name, digest in digest_by_name.items()),
                ]
            )
        )
        return
    files = skeleton_files(folder)
    existing = [name for name in files if os.path.lexists(out / name)]  # broken links count too
    if existing:
        raise UsageError(
            f"{one_line(str(out))} already contains {', '.join(existing)}",
            help="choose another folder with --out: existing files are never overwritten",
        )
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"cannot create the folder {one_line(str(out))}: {error.strerror}",
            help="choose another folder with --out",
        ) from error
    for name, text in files.items():
        write_atomically(out / name, text.encode())
        click.echo(out / name)
