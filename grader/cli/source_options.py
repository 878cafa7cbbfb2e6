"""Options about sources and exercises, and options of `grade` that contradict each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from grader.cli.options import SeamChoice
from grader.errors import UsageError
from grader.intake.layouts import layout_names
from grader.intake.plan import Choice
from grader.reporting.wording import DEFAULT_LANGUAGE, LANGUAGES
from grader.seams import PLATFORMS

_Command = TypeVar("_Command", bound=Callable[..., Any])
_CONTRADICTIONS: Final = (
    ("isolation", "trust_submissions", "--trust-submissions accepts any level"),
    ("sheets", "no_reports", "sheets are written beside the pages"),
    ("self_contained", "no_reports", "no page is written at all"),
    ("pseudonyms", "no_reports", "the table of who is who is written beside the pages"),
    ("shard", "pseudonyms", "each shard would draw another pseudonym for the same student"),
    ("shard", "no_reports", "a shard writes no reports: `grader merge` does"),
    ("shard", "junit", "use it with `grader merge`, for all shards together"),
    ("shard", "as_json_", "use it with `grader merge`, for all shards together"),
)
"""Options of `grader grade` that contradict each other, and why."""


def exercise_options(only: str) -> Callable[[_Command], _Command]:
    """Return a decorator that adds the title and language of an exercise without a suite.

    Their help starts with `only`, which says when these options apply.
    """

    def with_options(command: _Command) -> _Command:
        options = (
            click.option(
                "--title",
                metavar="TEXT",
                help=f"{only} what pages call the exercise. Default: the tests.",
            ),
            click.option(
                "--language",
                type=click.Choice(LANGUAGES),
                default=DEFAULT_LANGUAGE,
                show_default=True,
                help=f"{only} the language of the pages.",
            ),
        )
        # Decorators apply from the last to the first, and `--help` keeps the order of the list.
        for option in reversed(options):
            command = option(command)
        return command

    return with_options


def source_options(command: _Command) -> _Command:
    """Add the options about sources."""
    options = (
        click.option(
            "--layout",
            type=SeamChoice(sorted(layout_names()), PLATFORMS),
            help="The platform that named the files. Default: recognised by their names.",
        ),
        click.option(
            "--pattern",
            metavar="REGEX",
            help="Regular expression that finds students in paths: (?P<student>...).",
        ),
        click.option(
            "--roster",
            type=click.Path(path_type=Path, dir_okay=False),
            help="Table of the course, to match ids, user names and names.",
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


partial_option = click.option(
    "--partial", is_flag=True, help="Grade even if half of a class, or more, is left out."
)
"""Adds the option to accept a part of a class."""


def refuse_contradictions(options: Mapping[str, Any]) -> None:
    """Raise `UsageError` if two options of `grader grade` contradict each other."""
    for one, other, reason in _CONTRADICTIONS:
        # Both were given: neither has its default.
        if not {None, False} & {options[one], options[other]}:
            text = f"--{one} and --{other} contradict each other".replace("as_json_", "json")
            raise UsageError(text.replace("_", "-"), help=reason)
    if options["attempt"] == Choice.BEST and (options["shard"] or options["pseudonyms"]):
        other = "shard" if options["shard"] else "pseudonyms"
        raise UsageError(
            f"--attempt best and --{other} contradict each other",
            help="the best one is known only after all are graded, under their names",
        )
    if options["late"] is not None and options["deadline"] is None:
        raise UsageError(
            "--late needs --deadline", help="add it, such as --deadline 2026-10-01T23:59"
        )
    if options["events"] == "-" and options["as_json_"]:
        raise UsageError(
            "--events - and --json both write to standard output",
            help="write the events to a file: --events FILE",
        )
