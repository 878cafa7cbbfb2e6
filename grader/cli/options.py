"""Options that several verbs share, and those of `grader grade` that contradict each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from grader.errors import UsageError
from grader.intake.layouts import layout_names
from grader.intake.plan import Choice
from grader.reporting.wording import DEFAULT_LANGUAGE, LANGUAGES
from grader.seams import EXTRAS, PLATFORMS, Seam

_Command = TypeVar("_Command", bound=Callable[..., Any])
_CONTRADICTIONS = (
    ("public", "seed", "pools to draw from are in the hidden suite only"),
    ("isolation", "trust_submissions", "--trust-submissions makes do with any level"),
    ("sheets", "no_reports", "sheets are written beside the pages"),
    ("self_contained", "no_reports", "no page is written at all"),
    ("pseudonyms", "no_reports", "the table of who is who is written beside the pages"),
    ("shard", "pseudonyms", "shards would draw a pseudonym each for the same student"),
    ("shard", "no_reports", "a shard writes none: `grader merge` does"),
    ("shard", "junit", "`grader merge` has it for all shards together"),
    ("shard", "as_json_", "`grader merge` has it for all shards together"),
)
"""Options of `grader grade` that ask for opposite things, and why."""

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


def _with_junit(
    _context: click.Context, _option: click.Parameter, path: Path | None
) -> Path | None:
    """Return `path`; that nothing can write the file is told before anything is graded."""
    if path is not None:
        EXTRAS.load("--junit")
    return path


junit_option = click.option(
    "--junit",
    type=click.Path(path_type=Path, dir_okay=False),
    callback=_with_junit,
    help="Write JUnit XML to this file.",
)
jobs_option = click.option(
    "--jobs", type=click.IntRange(1, 256), help="Workers. Default: one per core."
)
engine_option = click.option(
    "--engine",
    default="local",
    metavar="NAME",
    show_default=True,
    help="Where workers are: local, dask=ADDRESS, or MODULE:FACTORY of an executor.",
)
reference_option = click.option(
    "--reference",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Folder of the exercise's reference. Default: beside the spec that the suite names.",
)


def exercise_options(only: str) -> Callable[[_Command], _Command]:
    """Return what adds how an exercise that no suite describes is called, and in which language.

    The help begins with `only`: where these options are of use.
    """

    def added(command: _Command) -> _Command:
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
        for option in reversed(options):
            command = option(command)
        return command

    return added


class SeamChoice(click.Choice[str]):
    """One of our names, or one that a plug-in of others brings: looked for when it is typed."""

    def __init__(self, ours: Sequence[str], seam: Seam) -> None:
        """Choose among `ours`, and what comes in by `seam`."""
        super().__init__(ours)
        self._seam: Final = seam

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name that was typed."""
        is_ours = value in self.choices or value in self._seam.table
        return super().convert(value, param, ctx) if is_ours or value not in self._seam else value


def source_options(command: _Command) -> _Command:
    """Add what can be said of sources."""
    options = (
        click.option(
            "--layout",
            type=SeamChoice(sorted(layout_names()), PLATFORMS),
            help="The platform that named the files. Default: told by their names.",
        ),
        click.option(
            "--pattern",
            metavar="REGEX",
            help="Take students from paths by this, with a group (?P<student>...).",
        ),
        click.option(
            "--roster",
            type=click.Path(path_type=Path, dir_okay=False),
            help="Table of the course, to join ids, user names and names.",
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


def refuse_contradictions(options: Mapping[str, Any]) -> None:
    """Raise `UsageError` where two options of `grader grade` ask for opposite things."""
    for one, other, way_out in _CONTRADICTIONS:
        if not {None, False} & {options[one], options[other]}:
            words = f"--{one} and --{other} contradict each other".replace("as_json_", "json")
            raise UsageError(words.replace("_", "-"), help=way_out)
    if options["attempt"] == Choice.BEST and (options["shard"] or options["pseudonyms"]):
        other = "shard" if options["shard"] else "pseudonyms"
        raise UsageError(
            f"--attempt best and --{other} contradict each other",
            help="which one is best is known when all are graded, under their names",
        )
    if options["late"] is not None and options["deadline"] is None:
        raise UsageError("--late needs a deadline", help="say it: --deadline 2026-10-01T23:59")
    if options["events"] == "-" and options["as_json_"]:
        raise UsageError("--events - and --json both write to standard output")
