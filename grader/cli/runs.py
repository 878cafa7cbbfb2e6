"""`grader runs`: lists the runs in a folder, with the progress of each."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import click

from grader.cli.options import json_option
from grader.cli.terminal import say, warn
from grader.reporting.results import as_json
from grader.store.overview import RunView, find_runs, view_run
from grader.values.foreign_text import log_safe, one_line
from grader.verdict import Status

RUNS_SCHEMA: Final = "grader/runs/1"
_HEADINGS: Final = (
    "run",
    "exercises",
    "shard",
    "done",
    "ungradable",
    "faults",
    "begun",
    "written",
    "now",
)
_MAX_PATH_CHARS: Final = 200


@click.command("runs")
@click.argument("folder", type=click.Path(path_type=Path), default=Path())
@json_option
def command(folder: Path, as_json_: bool) -> None:
    """List the runs in FOLDER and below it, by default the current folder.

    Each run is listed with the number of finished submissions, and with the process that is writing
    to it, if any. A damaged run is listed with the problem.
    """
    folders, is_cut = find_runs(folder)
    views = [view_run(run_folder) for run_folder in folders]
    if as_json_:
        document = {"schema": RUNS_SCHEMA, "runs": [_fields(view) for view in views]}
        sys.stdout.write(as_json(document).decode("ascii"))
    elif views:
        for line in _align_columns([_HEADINGS, *map(_table_row, views)]):
            print(log_safe(line))
    else:
        say(f"there is no run in {one_line(str(folder))}")
    if is_cut:
        warn(
            "there might be more runs, because not all folders were searched;"
            " list a folder further down with `grader runs FOLDER`"
        )


def _fields(view: RunView) -> dict[str, Any]:
    """Return `view` as an item of the JSON output, whose keys are a published format."""
    return {
        "folder": str(view.folder),
        "exercises": view.exercises,
        "shard": None if view.shard is None else str(view.shard),
        "submissions": view.entries,
        **{status.value: view.statuses[status] for status in Status},
        "begun": None if view.begun is None else view.begun.isoformat(timespec="seconds"),
        "written": view.last_written.isoformat(timespec="seconds"),
        "writer": view.writer,
        "damage": view.damage,
    }


def _table_row(view: RunView) -> tuple[str, ...]:
    """Return the cells of `view` in the printed table."""
    folder = one_line(str(view.folder), _MAX_PATH_CHARS)
    if view.damage is not None:  # shown in the last column
        return (folder, *[""] * 6, _format_time(view.last_written), view.damage)
    counts = (view.statuses[Status.UNGRADABLE], view.statuses[Status.FAULT])
    return (
        folder,
        ", ".join(view.exercises),
        "" if view.shard is None else str(view.shard),
        f"{view.statuses.total()} of {view.entries}",
        *(str(count or "") for count in counts),
        "" if view.begun is None else _format_time(view.begun),
        _format_time(view.last_written),
        "" if view.writer is None else f"at work: {view.writer}",
    )


def _format_time(time: datetime) -> str:
    return f"{time.astimezone():%Y-%m-%d %H:%M}"


def _align_columns(rows: Sequence[tuple[str, ...]]) -> Iterable[str]:
    """Yield `rows` as aligned lines, without columns that are empty below the heading.

    The first row contains the headings.
    """
    columns = [column for column in zip(*rows, strict=True) if any(column[1:])]
    widths = [max(map(len, column)) for column in columns]
    for cells in zip(*columns, strict=True):
        yield "  ".join(map(str.ljust, cells, widths)).rstrip()
