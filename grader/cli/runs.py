"""`grader runs`: the runs in a folder, and the progress of each."""

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
from grader.store.overview import RunView, find_runs, view_of
from grader.values.foreign_text import for_log, one_line
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
    """List the runs in FOLDER and below it, by default here.

    Each is listed with how many submissions are done, and whether somebody is at work in it; one
    that is damaged, with what is wrong.
    """
    folders, is_cut = find_runs(folder)
    views = [view_of(each) for each in folders]
    if as_json_:
        document = {"schema": RUNS_SCHEMA, "runs": [_fields(view) for view in views]}
        sys.stdout.write(as_json(document).decode("ascii"))
    elif views:
        for line in _columns([_HEADINGS, *map(_row, views)]):
            print(for_log(line))
    else:
        say(f"no run in {one_line(str(folder))}")
    if is_cut:
        warn("there may be more: not all folders were searched")


def _fields(view: RunView) -> dict[str, Any]:
    return {
        "folder": str(view.folder),
        "exercises": view.exercises,
        "shard": None if view.shard is None else str(view.shard),
        "submissions": view.entries,
        **{status.value: view.statuses[status] for status in Status},
        "begun": None if view.begun is None else view.begun.isoformat(timespec="seconds"),
        "written": view.written.isoformat(timespec="seconds"),
        "writer": view.writer,
        "damage": view.damage,
    }


def _row(view: RunView) -> tuple[str, ...]:
    """Return the cells of `view` in the table."""
    folder = one_line(str(view.folder), _MAX_PATH_CHARS)
    if view.damage is not None:  # shown in the last column
        return (folder, *[""] * 6, _time_text(view.written), view.damage)
    counts = (view.statuses[Status.UNGRADABLE], view.statuses[Status.FAULT])
    return (
        folder,
        ", ".join(view.exercises),
        "" if view.shard is None else str(view.shard),
        f"{view.statuses.total()} of {view.entries}",
        *(str(count or "") for count in counts),
        "" if view.begun is None else _time_text(view.begun),
        _time_text(view.written),
        "" if view.writer is None else f"at work: {view.writer}",
    )


def _time_text(time: datetime) -> str:
    return f"{time.astimezone():%Y-%m-%d %H:%M}"


def _columns(rows: Sequence[tuple[str, ...]]) -> Iterable[str]:
    """Yield `rows` as aligned lines, without empty columns."""
    shown = [column for column in zip(*rows, strict=True) if any(column[1:])]
    widths = [max(map(len, column)) for column in shown]
    for cells in zip(*shown, strict=True):
        yield "  ".join(map(str.ljust, cells, widths)).rstrip()
