"""`--results`: the result of a submission, in the formats of the platforms that read it.

If a platform reads the mark from a file, everything is graded, hidden cases too, and isolation is
required. After a fault there is no mark, so no such file is written: the platform reports that, as
it does for any grader that ends without a result.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from grader.seams import RESULTS
from grader.values.foreign_text import one_line

if TYPE_CHECKING:  # `check` starts without them
    from grader.judging.record import Record
    from grader.reporting.shown_results import ResultFormat

STANDARD_OUTPUT: Final = "-"
EXIT_FAULT: Final = 6


class AskedResult(NamedTuple):
    """A requested format, and the place to which it is written."""

    format: ResultFormat
    place: str

    @property
    def is_printed(self) -> bool:
        """Whether it is written to standard output."""
        return self.place == STANDARD_OUTPUT


def _requested(
    _context: click.Context, _option: click.Parameter, typed: Sequence[str]
) -> tuple[AskedResult, ...]:
    """Return the formats that were `typed`, as NAME or NAME=FILE."""
    asked = tuple(map(_requested_by, typed))
    if sum(each.is_printed for each in asked) > 1:
        raise click.BadParameter(
            "only one format can go to standard output: give the others a file"
        )
    return asked


def _requested_by(typed: str) -> AskedResult:
    name, _, file = typed.partition("=")
    if name not in RESULTS:
        raise click.BadParameter(
            f"{one_line(name, 60)!r} is not a format; choose from {', '.join(RESULTS.names())}"
        )
    format_: ResultFormat = RESULTS.load(name)
    place = file or format_.place
    if place is None:
        raise click.BadParameter(f"say where to write it, such as {name}=FILE")
    return AskedResult(format_, place)


results_option = click.option(
    "--results",
    metavar="FORMAT[=FILE]",
    multiple=True,
    callback=_requested,
    help="Write the result for a platform, such as gradescope; - as FILE is standard output.",
)


def has_mark(asked: Collection[AskedResult]) -> bool:
    """Return whether any of the formats `asked` for contains a mark."""
    return any(each.format.is_mark for each in asked)


def write_results(asked: Collection[AskedResult], record: Record, work: PurePath) -> None:
    """Write `record`, of the files at `work`, in all formats `asked` for.

    After a fault, formats with a mark are not written. Raises `OutputError`.
    """
    from grader.reporting.writing import write_below  # noqa: PLC0415 - seldom asked for
    from grader.verdict import Status  # noqa: PLC0415 - as above

    for format_, place in asked:
        if format_.is_mark and record.status is Status.FAULT:
            continue
        text = format_.written(record, work)
        if place == STANDARD_OUTPUT:
            sys.stdout.write(text)
        else:
            write_below(Path(place).parent, Path(place).name, text.encode())
