"""`grader new`: makes a course, and exercises in it, to be filled."""

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
    exercise_like,
    files_below,
    kinds,
    module_of,
    write_new,
)
from grader.suite.exercises import FOLDER_NAME as SUITES
from grader.suite.texts import SLUG_PATTERN
from grader.values.foreign_text import one_line

_KINDS = kinds()  # click needs the choices at import


@click.group("new")
def command() -> None:
    """Make a course of your own, or an exercise in it."""


@command.command("course")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def new_course(folder: Path) -> None:
    """Make FOLDER a course: folders for exercises, suites and hand-ins, settings, CI, a README."""
    write_new(folder, dict(files_below(COURSE)))
    write_schemas(folder / SUITES)
    say(f"written: {one_line(str(folder))}; make an exercise in it with:")
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
    "--like", type=click.Choice(_KINDS), help="The same, with its right and wrong solutions."
)
@click.option("--title", help="Title for readers. Default: made from NAME.")
def new_exercise(name: str, kind: str, like: str | None, title: str | None) -> None:
    """Make the exercise NAME in the current course.

    It starts with the text, settings, reference and generator of a small working exercise: replace
    them one by one.
    """
    _check(name)
    course = find_course()
    folder = course.reference(name)
    title = title or re.sub("[-_]", " ", name).capitalize()
    files = exercise_like(like or kind, name, title, course.language)
    if like is None:
        # folders have solutions
        files = {file: data for file, data in files.items() if "/" not in file}
    write_new(folder, files)
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
        say("to hide runs from students, add `sessions` with visibility: hidden to exercise.yaml")


@command.command("ci")
@click.argument("platform", type=click.Choice(CI_PLATFORMS))
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="Folder for the files. Default: the current one.",
)
def new_ci(platform: str, out: Path) -> None:
    """Write the CI files that check hand-ins on PLATFORM, with the suites of the staff."""
    files = dict(files_below(f"{CI}/{platform}"))
    write_new(out, files)
    for file in files:
        say(f"written: {one_line(str(out / file))}")


def _check(name: str) -> None:
    """Raise `UsageError` for a name that is invalid for an exercise or its module."""
    if not re.fullmatch(SLUG_PATTERN, name):
        raise UsageError(
            f"{one_line(name, 60)} is not a valid name for an exercise",
            help="use small letters and digits, with - or _ between them, such as yin-yang",
        )
    module = module_of(name)
    if not module.isidentifier() or keyword.iskeyword(module):
        raise UsageError(
            f"{name} is not a valid name for a module",
            help="students write NAME.py: start with a letter, and use no keyword of Python",
        )
    if module in sys.stdlib_module_names:
        raise UsageError(
            f"a student's {module}.py would hide Python's own module {module}",
            help="choose another name",
        )
