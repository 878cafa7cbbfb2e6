"""`grader kit`: writes a self-contained check for students who cannot install anything."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.options import suites_option
from grader.cli.suites import find_suite_with_wording
from grader.cli.terminal import say, warn
from grader.plugins.kit.assembling import kit_name, kit_text
from grader.plugins.kit.editors import editor_archive
from grader.reporting.writing import write_atomically
from grader.suite.vocabulary import optional_packages
from grader.values.foreign_text import one_line


@click.command("kit")
@click.argument("exercise")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File to write. Default: check_EXERCISE.py or .zip in the current folder.",
)
@click.option(
    "--zip",
    "as_zip",
    is_flag=True,
    help="Write an archive of a folder for VS Code, with a task that runs the kit.",
)
@suites_option
def command(exercise: str, out: Path | None, *, as_zip: bool, suites: Path | None) -> None:
    """Write the public cases of EXERCISE and the judge as one Python file.

    The file needs only Python 3.11 or newer, and reports the same as `grader check`. It has no
    sandbox, because students check their own code with it.
    """
    suite = find_suite_with_wording(exercise, suites)
    text = kit_text(suite).encode()
    name = kit_name(suite.exercise)
    path = out or Path(name).with_suffix(".zip" if as_zip else ".py")
    write_atomically(path, editor_archive(suite, name, text) if as_zip else text)
    say(f"written: {one_line(str(path))}")
    if suite.stand_ins:
        modules = ", ".join(f"{one_line(module)}.py" for module in suite.stand_ins)
        warn(
            f"students can read your stand-ins in the kit, so keep solutions out of them: {modules}"
        )
    if packages := optional_packages(suite.imports):
        warn(f"students must install these packages to run the kit: {', '.join(packages)}")
    if suite.rules:
        say(f"a kit does not check rules: {len(suite.rules)} omitted")
    if suite.advice:
        say("a kit gives no advice")
