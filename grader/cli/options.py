"""Options that several verbs share; they import nothing slow, as `check` starts with them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from grader.seams import EXTRAS, Seam

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
    """Return `path`; raises before anything is graded if JUnit XML cannot be written."""
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
    "--jobs", type=click.IntRange(1, 256), help="Number of workers. Default: one per core."
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
    help="Folder of the exercise's reference. Default: beside the spec that the suite names.",
)


class SeamChoice(click.Choice[str]):
    """One of our names, or one from a plug-in of others, which is looked up when it is typed."""

    def __init__(self, ours: Sequence[str], seam: Seam) -> None:
        """Choose among `ours`, and the names at `seam`."""
        super().__init__(ours)
        self._seam: Final = seam

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name that was typed."""
        # Asking the seam for other names searches entry points, which is slow.
        is_ours = value in self.choices or value in self._seam.table
        return super().convert(value, param, ctx) if is_ours or value not in self._seam else value
