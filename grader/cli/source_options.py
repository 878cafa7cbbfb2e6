"""Options about sources and exercises, and contradictions among the options of `grade`."""

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
    (
        "isolation",
        "trust_submissions",
        "leave out one: --trust-submissions accepts any isolation level",
    ),
    ("sheets", "no_reports", "leave out one: sheets are written beside the pages"),
    ("self_contained", "no_reports", "leave out one: no page is written at all"),
    (
        "pseudonyms",
        "no_reports",
        "leave out one: the table of pseudonyms is written beside the pages",
    ),
    ("shard", "pseudonyms", "leave out one: each shard would draw another pseudonym for a student"),
    (
        "shard",
        "no_reports",
        "leave out --no-reports: a shard writes none, only `grader merge` does",
    ),
    ("shard", "junit", "leave out --junit, and add it to `grader merge`, for all shards together"),
    (
        "shard",
        "as_json_",
        "leave out --json, and add it to `grader merge`, for all shards together",
    ),
)
"""Pairs of contradictory options of `grader grade`, with the help for each pair."""


def exercise_options(condition: str) -> Callable[[_Command], _Command]:
    """Return a decorator that adds the options for title and language, for use without a suite.

    Their help starts with `condition`, which says when the options apply.
    """

    def with_options(command: _Command) -> _Command:
        """Add both options to `command`, and return it."""
        options = (
            click.option(
                "--title",
                metavar="TEXT",
                help=f"{condition} the title of the exercise on pages. Default: the tests.",
            ),
            click.option(
                "--language",
                type=click.Choice(LANGUAGES),
                default=DEFAULT_LANGUAGE,
                show_default=True,
                help=f"{condition} the language of the pages.",
            ),
        )
        # Applied in reverse, so that `--help` lists the options in this order.
        for option in reversed(options):
            command = option(command)
        return command

    return with_options


def source_options(command: _Command) -> _Command:
    """Add the options about sources to `command`, and return it."""
    options = (
        click.option(
            "--layout",
            type=SeamChoice(sorted(layout_names()), PLATFORMS),
            help="The platform that named the files. Default: recognised by the file names.",
        ),
        click.option(
            "--pattern",
            metavar="REGEX",
            help="Regular expression that extracts students from paths: (?P<student>...).",
        ),
        click.option(
            "--roster",
            type=click.Path(path_type=Path, dir_okay=False),
            help="Table of the students in the course, to match ids, user names and names.",
        ),
        click.option(
            "--attempt",
            type=click.Choice([choice.value for choice in Choice]),
            default=Choice.LATEST.value,
            show_default=True,
            help="Which of several attempts is graded.",
        ),
    )
    # In reverse order, as in `exercise_options`.
    for option in reversed(options):
        command = option(command)
    return command


partial_option = click.option(
    "--partial", is_flag=True, help="Grade even if half or more of a class is left out."
)
"""Adds the option to accept that part of a class is left out."""


def refuse_contradictions(options: Mapping[str, Any]) -> None:
    """Raise `UsageError` if options of `grader grade` contradict each other, or one is missing."""
    for first, second, advice in _CONTRADICTIONS:
        # Both options were given if neither has its default.
        if not {None, False} & {options[first], options[second]}:
            text = f"--{first} and --{second} contradict each other".replace("as_json_", "json")
            raise UsageError(text.replace("_", "-"), help=advice)
    if options["attempt"] == Choice.BEST and (options["shard"] or options["pseudonyms"]):
        option = "shard" if options["shard"] else "pseudonyms"
        raise UsageError(
            f"--attempt best and --{option} contradict each other",
            help="leave out one: finding the best attempt requires grading all of them by name",
        )
    if options["late"] is not None and options["deadline"] is None:
        raise UsageError(
            "--late is given without --deadline",
            help="add a deadline, such as --deadline 2026-10-01T23:59",
        )
    if options["events"] == "-" and options["as_json_"]:
        raise UsageError(
            "--events - and --json both write to standard output",
            help="write the events to a file: --events FILE",
        )
