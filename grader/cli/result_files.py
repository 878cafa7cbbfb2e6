"""`--results`: writes the result of a submission in the formats of platforms.

If a platform reads the mark from a file, hidden cases are graded too, and isolation is required.
After a fault there is no mark, so no such file is written: the platform then reports a grader that
ended without a result.
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


class RequestedResult(NamedTuple):
    """A requested format, and the path to write it to, or `-` for standard output."""

    format: ResultFormat
    place: str

    @property
    def is_printed(self) -> bool:
        """Whether the result is written to standard output."""
        return self.place == STANDARD_OUTPUT


def _parse_results(
    _context: click.Context, _option: click.Parameter, values: Sequence[str]
) -> tuple[RequestedResult, ...]:
    """Parse `values`, each NAME or NAME=FILE, for click.

    Raises `BadParameter` if one is invalid, or if several are for standard output.
    """
    results = tuple(map(_parse_result, values))
    if sum(result.is_printed for result in results) > 1:
        raise click.BadParameter(
            "only one format can be written to standard output: add =FILE to the others"
        )
    return results


def _parse_result(value: str) -> RequestedResult:
    """Parse one NAME or NAME=FILE.

    Raises `BadParameter` if the format is unknown or needs a file, and `UsageError` if its plug-in
    is missing or cannot be used.
    """
    name, _, file = value.partition("=")
    if name not in RESULTS:
        raise click.BadParameter(
            f"unknown format {one_line(name, 60)!r}; choose from {', '.join(RESULTS.names())}"
        )
    format_: ResultFormat = RESULTS.load(name)
    target = file or format_.default_path
    if target is None:
        raise click.BadParameter(f"the format {name} needs a file: {name}=FILE")
    return RequestedResult(format_, target)


results_option = click.option(
    "--results",
    metavar="FORMAT[=FILE]",
    multiple=True,
    callback=_parse_results,
    help="Write the result for a platform such as gradescope; - as FILE is standard output.",
)


def has_mark(results: Collection[RequestedResult]) -> bool:
    """Return whether any requested format contains a mark."""
    return any(result.format.is_mark for result in results)


def write_results(results: Collection[RequestedResult], record: Record, work: PurePath) -> None:
    """Write the `record` of the hand-in at `work` in all requested formats.

    After a fault, formats with a mark are left out. Raises `OutputError` if writing fails.
    """
    from grader.reporting.writing import write_below  # noqa: PLC0415 - slow, and rarely needed
    from grader.verdict import Status  # noqa: PLC0415 - as above

    for format_, target in results:
        if format_.is_mark and record.status is Status.FAULT:
            continue
        text = format_.format_record(record, work)
        if target == STANDARD_OUTPUT:
            sys.stdout.write(text)
        else:
            write_below(Path(target).parent, Path(target).name, text.encode())
