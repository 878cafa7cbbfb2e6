"""`grader new`: creates a course, and exercises in it, for authors to complete."""

from __future__ import annotations

import keyword
import os
import re
import shlex
import sys
from pathlib import Path

import click

from grader.cli.terminal import say
from grader.errors import UsageError
from grader.plugins.authoring.courses import find_course, write_schemas
from grader.plugins.authoring.samples import (
    CI,
    CI_PLATFORMS,
    COURSE,
    exercise_from_sample,
    exercise_kinds,
    module_name_for,
    sample_files,
    write_new_files,
)
from grader.suite.exercises import FOLDER_NAME as SUITES
from grader.suite.texts import SLUG_PATTERN
from grader.values.foreign_text import one_line

_KINDS = exercise_kinds()  # click needs the choices at import


@click.group("new")
def command() -> None:
    """Create a course, an exercise in it, or CI files."""


@command.command("course")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def new_course(folder: Path) -> None:
    """Create a course in FOLDER, with folders for exercises, suites and hand-ins, and settings."""
    write_new_files(folder, dict(sample_files(COURSE)))
    write_schemas(folder / SUITES)
    say(f"written: {one_line(str(folder))}; create an exercise in it with:")
    click.echo(f"cd {shlex.quote(one_line(str(folder)))} && grader new exercise NAME")


@command.command("exercise")
@click.argument("name")
@click.option(
    "--kind",
    type=click.Choice(_KINDS),
    default="function",
    show_default=True,
    help="Start from a small working exercise of this kind.",
)
@click.option(
    "--like",
    type=click.Choice(_KINDS),
    help="Like --kind, but also copy the right and wrong solutions.",
)
@click.option("--title", help="Title that students see. Default: made from NAME.")
def new_exercise(name: str, kind: str, like: str | None, title: str | None) -> None:
    """Create the exercise NAME in the current course.

    It starts with the text, settings, reference and generator of a small working exercise. Replace
    them one by one.
    """
    _check_name(name)
    course = find_course()
    folder = course.reference(name)
    title = title or re.sub("[-_]", " ", name).capitalize()
    files = exercise_from_sample(like or kind, name, title, course.language)
    if like is None:
        # the subfolders contain solutions
        files = {file: data for file, data in files.items() if "/" not in file}
    write_new_files(folder, files)
    for file in files:
        say(f"written: {os.path.relpath(folder / file)}")
    say("put your own text in spec.md and your solution beside it, then:")
    click.echo(f"grader derive {name}")
    if like is not None:
        faulty = shlex.quote(os.path.relpath(folder / "faulty"))
        click.echo(f"grader grade {faulty} --exercise {name}")
    if "generator.py" in files:
        click.echo(f"grader generate {name}")
    else:
        say("for hidden cases, add `sessions` with visibility: hidden to exercise.yaml")


@command.command("ci")
@click.argument("platform", type=click.Choice(CI_PLATFORMS))
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="Folder for the files. Default: the current folder.",
)
def new_ci(platform: str, out: Path) -> None:
    """Write CI files that check hand-ins on PLATFORM with the staff's suites."""
    files = dict(sample_files(f"{CI}/{platform}"))
    write_new_files(out, files)
    for file in files:
        say(f"written: {one_line(str(out / file))}")


def _check_name(name: str) -> None:
    """Raise `UsageError` if `name` is not valid for an exercise or its module."""
    if not re.fullmatch(SLUG_PATTERN, name):
        raise UsageError(
            f"invalid name for an exercise: {one_line(name, 60)}",
            help="use lower-case letters and digits, with - or _ between them, such as yin-yang",
        )
    module = module_name_for(name)
    if not module.isidentifier() or keyword.iskeyword(module):
        raise UsageError(
            f"invalid name for a module: {module}",
            help="students write NAME.py: start with a letter, and do not use a Python keyword",
        )
    if module in sys.stdlib_module_names:
        raise UsageError(
            f"a student's {module}.py would hide the standard library module {module}",
            help="choose another name",
        )
