"""Options that several verbs share.

This module imports nothing slow, because `grader check` uses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from grader.seams import EXTRAS, Seam

suites_option = click.option(
    "--suites",
    type=click.Path(path_type=Path),
    help="The folder of suites. Default: the nearest folder 'testsuites'.",
)
exercise_option = click.option(
    "--exercise", metavar="NAME", help="The name of the exercise, or the path of its suite."
)
json_option = click.option(
    "--json", "as_json_", is_flag=True, help="Print JSON to standard output."
)


def _require_junit(
    _context: click.Context, _option: click.Parameter, path: Path | None
) -> Path | None:
    """Return `path`, for click; raises `MissingPlugin`, before grading, without the plug-in."""
    if path is not None:
        EXTRAS.load("--junit")
    return path


junit_option = click.option(
    "--junit",
    type=click.Path(path_type=Path, dir_okay=False),
    callback=_require_junit,
    help="Write JUnit XML to this file.",
)
jobs_option = click.option(
    "--jobs", type=click.IntRange(1, 256), help="The number of workers. Default: one per core."
)
engine_option = click.option(
    "--engine",
    default="local",
    metavar="NAME",
    show_default=True,
    help="Where workers run: local, dask=ADDRESS, or MODULE:FACTORY of an executor.",
)
reference_option = click.option(
    "--reference",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="The folder of the exercise's reference. Default: beside the spec named in the suite.",
)


class SeamChoice(click.Choice[str]):
    """A choice among built-in names, and names of third-party plug-ins.

    Only an unknown name is looked up among plug-ins, because that is slow.
    """

    def __init__(self, own_names: Sequence[str], seam: Seam) -> None:
        """Accept `own_names`, which `--help` lists, and the names that `seam` provides."""
        super().__init__(own_names)
        self._seam: Final = seam

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return `value`; raises `BadParameter` if it is neither built-in nor a plug-in's name."""
        # Looking up other names at the seam searches entry points, which is slow.
        is_built_in = value in self.choices or value in self._seam.table
        if is_built_in or value not in self._seam:
            return super().convert(value, param, ctx)
        return value
