"""`grader diff`: whose mark changes between two runs, and why."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import click

from grader.cli.options import json_option
from grader.errors import RecordError
from grader.reporting.changes import Change, changes, changes_csv, changes_json, difference
from grader.reporting.changes_page import changes_page
from grader.reporting.writing import write_atomically
from grader.store.store import Store
from grader.values.display import for_log, one_line

_MOST_ITEMS: Final = 8
"""Cases and rules that are told of one student; the page, CSV and JSON have them all."""


@click.command("diff")
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option(
    "--csv", "table", type=click.Path(path_type=Path, dir_okay=False), help="Write a table too."
)
@click.option(
    "--html", "page", type=click.Path(path_type=Path, dir_okay=False), help="Write a page too."
)
@json_option
def command(old: Path, new: Path, table: Path | None, page: Path | None, as_json_: bool) -> None:
    """Tell whose mark changes from the run OLD to the run NEW, and the cases behind it.

    A change that neither other files nor another suite explain is flagged: nobody expects it.
    """
    with Store.reading(old) as before, Store.reading(new) as after:
        tell_changes(before, after, table=table, page=page, as_json=as_json_)


def tell_changes(
    before: Store,
    after: Store,
    *,
    table: Path | None = None,
    page: Path | None = None,
    as_json: bool = False,
) -> None:
    """Tell what changes from one run to another, on standard output and where else it is asked."""
    try:
        found = list(changes(before, after))
    except ValueError as error:
        raise RecordError(f"a record cannot be read: {one_line(str(error), 300)}") from error
    if table is not None:
        # A spreadsheet takes a CSV for UTF-8 only with this mark at its beginning.
        write_atomically(table, changes_csv(found).encode("utf-8-sig", "replace"))
    if page is not None:
        run = after.run
        told = changes_page(found, len(run.entries), run.manner.language)
        write_atomically(page, told.encode("utf-8", "replace"))
    if as_json:
        sys.stdout.write(changes_json(found).decode("ascii"))
        return
    for line in _lines(found, len(after.run.entries)):
        print(for_log(line))


def _lines(found: Sequence[Change], total: int) -> Iterator[str]:
    of_marks = [each for each in found if each.is_of_mark]
    yield f"{len(of_marks)} of {total} marks change"
    for each in found:
        yield ""
        yield _headline(each)
        for item in each.items[:_MOST_ITEMS]:
            verdicts = f"{item.old_verdict or 'not there'} -> {item.new_verdict or 'not there'}"
            points = round(item.new_points - item.old_points, 4)
            shown = f"  {points:+g}" if points else ""
            yield f"  {one_line(item.id, 60):<40} {verdicts}{shown}"
        if len(each.items) > _MOST_ITEMS:
            yield f"  ... and {len(each.items) - _MOST_ITEMS} more"
    if unexpected := [each for each in found if each.is_unexpected]:
        yield ""
        yield (
            f"nobody expected {len(unexpected)} of these: files and suite are the same."
            " Look at them before any mark is given."
        )


def _headline(change: Change) -> str:
    name = one_line(change.student, 60)
    if change.old_score is None:
        return f"{name} is new: {change.new_score:g} of {change.new_max:g}"
    if change.new_score is None:
        return f"{name} is not in the new run; was {change.old_score:g} of {change.old_max:g}"
    by = difference(change) or 0.0
    why = ", ".join(change.causes) or "NOTHING ELSE CHANGED"
    of = f" of {change.new_max:g}"
    was = f" of {change.old_max:g}" if change.old_max != change.new_max else ""
    return f"{name}  {change.old_score:g}{was} -> {change.new_score:g}{of} ({by:+g})  [{why}]"
